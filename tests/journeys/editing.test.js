import assert from 'node:assert/strict';
import { journey } from './support/journey.js';
import { signed } from './support/numbers.js';

/** The tokens of a call's prompt. */
async function promptOf(strata, session, call) {
  const { total } = await strata.ask('call/stages', { session, call });
  return total.tokens;
}

/** The experiment that is shown, by the address. */
const shown = (window) => /^#\/([^/?]+)/.exec(window.place())[1];

journey('a processor is switched off, and back by undo', async (window, strata) => {
  const { session } = await window.openSample('/SAMPLE/pipeline?call=25&stage=identity');
  const recorded = await promptOf(strata, session, 25);
  await window.press('Space');
  await window.reads(window.option(/identity/, window.stages), 'switched off');
  const experiment = shown(window);
  assert.notEqual(experiment, session);
  const changed = await promptOf(strata, experiment, 25);
  assert.ok(changed < recorded, 'the prompt is smaller without identity');
  await window.reads(window.edits, `C25 ${signed(changed - recorded)}`);
  await window.settle();
  await window.pictures('edit-toggled');

  await window.press('Control+z');
  await window.reads(window.edits, 'taken back');
  await window.becomes(() => promptOf(strata, experiment, 25), recorded);
  await window.press('Control+Shift+z');
  await window.reads(window.option(/identity/, window.stages), 'switched off');

  // The recording and the experiment take turns, and the recording is as it was.
  await window.press('o');
  await window.becomes(() => shown(window), session);
  await window.settle();
  assert.equal(
    await window
      .option(/identity/, window.stages)
      .getByText('switched off')
      .count(),
    0,
  );
  await window.press('o');
  await window.becomes(() => shown(window), experiment);
});

journey('a processor is moved by keys and by the pointer', async (window, strata) => {
  await window.openSample('/SAMPLE/pipeline?call=25&stage=contents');
  await window.press('Alt+ArrowUp', 'Alt+ArrowUp');
  await window.option(/^6.*contents/, window.stages).waitFor();
  const moved = async () =>
    (await strata.ask('call/stages', { session: shown(window), call: 25 })).rows
      .map(({ processor }) => processor)
      .indexOf('contents');
  assert.equal(await moved(), 5);
  const { rows } = await strata.ask('call/stages', { session: shown(window), call: 25 });
  const { orderWarning } = rows[5];
  assert.ok(orderWarning, 'contents in front of compaction violates the order');
  await window.reads(window.option(/^6.*contents/, window.stages), orderWarning);
  await window.settle();
  await window.pictures('edit-order');

  const from = await window.option(/^6.*contents/, window.stages).boundingBox();
  const to = await window.option(/^9 /, window.stages).boundingBox();
  const { mouse } = window.page;
  await mouse.move(from.x + 90, from.y + from.height / 2);
  await mouse.down();
  await mouse.move(from.x + 90, from.y + from.height, { steps: 3 });
  await mouse.move(to.x + 90, to.y + 2, { steps: 6 });
  await window.picture('edit-drag-dark');
  await mouse.up();
  await window.option(/^8.*contents/, window.stages).waitFor();
  await window.becomes(moved, 7);
});

journey('a processor is put in and configured, with its effect as it is typed', async (window, strata) => {
  const { session } = await window.openSample('/SAMPLE/pipeline?call=25');
  await window.press('n');
  const search = window.page.getByRole('combobox', { name: 'Find a processor' });
  await search.waitFor();
  await window.type('cap rows');
  const form = window.page.getByRole('form', { name: 'Cap rows of tool results' });
  await window.reads(form, /C25\s*[−+0]/);
  await window.pictures('edit-add');
  await window.press('Enter');
  await window.option(/cap_rows.*new/, window.stages).waitFor();
  const experiment = shown(window);
  const first = await promptOf(strata, experiment, 25);

  const settings = window.page.getByRole('form', { name: 'Parameters of cap_rows' });
  const rows = settings.getByRole('textbox', { name: 'max_rows' });
  await rows.fill('0.5');
  await window.reads(settings, 'max_rows is a whole number');
  await rows.fill('3');
  await window.reads(settings, 'As typed, not yet an edit');
  await window.reads(settings, /C25\s*[−+0]/);
  assert.equal(await promptOf(strata, experiment, 25), first, 'what is typed is no edit yet');
  await window.settle();
  await window.pictures('edit-configure');
  await window.press('Enter');
  await window.reads(window.edits, 'max_rows 3');
  await window.becomes(async () => (await promptOf(strata, experiment, 25)) <= first, true);
  assert.ok((await promptOf(strata, session, 25)) >= first, 'the recording has what it had');
});

