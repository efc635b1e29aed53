import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import type { Failure } from '@/api/client.ts';
import { inspector, openWindow } from './window.ts';

const locked: Failure = {
  code: 'store',
  message: 'The database is locked. Nothing is lost. Close the other program, then retry.',
  detail: 'SQLITE_BUSY',
};

describe('the palette', () => {
  const field = (): HTMLElement => screen.getByRole('combobox', { name: 'Find, ask or run a command' });

  test('opens with places, questions and commands', async () => {
    const { press } = openWindow();
    await inspector(/Call C17/);
    await press('{Control>}k{/Control}');
    const groups = (await screen.findAllByRole('group')).map((group) => group.getAttribute('aria-label'));
    expect(groups).toEqual(['Questions', 'Commands']);
  });

  test('finds places in the backend and opens them', async () => {
    const { press, user, view } = openWindow();
    await inspector(/Call C17/);
    await press('{Control>}k{/Control}');
    await user.type(field(), 'backfill');
    const found = await screen.findByRole('option', { name: /Run the backfill query on staging/ });
    expect(found).toHaveAttribute('aria-selected', 'false');
    await user.click(found);
    expect(view().selection).toBe('E56');
    await press('{Control>}k{/Control}');
    expect(await screen.findByRole('group', { name: 'Recent places' })).toHaveTextContent('E56');
  });

  test('finds words in other sessions and opens them there', async () => {
    const { press, user, view, host } = openWindow();
    await inspector(/Call C17/);
    const { rows } = await host.invoke('session/list', { filter: '', offset: 0, limit: 9 });
    const other = rows.find(({ isSample }) => !isSample)?.session ?? '';
    const filters = { session: other, agent: null, tool: null, after: null };
    const { hits } = await host.invoke('search/find', { query: 'a', ...filters, limit: 1 });
    const text = hits[0]?.snippet.map((piece) => piece.text).join('') ?? '';
    expect(text).not.toBe('');
    await press('{Control>}k{/Control}');
    field().focus();
    await user.paste(text);
    const group = await screen.findByRole('group', { name: 'In all sessions' });
    const [first] = within(group).getAllByRole('option');
    expect(first?.querySelector('mark')).toBeVisible();
    if (first !== undefined) await user.click(first);
    expect(view()).toMatchObject({ session: other, view: 'session' });
    expect(view().selection).toMatch(/^E\d+$/);
  });

  test('never has more than one search under way, and the latest wins', async () => {
    const { press, user, host } = openWindow('#/invoice-triage/session', { delayMs: 30 });
    await inspector(/Call C17/);
    await press('{Control>}k{/Control}');
    await user.type(field(), 'sql_query');
    await screen.findByRole('option', { name: 'sql_query tool' });
    const asked = host.asked.filter(({ name }) => name === 'palette/search');
    expect(asked.length).toBeLessThan(9);
    expect(asked.at(-1)?.params).toMatchObject({ query: 'sql_query' });
  });

  test('jumps to an address that was typed', async () => {
    const { press, user, view } = openWindow();
    await inspector(/Call C17/);
    await press('{Control>}p{/Control}');
    await user.type(field(), 'C25/contents{Enter}');
    await waitFor(() => expect(view()).toMatchObject({ view: 'pipeline', cursor: 25, stage: 'contents' }));
  });

  test('runs commands, and shows their keys', async () => {
    const { press, user, view } = openWindow();
    await inspector(/Call C17/);
    await press('{Control>}k{/Control}');
    await user.type(field(), '>in order');
    await user.keyboard('{Enter}');
    expect(view().order).toBe('inOrder');
  });

  test('asks a question and shows its answer above the rows behind it', async () => {
    const { press, view } = openWindow();
    await inspector(/Call C17/);
    await press('q');
    expect(screen.getAllByRole('option', { name: /\?/ })).toHaveLength(10);
    await press('{Enter}');
    const answer = await screen.findByText(/E7 search_logs, 11,940 tokens in 14 calls/, { selector: 'b' });
    expect(answer).toBeVisible();
    expect(view()).toMatchObject({ selection: 'E7', filter: 'kind:result', order: 'byLifetime' });
  });

  test('filters events', async () => {
    const { press, user, view } = openWindow();
    await inspector(/Call C17/);
    await press('{Control>}k{/Control}');
    await user.type(field(), ':kind:user{Enter}');
    expect(view().filter).toBe('kind:user');
  });
});

