import { screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import type { SessionRow } from '@/api/gen/api.ts';
import { ensureExists } from '@/lib/assert.ts';
import { formatCompact, formatUsd } from '@/model/format.ts';
import { sortSessions } from '@/model/session-table.ts';
import { recorded } from './recorded.ts';
import { fill, inspector, literally, openWindow } from './window.ts';

const ALL = { filter: '', offset: 0, limit: 500 } as const;

const table = (): Promise<HTMLElement> => screen.findByRole('listbox', { name: /sessions, sorted$/ });

async function shownTitles(): Promise<readonly string[]> {
  const rows = within(await table()).getAllByRole('option');
  const inOrder = rows.toSorted((a, b) => Number(a.ariaPosInSet) - Number(b.ariaPosInSet));
  return inOrder.map((row) => row.querySelector('.title')?.textContent.trim() ?? '');
}

async function lineOf({ title }: SessionRow): Promise<HTMLElement> {
  const found = within(await table()).getAllByText(new RegExp(`^${literally(title)}`));
  return ensureExists(found[0]?.closest<HTMLElement>('[role="option"]') ?? undefined, `the line of ${title}`);
}

describe('the list of all sessions', () => {
  test('is reached by key and left again', async () => {
    const { press, view } = openWindow();
    await inspector(/Call C17/);
    await press('{Alt>}{Shift>}{Home}{/Shift}{/Alt}');
    await table();
    expect(view().view).toBe('sessions');
    await press('{Escape}');
    expect(view()).toMatchObject({ view: 'session', session: 'invoice-triage' });
  });

  test('says what was reported of each, and what is not known', async () => {
    openWindow('#/invoice-triage/sessions');
    const { rows } = await recorded('session/list', ALL);
    const told = ensureExists(
      rows.find(({ reported }) => typeof reported?.cost === 'number'),
      'a session with a price',
    );
    const line = await lineOf(told);
    expect(line).toHaveTextContent(formatCompact(told.reported?.promptTokens ?? 0));
    expect(line).toHaveTextContent(formatUsd(told.reported?.cost ?? 0));
    const silent = ensureExists(
      rows.find(({ reported }) => reported === null),
      'a session without reports',
    );
    expect(await lineOf(silent)).toHaveTextContent(/–.*–.*–/);
  });

  test('is sorted by what is clicked, one way and the other', async () => {
    const { user, view } = openWindow('#/invoice-triage/sessions');
    const { rows } = await recorded('session/list', ALL);
    const titles = (isReversed: boolean): readonly string[] =>
      sortSessions(rows, 'tokens', isReversed).map(({ title }) => title);
    await table();
    const head = screen.getByRole('button', { name: /^Prompt tokens/ });
    await user.click(head);
    await waitFor(() => expect(view().sessionOrder).toBe('tokens'));
    await waitFor(async () => expect((await shownTitles())[0]).toContain(titles(false)[0]));
    await user.click(head);
    await waitFor(async () => expect((await shownTitles())[0]).toContain(titles(true)[0]));
    expect(head).toHaveTextContent('ascending');
  });

  test('is grouped and filtered', async () => {
    const { press, user, view } = openWindow('#/invoice-triage/sessions');
    const { rows } = await recorded('session/list', ALL);
    await table();
    await press('g');
    await waitFor(() => expect(view().grouping).toBe('tool'));
    const formats = new Set(rows.map(({ format }) => format));
    for (const format of formats)
      expect(within(await table()).getAllByText(format, { selector: 'b' })).toHaveLength(1);
    await fill(user, screen.getByRole('textbox', { name: 'Filter the sessions' }), 'no such session');
    await screen.findByText('No session matches no such session');
    await user.click(screen.getByRole('button', { name: 'Clear the filter' }));
    await table();
  });

  test('opens the session under the cursor, and compares two', async () => {
    const { press, view } = openWindow('#/invoice-triage/sessions');
    const { rows } = await recorded('session/list', ALL);
    const [first, second] = sortSessions(rows, 'when', false);
    const list = await table();
    list.focus();
    await press('{Home}');
    await press('x');
    await waitFor(() => expect(view().marked).toEqual([first?.session]));
    await press('j');
    await press('x');
    await waitFor(() => expect(view().marked).toEqual([first?.session, second?.session]));
    const compared = await screen.findByRole('region', { name: 'Two sessions' });
    expect(await within(compared).findByRole('rowheader', { name: 'Prompt tokens' })).toBeVisible();
    list.focus();
    await press('{Enter}');
    expect(view()).toMatchObject({ view: 'session', session: second?.session });
  });

  test('says what makes the difference between two, and leads there', async () => {
    const { rows } = await recorded('session/list', ALL);
    const [first, second] = sortSessions(rows, 'when', false).map(({ session }) => session);
    const sides = { a: ensureExists(first, 'a session'), b: ensureExists(second, 'another') };
    const { user, view } = openWindow(`#/invoice-triage/sessions?marked=${sides.a}~${sides.b}`);
    const compared = await screen.findByRole('region', { name: 'What makes the difference' });
    const byTokens = await recorded('session/compare', { ...sides, by: 'tokens', offset: 0, limit: 0 });
    const sum = byTokens.causes.reduce((tokens, cause) => tokens + cause.tokens, 0);
    expect(sum).toBe(byTokens.b.bill.promptTokens - byTokens.a.bill.promptTokens);
    const shown = (): readonly string[] =>
      [...compared.querySelectorAll('.title')].map((title) => title.textContent);
    expect(shown()).toEqual(byTokens.causes.map(({ title }) => title));
    await user.click(within(compared).getByRole('radio', { name: 'By cost' }));
    const byCost = await recorded('session/compare', { ...sides, by: 'cost', offset: 0, limit: 0 });
    await waitFor(() => expect(shown()).toEqual(byCost.causes.map(({ title }) => title)));
    const greatest = ensureExists(byCost.causes[0], 'a cause');
    await user.click(
      within(compared).getByRole('button', { name: new RegExp(`^${literally(greatest.title)}`) }),
    );
    const session = greatest.side === 'a' ? sides.a : sides.b;
    expect(view()).toMatchObject({ session, selection: `C${String(greatest.call)}` });
  });
});
