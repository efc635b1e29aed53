import assert from 'node:assert/strict';
import { journey } from './support/journey.js';
import { whole } from './support/numbers.js';

journey('from a call in the strip to the event a part came from', async (window, strata) => {
  const { session } = await window.openSample();

  // A click in the strip moves the cursor to the call under the pointer.
  const strip = await window.strip.boundingBox();
  await window.page.mouse.click(strip.x + strip.width * 0.6, strip.y + 40);
  await window.settle();
  const call = await window.cursor();
  assert.ok(call > 20 && call < 30, `the pointer was over the middle of the strip, not over C${call}`);
  await window.reads(window.inspector, `C${call}`);

  await window.page.getByRole('link', { name: /^Pipeline/ }).click();
  await window.reads(window.stages, `C${call}`);
  const { rows: stages, total } = await strata.ask('call/stages', {
    session,
    call,
  });
  await window.reads(window.stages, `All ${stages.length}`);
  await window.reads(window.stages, `${whole(total.tokens)} tokens`);

  const contents = stages.find(({ processor }) => processor === 'contents');
  await window.option(/contents/, window.stages).click();
  await window.reads(window.stage, `stage ${contents.number} of ${stages.length}`);

  // A part that is an event in another agent's words.
  const page = await strata.ask('call/stageParts', {
    session,
    call,
    stage: contents.number,
    compareWith: 'stageBefore',
    foldUnchanged: true,
    offset: 0,
    limit: 200,
  });
  await window.reads(window.stage, page.headline.split(/(?<=\.)\s/)[0]);
  const rewritten = page.rows.find(({ change }) => change === 'rewritten');
  const part = window.stage.getByRole('option').filter({ hasText: rewritten.from }).first();
  await part.click();
  await window.reads(window.inspector, 'Where it came from');
  await window.reads(window.inspector, 'Rewritten part');
  await window.page.getByRole('region', { name: 'Difference' }).waitFor();
  await window.settle();
  await window.pictures('pipeline');

  // Its event, by the chain.
  const event = Number(/^E(\d+)/.exec(rewritten.from)[1]);
  await window.inspector.getByRole('button', { name: new RegExp(`^E${event} `) }).click();
  const detail = await strata.ask('event/get', { session, event });
  await window.reads(window.inspector, detail.title);
  await window.reads(window.inspector, `${whole(detail.size.tokens)} token`);
  await window.settle();
  await window.pictures('pipeline-event');

  // Enter opens the best view, which for an event is the session.
  await window.press('Enter');
  await window.page.getByRole('main', { name: 'Session' }).waitFor();
  assert.match(window.place(), new RegExp(`at=E${event}`));
});

journey('the prompt as text and as JSON', async (window, strata) => {
  const { session } = await window.openSample('/SAMPLE/pipeline?call=25&stage=contents&tab=text');
  const editor = window.stage.locator('.cm-content');
  await editor.waitFor();
  const { segments } = await strata.ask('call/text', {
    session,
    call: 25,
    stage: 8,
    offset: 0,
    limit: 1,
  });
  await window.reads(editor, segments[0].text.slice(0, 20));
  await window.pictures('pipeline-text');
  await window.stage.getByRole('radio', { name: 'JSON' }).click();
  await window.reads(window.stage.locator('.cm-content'), '"contents"');
  await window.settle();
  await window.pictures('pipeline-json');
});
