import assert from 'node:assert/strict';
import { journey } from './support/journey.js';
import { compact, percent, whole } from './support/numbers.js';

journey('the first start opens the sample, with its numbers, on the largest call', async (window, strata) => {
  const header = await window.openSample();
  const numbers = window.page.locator('dl').filter({ hasText: 'cached' }).first();
  await window.reads(numbers, whole(header.calls));
  await window.reads(numbers, compact(header.bill.promptTokens));
  await window.reads(numbers, percent(header.bill.cachedTokens / header.bill.promptTokens));
  await window.reads(numbers, `$${header.bill.cost.toFixed(2)}`);
  await window.reads(
    window.page.getByRole('banner'),
    new RegExp(`${header.title}\\s*sample · ${whole(header.events)} events`),
  );
  assert.equal(await window.page.title(), `${header.title} – Strata`);

  const call = await window.cursor();
  const { prompt } = await strata.ask('call/get', {
    session: header.session,
    call,
  });
  assert.equal(prompt.tokens, header.peakTokens, 'the cursor is on the largest call');
  await window.reads(window.inspector, `C${call}`);
  await window.reads(window.inspector, whole(prompt.tokens));

  // The table begins with what cost most over the session.
  const { rows } = await strata.ask('event/page', {
    session: header.session,
    order: 'byLifetime',
    filter: '',
    offset: 0,
    limit: 1,
  });
  const first = window.events.getByRole('option').and(window.page.locator('[aria-posinset="1"]'));
  await window.reads(first, `E${rows[0].event}`);
  await window.reads(first, whole(rows[0].lifetimeTokens));
  await window.pictures('session');
});

journey(
  'the smallest window shows everything too',
  async (window) => {
    await window.openSample();
    // The inspector lies over the view here, and opens on demand.
    assert.equal(await window.inspector.count(), 0);
    await window.pictures('session-small');
    await window.press('i');
    await window.inspector.waitFor();
    await window.press('2', 'i');
    await window.stages.waitFor();
    await window.pictures('pipeline-small');
    const isScrolled = await window.page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    assert.equal(isScrolled, false, 'the page is not wider than the window');
  },
  { width: 980, height: 700 },
);