journey('a script fails, says where, and is mended', async (window, strata) => {
  await window.openSample('/SAMPLE/pipeline?call=17');
  await window.press('n');
  await window.page.getByRole('combobox', { name: 'Find a processor' }).waitFor();
  await window.type('script');
  await window.press('Enter');
  const code = window.page.getByRole('textbox', { name: 'Code of the script' });
  await code.click();
  await window.press('Control+a');
  await window.page.keyboard.insertText(
    'export function process(request) {\n  console.log(request.contents.length)\n  request.nothing.here = 1\n  return request\n}\n',
  );
  const console = window.page.getByRole('log', { name: 'What the script wrote' });
  await window.reads(console, 'line 3');
  await window.page.locator('.cm-lint-marker-error').waitFor();
  await window.press('Control+Enter');
  const row = window.option(/script.*new/, window.stages);
  await row.getByRole('img', { name: /^Warning: .*failed/ }).waitFor();
  await window.reads(window.inspector, 'Open line 3');
  await window.settle();
  await window.pictures('script-error');

  await code.click();
  await window.press('Control+a');
  await window.page.keyboard.insertText(
    'export function process(request) {\n  console.log(`${request.contents.length} contents`)\n  request.contents = request.contents.slice(-4)\n  return request\n}\n',
  );
  await window.reads(console, /\d contents/);
  await row.getByRole('img', { name: /^Warning/ }).waitFor({ state: 'detached' });
  const { rows } = await strata.ask('call/stages', { session: shown(window), call: 17 });
  const script = rows.find(({ inserted }) => inserted?.kind === 'script');
  assert.equal(script.script.failure, null);
  assert.ok(script.tokensAfter < script.tokensBefore);
  await window.settle();
  await window.pictures('script');
});

journey('a finding is applied by one key, and the experiments are compared', async (window, strata) => {
  const { session } = await window.openSample('/SAMPLE/pipeline?call=17');
  await window.press('l');
  const findings = window.page.getByRole('region', { name: 'Findings' });
  await window.reads(findings, 'fixes replayed on all');
  const list = await strata.ask('findings/list', { session });
  assert.ok(list.isComplete);
  const best = [...list.bloat, ...list.rows].flatMap(({ fixes }) => fixes);
  assert.ok(best.some(({ savesTokens }) => savesTokens > 0));
  await window.settle();
  await window.pictures('findings');
  await window.press('a');
  await window.edits.waitFor();
  const experiment = shown(window);
  assert.notEqual(experiment, session);

  await window.press('x');
  const comparison = window.page.getByRole('region', { name: 'Comparison' });
  const answer = await strata.ask('experiment/compare', {
    a: session,
    b: experiment,
    onlyChanged: true,
    offset: 0,
    limit: 100,
  });
  const { effect } = answer;
  await window.reads(comparison, signed(effect.tokensAfter - effect.tokensBefore));
  const last = answer.rows.findLast(({ tokensA, tokensB }) => tokensA !== tokensB);
  await window.option(new RegExp(`^C${last.call} `), comparison).click();
  const request = window.page.getByRole('region', {
    name: `Request of C${last.call} compared`,
  });
  await request.getByRole('option').first().waitFor();
  await window.settle();
  await window.pictures('comparison');

  // The other way round, the signs are the other way round.
  await window.page.getByRole('button', { name: 'Compare the other way round' }).click();
  await window.reads(comparison, signed(effect.tokensBefore - effect.tokensAfter));
});

journey('a patch is shown whole, with each thing that it leaves out', async (window, strata) => {
  const { session } = await window.openSample();
  const { experiment } = await strata.ask('experiment/create', { session, name: 'Smaller' });
  const edits = [
    { edit: 'insert_processor', use: 'cap_rows', params: { max_rows: 20 } },
    { edit: 'drop_event', event: 8 },
    { edit: 'drop_event', event: 9 },
  ];
  await strata.ask('experiment/edit', { experiment, edits, replacesLast: false });
  await window.page.goto('about:blank');
  await window.open(`/${experiment}/session`);
  await window.settle();
  await window.press('Control+k');
  await window.type('export');
  await window.page.getByRole('option', { name: /Export as/ }).click();
  const dialog = window.page.getByRole('dialog', { name: 'Export' });
  // Of an experiment with edits it is what one most likely wants.
  await window.reads(dialog, 'from smaller_patch import apply');
  const leftOut = dialog.getByRole('list', { name: 'What the file leaves out' });
  await window.becomes(() => leftOut.getByRole('listitem').count(), 2);
  await window.picture('export-patch');
});