describe('sessions', () => {
  test('are listed, opened and removed after a second word', async () => {
    const { user, view } = openWindow();
    await user.click(await screen.findByRole('button', { name: /invoice-triage/ }));
    const menu = await screen.findByRole('dialog', { name: 'Sessions' });
    await user.click(await within(menu).findByRole('button', { name: 'Remove nightly-run from the list' }));
    const question = within(menu).getByRole('alertdialog');
    expect(question).toHaveTextContent('Its file is not touched');
    await user.click(within(question).getByRole('button', { name: 'Remove' }));
    await waitFor(() => expect(within(menu).queryByText('nightly-run')).toBeNull());
    await user.click(within(menu).getByRole('button', { name: /^support-desk/ }));
    expect(view().session).toBe('support-desk');
    expect(await screen.findByRole('button', { name: /3 notes/ })).toBeVisible();
  });

  test('are found by typing', async () => {
    const { user } = openWindow();
    await user.click(await screen.findByRole('button', { name: /invoice-triage/ }));
    await user.type(await screen.findByRole('textbox', { name: 'Find a session' }), 'support');
    const menu = screen.getByRole('dialog', { name: 'Sessions' });
    const stored = within(menu).getByRole('list', { name: 'Stored sessions' });
    await waitFor(() => expect(within(stored).getAllByRole('listitem')).toHaveLength(1));
  });

  test('say what was found in their file', async () => {
    const { user } = openWindow('#/support-desk/session');
    await user.click(await screen.findByRole('button', { name: /3 notes/ }));
    const notes = await screen.findByRole('dialog', { name: 'What was found while reading the file' });
    expect(notes).toHaveTextContent('Record 361 is cut off. 360 events opened.');
    expect(notes).toHaveTextContent('line 361');
  });

  test('are imported with progress, can be cancelled, and open when done', async () => {
    const { press, view } = openWindow();
    await inspector(/Call C17/);
    await press('{Control>}o{/Control}');
    expect(await screen.findByText('Importing support-desk.json')).toBeVisible();
    await press('{Escape}');
    expect(await screen.findByText('Cancelled. What was read stays.')).toBeVisible();
    await press('{Control>}o{/Control}');
    await waitFor(() => expect(view().session).toMatch(/^imported/), { timeout: 6000 });
    expect(screen.getByText(/1 session with 180 events read/)).toBeVisible();
  }, 10_000);

  test('are dropped on the window, which says what will happen', async () => {
    openWindow();
    await inspector(/Call C17/);
    const dataTransfer = { types: ['Files'], files: [new File(['{}'], 'run.json')] };
    await fireEvent(window, Object.assign(new Event('dragenter'), { dataTransfer }));
    expect(await screen.findByText('Drop to read the files as sessions')).toBeVisible();
    await fireEvent(window, Object.assign(new Event('drop'), { dataTransfer }));
    expect(screen.queryByText('Drop to read the files as sessions')).toBeNull();
    expect(await screen.findByText('Importing run.json')).toBeVisible();
  });

  test('open another one when told to', async () => {
    const { host, view } = openWindow();
    await inspector(/Call C17/);
    host.notify({ type: 'open', session: 'support-desk' });
    expect(view().session).toBe('support-desk');
  });

  test('are introduced once, if they are the sample', async () => {
    const { user, host } = openWindow();
    expect(await screen.findByText(/This is a sample session/)).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Close this bar for good' }));
    expect(screen.queryByText(/This is a sample session/)).toBeNull();
    expect(host.asked.at(-1)?.params).toMatchObject({ settings: { isSampleBarDismissed: true } });
  });
});

