import { screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import { ensureExists } from '@/lib/assert.ts';
import { avoidableSentence } from '@/model/breaks.ts';
import { formatInteger } from '@/model/format.ts';
import { recorded } from './recorded.ts';
import { inspector, LOCKED, openWindow } from './window.ts';

const SAMPLE = { session: 'invoice-triage' };
const C17 = { ...SAMPLE, call: 17 };
const BREAKS = { ...SAMPLE, order: 'byCost', offset: 0, limit: 200 } as const;

const breaks = (): HTMLElement => screen.getByRole('region', { name: 'Cache losses' });
const ladder = (): HTMLElement => screen.getByRole('region', { name: 'Prefix ladder' });
const difference = (): HTMLElement =>
  screen.getByRole('region', { name: 'Difference from the prompt before' });

describe('the cache view', () => {
  test('lists losses, the avoidable ones first, and says what they come to', async () => {
    openWindow('#/invoice-triage/cache');
    const rows = await within(breaks()).findAllByRole('option');
    const { rows: broken, summary, total } = await recorded('cache/breaks', BREAKS);
    expect(rows).toHaveLength(total);
    expect(rows[0]).toHaveTextContent(/^C17 ◆ avoidable, state in the instruction/);
    expect(rows[1]).toHaveTextContent(/^C31 ◆/);
    broken.forEach(({ rebilledTokens }, at) => {
      expect(rows[at]).toHaveTextContent(formatInteger(rebilledTokens));
    });
    expect(rows[0]).toHaveAttribute('aria-selected', 'true');
    expect(breaks()).toHaveTextContent('C17 and C31 are avoidable.');
    expect(breaks()).toHaveTextContent(avoidableSentence(summary));
  });

  test('orders them, and says so in the address', async () => {
    const { press, view } = openWindow('#/invoice-triage/cache');
    await within(breaks()).findAllByRole('option');
    await press('s');
    await waitFor(() => expect(view().breakOrder).toBe('inOrder'));
    const second = () => within(breaks()).getAllByRole('option')[1];
    await waitFor(() => expect(second()).toHaveTextContent(/^C18 /));
  });

  test('walks the losses of the list and of the session', async () => {
    const { press, view } = openWindow('#/invoice-triage/cache?call=17');
    await within(breaks()).findAllByRole('option');
    await press('j');
    await waitFor(() => expect(view().cursor).toBe(31));
    await press('k');
    await waitFor(() => expect(view().cursor).toBe(17));
    await press('b');
    await waitFor(() => expect(view().cursor).toBeGreaterThan(17));
    expect(view().cursor).toBeLessThan(31);
    await press('{Shift>}b{/Shift}');
    await waitFor(() => expect(view().cursor).toBe(17));
  });

  test('shows every prompt as a rung, with its size and what was cached of it', async () => {
    const { user, view } = openWindow('#/invoice-triage/cache?call=17');
    const { bill } = await recorded('cache/why', C17);
    const rung = await within(ladder()).findByRole('option', { name: /^C17 / });
    expect(rung).toHaveTextContent(formatInteger(bill.promptTokens));
    expect(rung).toHaveTextContent(`avoidable cache loss at token ${formatInteger(bill.cachedTokens)}`);
    expect(rung).toHaveAttribute('aria-setsize', '41');
    await user.click(within(ladder()).getByRole('option', { name: /^C16 / }));
    await waitFor(() => expect(view().cursor).toBe(16));
    await inspector(/C16 extends C15/);
  });

  test('shows the prompts of one agent, and magnifies the break', async () => {
    const { press, view } = openWindow('#/invoice-triage/cache?call=17');
    await within(ladder()).findByRole('option', { name: /^C17 / });
    await press('g');
    await waitFor(() => expect(view().ladder).toBe('agent'));
    const options = within(ladder()).getAllByRole('option');
    expect(Number(options[0]?.getAttribute('aria-setsize'))).toBeLessThan(41);
    await press('z');
    await waitFor(() => expect(view().isZoomed).toBe(true));
    expect(within(ladder()).getByRole('radio', { name: 'Zoom at break' })).toBeChecked();
  });

  test('says why, what it cost, and what would help', async () => {
    openWindow('#/invoice-triage/cache?call=17');
    const panel = await inspector(/Why C17 missed/);
    const { prefixBreak, rule, zones } = await recorded('cache/why', C17);
    const { row, sentence, chain, couldHaveTokens } = ensureExists(prefixBreak, 'C17 breaks the prefix');
    expect(panel).toHaveTextContent(sentence);
    for (const { text } of chain) expect(panel).toHaveTextContent(text);
    expect(panel).toHaveTextContent(`Could have been cached ${formatInteger(couldHaveTokens)} tokens`);
    expect(panel).toHaveTextContent(`Billed again ${formatInteger(row.rebilledTokens)} tokens`);
    for (const { meaning } of zones) expect(panel).toHaveTextContent(meaning);
    expect(panel).toHaveTextContent(rule.name);
    const { rows: fixes } = await recorded('cache/fixes', SAMPLE);
    await waitFor(() => expect(panel).toHaveTextContent('Fixes, replayed on all 41 calls'));
    const best = ensureExists(fixes[0], 'a fix');
    expect(panel).toHaveTextContent(best.title);
    expect(panel).toHaveTextContent(`−${formatInteger(best.savesTokens)} tokens`);
  });

  test('says what the provider reported, where that differs', async () => {
    openWindow('#/claude-code/cache?call=3');
    const { reported } = await recorded('cache/why', { session: 'claude-code', call: 3 });
    const { difference: words } = ensureExists(reported, 'what was reported for C3');
    expect(await inspector(/C3/)).toHaveTextContent(ensureExists(words, 'a difference'));
  });

  test('shows the first difference token by token and line by line', async () => {
    openWindow('#/invoice-triage/cache?call=17');
    const { shown, sameTokens } = await recorded('cache/difference', { ...C17, number: 1 });
    const { atToken, before, after } = ensureExists(shown, 'the first difference');
    await within(difference()).findByText(`First difference, token ${formatInteger(atToken)}`, {
      exact: false,
    });
    const groups = within(difference()).getAllByRole('group', { name: /^Tokens of/ });
    [before, after].forEach((tokens, at) => {
      const text = tokens.map((token) => token.text).join('');
      const isSpace = /[\s⏎␣]+/g;
      expect(groups[at]?.textContent?.replace(isSpace, '')).toContain(text.replace(isSpace, ''));
    });
    expect(difference()).toHaveTextContent(`Same as C16 ${formatInteger(sameTokens)} tokens`);
  });

  test('says that a first prompt has none before it', async () => {
    openWindow('#/invoice-triage/cache?call=1');
    expect(await screen.findByText(/C1 is the first prompt of this agent/)).toBeVisible();
  });

  test('is glad when nothing was lost', async () => {
    openWindow('#/steady/cache');
    expect(await screen.findByText(/Every prompt extends the one before\. Nothing to fix\./)).toBeVisible();
  });

  test('forgets what was selected, and comes back to the call when it is', async () => {
    const { press, view } = openWindow('#/invoice-triage/session?call=17&at=E7');
    await inspector(/search_logs result/);
    await press('3');
    await inspector(/Why C17 missed/);
    expect(view().selection).toBeUndefined();
  });

  test('leads here from the note of a call', async () => {
    const { user, view } = openWindow('#/invoice-triage/session?call=17');
    await inspector(/Call C17/);
    await user.click(screen.getByRole('button', { name: 'Open in Cache' }));
    await waitFor(() => expect(view()).toMatchObject({ view: 'cache', cursor: 17 }));
  });

  test('offers to try again what failed', async () => {
    openWindow('#/invoice-triage/cache?call=17', {
      failing: { 'cache/breaks': LOCKED },
    });
    expect(await within(breaks()).findByRole('button', { name: 'Retry' })).toBeVisible();
  });
});
