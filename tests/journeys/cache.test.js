import assert from 'node:assert/strict';
import { journey } from './support/journey.js';
import { whole } from './support/numbers.js';

journey('from a cache that missed to what would help', async (window, strata) => {
  const { session } = await window.openSample();
  await window.press('3');
  await window.page.getByRole('main', { name: 'Cache' }).waitFor();

  // The dearest break that can be avoided comes first, with what all of them cost.
  const page = await strata.ask('cache/breaks', { session, order: 'byCost', offset: 0, limit: 100 });
  const [dearest] = page.rows;
  assert.equal(dearest.nature, 'avoidable');
  const first = window.breaks.getByRole('option').first();
  await window.reads(first, `C${dearest.call}`);
  await window.reads(first, whole(dearest.rebilledTokens));
  await window.reads(window.breaks, `${whole(page.summary.avoidableTokens)} tokens`);
  await first.click();
  await window.becomes(() => window.cursor(), dearest.call);

  // Why, token by token, and which change of the app would have kept the prefix.
  const why = await strata.ask('cache/why', { session, call: dearest.call });
  await window.reads(window.inspector, `Why C${dearest.call} missed`);
  await window.reads(window.inspector, `${whole(why.prefixBreak.couldHaveTokens)} tokens`);
  const { rows: fixes } = await strata.ask('cache/fixes', { session });
  const fix = fixes.find(({ agent, causes }) => agent === dearest.agent && causes.includes(dearest.cause));
  await window.reads(window.inspector, fix.title);
  await window.reads(window.inspector, whole(fix.savesTokens));
  const difference = await strata.ask('cache/difference', { session, call: dearest.call, number: 1 });
  await window.reads(window.difference, `First difference, token ${whole(difference.shown.atToken)}`);
  await window.reads(window.difference, `1 of ${difference.total}`);
  await window.settle();
  await window.pictures('cache');

  // Keys: the next difference, a closer look, the next break.
  await window.press(']');
  await window.reads(window.difference, `2 of ${difference.total}`);
  await window.press('[', 'z', 'g');
  await window.settle();
  // The address is written a moment later.
  await window.becomes(() => /ladder=agent&zoom=1/.test(window.place()), true);
  await window.pictures('cache-zoom');
  await window.press('b');
  const later = page.rows.map(({ call }) => call).filter((call) => call > dearest.call);
  await window.becomes(() => window.cursor(), Math.min(...later));

  // A step of the chain is a place of its own, and Escape leads back to the reason.
  await window.press('Shift+B');
  await window.becomes(() => window.cursor(), dearest.call);
  const writer = why.prefixBreak.chain.find(({ label }) => /^E\d/.test(label));
  await window.inspector.getByRole('button', { name: new RegExp(`^${writer.label} `) }).click();
  await window.reads(window.inspector, 'Where it came from');
  await window.press('Escape');
  await window.reads(window.inspector, `Why C${dearest.call} missed`);
});

journey('the ladder of prompts', async (window, strata) => {
  const { session, calls } = await window.openSample('/SAMPLE/cache?call=17');
  const rungs = window.ladder.getByRole('listbox');
  await window.reads(rungs, 'C17');
  assert.equal(await rungs.getByRole('option').first().getAttribute('aria-setsize'), String(calls));
  await rungs.focus();
  await window.press('ArrowDown');
  await window.becomes(() => window.cursor(), 18);
  const why = await strata.ask('cache/why', { session, call: 18 });
  await window.reads(window.inspector, why.prefixBreak.sentence);

  // Bars are drawn: the row of a long prompt has more ink than that of a short one.
  await window.settle();
  const ink = (call) =>
    window.ladder
      .getByRole('option', { name: new RegExp(`^C${call} `) })
      .locator('canvas')
      .evaluate((canvas) => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return data.reduce((sum, value, i) => sum + (i % 4 === 3 && value > 0 ? 1 : 0), 0);
      });
  assert.ok((await ink(16)) > 4 * (await ink(18)));
});
