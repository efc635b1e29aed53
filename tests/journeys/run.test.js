import assert from 'node:assert/strict';
import { join } from 'node:path';
import { violations } from './support/axe.js';
import { journey } from './support/journey.js';

const SAMPLE = join(import.meta.dirname, '..', '..', 'samples', 'ads-report');

journey(
  'an app runs, is held where its prefix breaks, edited by hand, and goes on',
  async (window, strata) => {
    const { page } = window;
    await window.openSample();
    await window.press('5');
    const form = page.getByRole('form', { name: 'Begin a run' });
    await form.getByLabel('App file').fill(join(SAMPLE, 'app.yaml'));
    await form.getByLabel('Tools').fill(join(SAMPLE, 'tools.js'));
    await form.getByLabel('Answers', { exact: true }).fill(join(SAMPLE, 'answers.yaml'));
    await window.settle();
    await window.pictures('run-form');
    await form.getByRole('button', { name: 'Begin' }).click();

    // Nothing is sent before something is said; then the call is held whose prefix breaks.
    const talk = page.getByRole('region', { name: 'Conversation' });
    await window.reads(talk, 'Nothing was said yet');
    await talk.getByLabel('Message').fill('How did the summer campaigns do?');
    await talk.getByLabel('Message').press('Enter');
    const held = page.getByRole('region', { name: 'Held call' });
    await window.reads(held, 'Its prefix breaks in the');
    await window.reads(held, 'tokens of the agent’s call before; then its');
    await window.reads(page.getByRole('region', { name: 'Agents of the run' }), /query_writer\s*held/);
    const { runs } = await strata.ask('run/list');
    const [run] = runs;
    const header = await strata.ask('session/header', { session: run.session });
    assert.equal(header.calls, run.calls + 1);

    // It is a call of every view, and the newest one.
    await window.becomes(() => window.cursor(), header.calls);
    await window.reads(held, `Held before C${header.calls}`);
    await held
      .getByRole('list', { name: 'Parts of the held prompt' })
      .getByText('left out')
      .first()
      .waitFor();
    await window.settle();
    await window.pictures('run-held');
    assert.deepEqual(await violations(page), []);

    // Edited, it is shown as it will be sent, with the edit as its last stage.
    await held.getByRole('button', { name: /^Edit/ }).click();
    const edit = page.getByRole('form', { name: 'Edit the held call' });
    await edit.getByLabel('Instruction').fill('Say that one query is stored.');
    await window.settle();
    await window.pictures('run-edit');
    assert.deepEqual(await violations(page), []);
    await edit.getByRole('button', { name: 'Apply' }).click();
    await window.reads(held, 'edited by hand');
    await held.getByRole('button', { name: 'In the Pipeline' }).click();
    await window.option(/edited_by_hand/, window.stages).waitFor();

    // One step to the next agent, then on without being held.
    await window.press('5');
    await held.waitFor();
    await window.press('n');
    await window.reads(held, 'The next agent is');
    const calls = header.calls + 1;
    await window.becomes(
      async () => (await strata.ask('session/header', { session: run.session })).calls,
      calls,
    );
    await window.press('f');
    await window.reads(talk, 'June brought steady clicks');
    await held.waitFor({ state: 'detached' });
    await window.reads(page.getByRole('main'), 'Waits for you');
    await window.settle();
    await window.pictures('run-done');
    assert.deepEqual(await violations(page), []);

    // What was sent is what was edited.
    const json = await strata.ask('run/list');
    assert.equal(json.runs[0].error, null);
    await window.press('a');
    await form.waitFor();
    await window.press('a');
    await page.getByRole('button', { name: 'End the run' }).click();
    await window.reads(page.getByRole('main'), 'Stopped');
    await page.getByRole('button', { name: 'Go on…' }).click();
    await form
      .getByRole('combobox', { name: 'Session' })
      .getByRole('option', { name: /^goes on with/ })
      .and(page.locator(':checked'))
      .waitFor({ state: 'attached' });

    // From one of its calls on it is run again: what was before is as it was, without a model.
    await window.press('1');
    await window.settle();
    const cursor = await window.cursor();
    await window.press('Shift+G');
    await window.becomes(() => form.getByLabel('live from').inputValue(), `C${cursor}`);
    await form.getByLabel('live from').fill('7');
    await form.getByLabel('App file').fill('');
    await window.settle();
    await window.pictures('run-again-form');
    assert.deepEqual(await violations(page), []);
    await form.getByRole('button', { name: 'Begin' }).click();
    const beside = async () => (await strata.ask('run/list')).runs[0];
    await window.becomes(async () => (await beside()).from?.waits, false);
    await window.becomes(async () => (await beside()).phase, 'idle');
    const again = await beside();
    assert.deepEqual(again.from, { session: run.session, call: 7, replayed: 6, waits: false });
    assert.equal(again.error, null);
    await window.reads(page.getByRole('main'), 'As recorded');
    await window.settle();
    await window.pictures('run-again');
    assert.deepEqual(await violations(page), []);
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('region', { name: 'Two sessions' }).waitFor();

    // With edits, what they promised is set beside what came of them.
    const { agent } = await strata.ask('call/get', { session: run.session, call: 7 });
    const { experiment } = await strata.ask('experiment/create', { session: run.session, name: 'Brief' });
    const edits = [{ edit: 'set_instruction', agent, text: 'Be brief.' }];
    await strata.ask('experiment/edit', { experiment, edits });
    const edited = await strata.ask('run/start', {
      app: null,
      from: { session: experiment, call: 7 },
      model: `scripted:${join(SAMPLE, 'answers.yaml')}`,
      tools: join(SAMPLE, 'tools.js'),
    });
    await strata.ask('run/send', { run: edited.run, message: '', answers: [] });
    const status = async () => (await strata.ask('run/list')).runs.find(({ run: id }) => id === edited.run);
    await window.becomes(async () => (await status()).from.waits || (await status()).phase !== 'idle', false);
    await page.goto(page.url().replace(/marked=[^&]*/, `marked=${experiment}~${edited.session}`));
    const came = page.getByRole('region', { name: 'What came of the edits' });
    await window.reads(came, /Over \d+ calls? that (was|were) made again, the edits promised/);
    assert.deepEqual(await violations(page), []);
  },
);