describe('the configuration', () => {
  test('can be chosen, and given up again', async () => {
    const { user, host } = openWindow('#/support-desk/session');
    await user.click(await screen.findByRole('button', { name: 'App: inferred' }));
    const dialog = await screen.findByRole('dialog', { name: 'App configuration' });
    expect(dialog).toHaveTextContent('Agents and tools are those seen in the events.');
    await user.click(within(dialog).getByRole('button', { name: /Choose/ }));
    expect(await screen.findByRole('button', { name: /App: .*support-desk.json/ })).toBeVisible();
    expect(host.asked.find(({ name }) => name === 'session/setApp')?.params).toMatchObject({
      session: 'support-desk',
    });
  });
});

describe('states', () => {
  test('failed: what failed, what was kept, what to do', async () => {
    openWindow('#/invoice-triage/session', { failing: { 'event/page': locked } });
    const failed = await screen.findByRole('alert');
    expect(failed).toHaveTextContent('Events: the database cannot be used');
    expect(failed).toHaveTextContent(locked.message);
    expect(within(failed).getByRole('button', { name: 'Retry' })).toBeVisible();
    expect(within(failed).getByText('SQLITE_BUSY')).toBeInTheDocument();
  });

  test('failed at the start', async () => {
    openWindow('#/', { failing: { 'app/start': locked } });
    expect(await screen.findByRole('alert')).toHaveTextContent('The database cannot be used');
  });

  test('a session that is gone offers the sample', async () => {
    const { user, view } = openWindow('#/gone/session');
    expect(await screen.findByRole('alert')).toHaveTextContent('gone is not in the database any more');
    await user.click(await screen.findByRole('button', { name: 'Open the sample' }));
    expect(view().session).toBe('invoice-triage');
    await inspector(/Call C17/);
  });

  test('empty', async () => {
    const { user, view } = openWindow('#/empty/session');
    expect(await screen.findByText(/No model calls yet/)).toBeVisible();
    await user.click(await screen.findByRole('button', { name: 'Open the sample' }));
    expect(view().session).toBe('invoice-triage');
  });

  test('partial: how many calls are compiled', async () => {
    openWindow('#/support-desk/session', { isCompiling: true });
    expect(await screen.findByText(/of 120 calls compiled$/)).toBeVisible();
    await waitFor(() => expect(screen.getByText(/calls compiled so far/)).toBeVisible());
  });

  test('failures of acts are told in a bar and stay until read', async () => {
    const { press, user } = openWindow('#/invoice-triage/session', { failing: { 'palette/ask': locked } });
    await inspector(/Call C17/);
    await press('q{Enter}');
    const bar = await screen.findByRole('alert');
    expect(bar).toHaveTextContent(locked.message);
    await user.click(within(bar).getByRole('button', { name: 'Close' }));
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

describe('the look', () => {
  test('changes theme, rows and patterns, and stores them', async () => {
    const { user, press, host } = openWindow();
    await inspector(/Call C17/);
    expect(document.documentElement).toHaveAttribute('data-theme', 'dark');
    await user.click(screen.getByRole('button', { name: /^Look/ }));
    await user.click(await screen.findByRole('radio', { name: 'Light' }));
    await waitFor(() => expect(document.documentElement).toHaveAttribute('data-theme', 'light'));
    await user.click(screen.getByRole('checkbox', { name: 'Patterns beside colours' }));
    expect(host.asked.at(-1)?.params).toMatchObject({ settings: { theme: 'light', hasPatterns: true } });
    await press('{Escape}');
    await press('{Control>}{Shift>}L{/Shift}{/Control}');
    expect(host.asked.at(-1)?.params).toMatchObject({ settings: { theme: 'system' } });
  });
});

test('the keys of the view are shown', async () => {
  const { press } = openWindow();
  await inspector(/Call C17/);
  await press('?');
  const dialog = await screen.findByRole('dialog', { name: 'Keys' });
  expect(dialog).toHaveTextContent('Fit the selection');
  expect(dialog).not.toHaveTextContent('Next changed stage');
});

test('letters act only outside of fields', async () => {
  const { user, view } = openWindow();
  await user.type(await screen.findByRole('combobox', { name: 'Filter events' }), '2b');
  expect(view().view).toBe('session');
  expect(view().cursor).toBe(0);
});
