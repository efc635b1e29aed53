import assert from 'node:assert/strict';
import { journey } from './support/journey.js';
import { whole } from './support/numbers.js';

journey('from a sweep to a run and what its summaries lose', async (window, strata) => {
  const { session, calls } = await window.openSample();
  await window.press('4');
  await window.page.getByRole('main', { name: 'Lab' }).waitFor();

  // The sweep is the same that the command makes, and its recommendation is looked at.
  const map = window.sweep.getByRole('listbox', { name: /^Configurations as a map/ });
  await map.waitFor();
  await window.reads(window.inspector, 'What the sweep says');
  const grid = await window.sweep.getByRole('textbox', { name: 'Grid' }).inputValue();
  const sweep = await sweepOf(strata, session, grid);
  await window.reads(window.inspector, sweep.reason);
  assert.equal(await map.getByRole('option').getAttribute('aria-setsize'), String(sweep.rows.length));
  await window.settle();
  await window.pictures('lab');

  // A configuration of one's own choice, with the keys.
  const config = 'interval=2,overlap=0';
  const at = sweep.rows.findIndex((row) => row.config === config);
  await map.focus();
  await window.press('Home');
  await window.becomes(() => new URLSearchParams(window.place().split('?')[1]).get('config'), config);
  const plan = await strata.ask('lab/plan', { session, config, prompt: null, summaries: 'sized' });
  assert.equal(plan.promptTokens.length, calls);
  await window.reads(map.getByRole('option'), whole(sweep.rows[at].bill.billedTokens));
  await window.reads(window.summaries, `Summary 1 of ${plan.windows.length}`);
  await window.reads(window.summaries, `${plan.windows[0].firstEvent}–${plan.windows[0].lastEvent}`);

  // What later answers used of it is named, and one can go to where it stood.
  const [used] = plan.regret;
  await window.reads(window.inspector, plan.regretSaid);
  const selected = () => new URLSearchParams(window.place().split('?')[1]).get('at');
  await window.inspector
    .getByRole('button', { name: `Show ${used.event}, where ${used.value} stood` })
    .click();
  await window.becomes(selected, used.event);
  await window.page.goBack();
  await window.becomes(selected, null);

  // Extracts cost nothing: the run writes them and counts the facts.
  const extracts = await strata.ask('lab/plan', { session, config, prompt: null, summaries: 'extractive' });
  await window.press('s');
  const [first] = extracts.windows;
  await window.reads(
    window.summaries,
    `✗ ${whole(first.dropped)} dropped, ≈ ${whole(first.paraphrased)} paraphrased, ✓ ${whole(first.kept)} kept`,
  );
  await window.reads(window.summaries, first.summary.slice(0, 40));
  await window.reads(window.inspector, 'Facts still told at the end');
  await window.settle();
  await window.pictures('lab-run');

  // Applied, it is an experiment that every view goes by; undone, the prompts are the recorded ones.
  const rows = window.inspector.getByRole('button', { name: /2, overlap 0/ });
  await rows.first().waitFor();
  await window.press('Shift+S');
  await window.becomes(() => /\/x\d+\//.test(window.place()), true);
  const [, experiment] = /\/(x\d+)\//.exec(window.place());
  const header = () => strata.ask('session/header', { session: experiment });
  await window.becomes(async () => (await header()).compiledCalls, calls);
  const recorded = await strata.ask('session/header', { session });
  const applied = await header();
  assert.equal(applied.compactions, extracts.windows.length);
  assert.equal(
    applied.bill.promptTokens,
    extracts.promptTokens.reduce((a, b) => a + b, 0),
  );
  await window.reads(window.inspector, 'over Recorded');
  await window.pictures('lab-applied');
  await window.press('Control+z');
  await window.becomes(async () => (await header()).bill.promptTokens, recorded.bill.promptTokens);

  // Half a configuration is not replayed, and the reason is given.
  const overlap = window.page.getByRole('textbox', { name: 'Overlap' });
  await overlap.fill('');
  await overlap.press('Tab');
  await window.reads(window.page.getByRole('alert'), 'google-adk takes both or neither');
});

journey('a sweep as a table, of other numbers', async (window) => {
  await window.openSample(
    '/SAMPLE/lab?axes=threshold&grid=threshold=20000,retention=10..20/10&look=table&metric=peak',
  );
  const table = window.sweep.getByRole('listbox', { name: /configurations?$/ });
  await table.getByRole('option').first().waitFor();
  await window.reads(window.inspector, /Threshold/);
  await window.press('j');
  await window.settle();
  assert.match(window.place(), /config=threshold=/);
  await window.pictures('lab-table');

  const field = window.sweep.getByRole('textbox', { name: 'Grid' });
  await field.fill('interval=1..0,overlap=2');
  window.expectedTroubles.push(/400|Bad Request|lab\/sweep/);
  await field.press('Enter');
  await window.reads(window.sweep, 'is no range');
  await field.fill('threshold=30000,retention=10');
  await field.press('Enter');
  await window.reads(table, 'Threshold 30,000, keep 10');
});

async function sweepOf(strata, session, grid) {
  const { job } = await strata.ask('lab/sweep', { session, grid, summaryTokens: null });
  for (;;) {
    const sweep = await strata.ask('lab/sweepResult', { job, from: 0 });
    if (sweep?.isEnded) {
      // As the window shows them: in the order of the grid.
      return { ...sweep, rows: sweep.rows.toSorted((a, b) => a.place - b.place) };
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
