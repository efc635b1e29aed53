import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import type { SessionHeader } from '@/api/gen/api.ts';
import { ensureExists } from '@/lib/assert.ts';
import { formatCompact, formatCounted, formatInteger, formatPercent } from '@/model/format.ts';
import { recorded } from './recorded.ts';
import { fill, inspector, literally, LOCKED, openWindow } from './window.ts';

const SAMPLE = { session: 'invoice-triage' };
/** Titles of sessions of the list. */
const CODEX = 'Which file computes the tax?';
const TRANSCRIPT = 'Why does the total differ by a cent?';
/** A run that waits for a model which never answers. */
const SILENT_RUN = {
  ...SAMPLE,
  config: 'interval=5,overlap=0',
  prompt: null,
  writer: 'silent',
  model: null,
};

describe('the palette', () => {
  const field = (): HTMLElement => screen.getByRole('combobox', { name: 'Find, ask or run a command' });

  test('opens with places, questions and commands', async () => {
    const { press } = openWindow();
    await inspector(/Call C17/);
    await press('{Control>}k{/Control}');
    const dialog = await screen.findByRole('dialog');
    const groups = await within(dialog).findAllByRole('group');
    expect(groups.map((group) => group.getAttribute('aria-label'))).toEqual(['Questions', 'Commands']);
  });

  test('finds places in the backend and opens them', async () => {
    const { press, user, view } = openWindow();
    await inspector(/Call C17/);
    await press('{Control>}k{/Control}');
    await fill(user, field(), 'backfill');
    const { items } = await recorded('palette/search', { ...SAMPLE, query: 'backfill', limit: 8 });
    const { title, address } = ensureExists(items[1], 'a second place');
    const found = await screen.findByRole('option', { name: new RegExp(literally(title)) });
    expect(found).toHaveAttribute('aria-selected', 'false');
    await user.click(found);
    expect(view().selection).toBe(address);
    await press('{Control>}k{/Control}');
    expect(await screen.findByRole('group', { name: 'Recent places' })).toHaveTextContent(address);
  });

  test('finds words in other sessions and opens them there', async () => {
    const { press, user, view } = openWindow();
    await inspector(/Call C17/);
    await press('{Control>}k{/Control}');
    await fill(user, field(), 'It is tax.py');
    const group = await screen.findByRole('group', { name: 'In all sessions' });
    const [first] = within(group).getAllByRole('option');
    const option = ensureExists(first, 'a hit in another session');
    expect(option).toHaveTextContent('It is tax.py');
    expect(option.querySelector('mark')).toBeVisible();
    await user.click(option);
    expect(view()).toMatchObject({ session: 'codex', view: 'session', selection: 'E8' });
    await inspector(/E8/);
  });

  test('never has more than one search under way, and the latest wins', async () => {
    const { press, user, host } = openWindow('#/invoice-triage/session', { delayMs: 30 });
    await inspector(/Call C17/);
    await press('{Control>}k{/Control}');
    await user.type(field(), 'grep');
    await screen.findByRole('option', { name: /^grep tool/ });
    const asked = host.asked.filter(({ name }) => name === 'palette/search');
    expect(asked.length).toBeLessThanOrEqual('grep'.length);
    expect(asked.at(-1)?.params).toMatchObject({ query: 'grep' });
  });

  test('jumps to an address that was typed', async () => {
    const { press, user, view } = openWindow();
    await inspector(/Call C17/);
    await press('{Control>}p{/Control}');
    await fill(user, field(), 'C25/contents');
    await press('{Enter}');
    await waitFor(() => expect(view()).toMatchObject({ view: 'pipeline', cursor: 25, stage: 'contents' }));
  });

  test('runs commands, and shows their keys', async () => {
    const { press, user, view } = openWindow();
    await inspector(/Call C17/);
    await press('{Control>}k{/Control}');
    await fill(user, field(), '>in order');
    await press('{Enter}');
    expect(view().order).toBe('inOrder');
  });

  test('asks a question and shows its answer above the rows behind it', async () => {
    const { press, view } = openWindow();
    await inspector(/Call C17/);
    await press('q');
    expect(screen.getAllByRole('option', { name: /\?/ })).toHaveLength(28);
    await press('{Enter}');
    const question = 'costliestToolResult';
    const { text } = await recorded('palette/ask', { ...SAMPLE, question, cursor: 17 });
    expect(await screen.findByText(text, { selector: 'b' })).toBeVisible();
    expect(view()).toMatchObject({ selection: 'E7', filter: 'kind:result', order: 'byLifetime' });
  });

  test('answers of what several commands say, and ends at the proof', async () => {
    const { press, user, view } = openWindow();
    await inspector(/Call C17/);
    const ask = async (title: string): Promise<HTMLElement> => {
      await press('q');
      await user.paste(title);
      await press('{Enter}');
      const answer = await screen.findByText(new RegExp(`${title}.*\\?`), { selector: 'span.question' });
      return ensureExists(answer.parentElement, 'an answer');
    };

    const { title, fate } = await recorded('event/get', { ...SAMPLE, event: 7 });
    expect(await ask('When did this event enter')).toHaveTextContent(`E7 ${title}: ${fate}`);
    expect(view().selection).toBe('E7');

    const { agents } = await recorded('session/header', SAMPLE);
    const last = await recorded('call/get', { ...SAMPLE, call: 41 });
    const limit = ensureExists(agents.find(({ name }) => name === last.agent)?.contextWindow, 'a limit');
    expect(await ask('When will the context window overflow')).toHaveTextContent(
      `of ${formatCompact(limit.tokens)}`,
    );
    expect(view()).toMatchObject({ cursor: 41, selection: undefined });

    // The sample was run once.
    expect(await ask('What changed since the last run')).toHaveTextContent('No earlier run of this task');
    expect(view().view).toBe('sessions');

    const handOff = await ask('What did the other agent see at the hand-off');
    const { cursor, stage } = view();
    expect(stage).toBe('contents');
    const [caller, callee] = [cursor - 1, cursor].map((call) => recorded('call/get', { ...SAMPLE, call }));
    expect(handOff).toHaveTextContent((await ensureExists(caller, 'a call')).agent);
    expect(handOff).toHaveTextContent((await ensureExists(callee, 'a call')).agent);

    const edits = [{ edit: 'move_processor', processor: 'contents', before: 'interactions' }] as const;
    const swapped = await ask('What if I swap this processor');
    const { allCalls } = await recorded('experiment/preview', { ...SAMPLE, call: cursor, edits: [...edits] });
    expect(allCalls.callsChanged).toBe(0);
    expect(swapped).toHaveTextContent('contents before interactions: no request changes');
    expect(view().session).toBe('invoice-triage');

    expect(await ask('What does the summary lose')).toHaveTextContent('No summary is written yet');
    expect(view().view).toBe('lab');
  });

  test('filters events', async () => {
    const { press, user, view } = openWindow();
    await inspector(/Call C17/);
    await press('{Control>}k{/Control}');
    await fill(user, field(), ':kind:user');
    await press('{Enter}');
    expect(view().filter).toBe('kind:user');
  });
});

describe('sessions', () => {
  test('are listed, opened and removed after a second word', async () => {
    const { user, view } = openWindow();
    await user.click(await screen.findByRole('button', { name: /invoice-triage/ }));
    const menu = await screen.findByRole('dialog', { name: 'Sessions' });
    await user.click(await within(menu).findByRole('button', { name: `Remove ${CODEX} from the list` }));
    const question = within(menu).getByRole('alertdialog');
    expect(question).toHaveTextContent('Its file is not touched');
    await user.click(within(question).getByRole('button', { name: 'Remove' }));
    await waitFor(() => expect(within(menu).queryByText(CODEX)).toBeNull());
    await user.click(within(menu).getByRole('button', { name: new RegExp(`^${literally(TRANSCRIPT)}`) }));
    expect(view().session).toBe('claude-code');
    const { diagnostics } = await recorded('session/header', { session: 'claude-code' });
    const notes = formatCounted(diagnostics.length, 'note');
    expect(await screen.findByRole('button', { name: new RegExp(notes) })).toBeVisible();
  });

  test('are found by typing', async () => {
    const { user } = openWindow();
    await user.click(await screen.findByRole('button', { name: /invoice-triage/ }));
    await fill(user, await screen.findByRole('textbox', { name: 'Find a session' }), 'by a cent');
    const menu = screen.getByRole('dialog', { name: 'Sessions' });
    const stored = within(menu).getByRole('list', { name: 'Stored sessions' });
    await waitFor(() => expect(within(stored).getAllByRole('listitem')).toHaveLength(1));
  });

  test('say what was found in their file', async () => {
    const { user } = openWindow('#/claude-code/session');
    await user.click(await screen.findByRole('button', { name: /\d notes?/ }));
    const notes = await screen.findByRole('dialog', { name: 'What was found while reading the file' });
    const { diagnostics, unmapped } = await recorded('session/header', { session: 'claude-code' });
    expect(diagnostics.map(({ code }) => code)).toContain('truncated');
    for (const { message, at } of diagnostics) {
      expect(notes).toHaveTextContent(message);
      expect(notes).toHaveTextContent(at);
    }
    for (const { name } of unmapped) expect(notes).toHaveTextContent(name);
  });

  test('are imported with progress, and open when done', async () => {
    const { press, view, host } = openWindow('#/invoice-triage/session', { isHeld: true });
    await inspector(/Call C17/);
    await press('{Control>}o{/Control}');
    await waitFor(() => expect(host.asked.at(-1)?.name).toBe('session/import'));
    await waitFor(() => expect(host.play()).toMatchObject({ type: 'job', job: { state: 'running' } }));
    expect(await screen.findByText('Importing picked.jsonl')).toBeVisible();
    expect(view().session).toBe('invoice-triage');
    for (let next = host.play(); next !== undefined; next = host.play());
    await waitFor(() => expect(view().session).toBe('picked'));
    const { jobs } = await host.invoke('job/list', {});
    expect(screen.getByText(ensureExists(jobs[0]?.outcome, 'what came of it'))).toBeVisible();
    await inspector(/Call C/);
  });

  test('are imported until that is cancelled', async () => {
    const { press, host } = openWindow('#/invoice-triage/lab?config=interval=5,overlap=0');
    await screen.findByText(/rests on the size/);
    await host.invoke('lab/run', SILENT_RUN);
    const { jobs } = await host.invoke('job/list', {});
    expect(await screen.findByText(ensureExists(jobs.at(-1), 'a job').title)).toBeVisible();
    await press('{Escape}');
    await waitFor(() => expect(host.asked.some(({ name }) => name === 'job/cancel')).toBe(true));
    const ended = (await host.invoke('job/list', {})).jobs.at(-1);
    expect(ended?.state).toBe('cancelled');
    expect(await screen.findByText(ensureExists(ended?.outcome, 'what came of it'))).toBeVisible();
  });

  test('are dropped on the window, which says what will happen', async () => {
    const { view } = openWindow();
    await inspector(/Call C17/);
    const dataTransfer = { types: ['Files'], files: [new File(['{}'], 'picked.jsonl')] };
    await fireEvent(window, Object.assign(new Event('dragenter'), { dataTransfer }));
    expect(await screen.findByText('Drop to read the files as sessions')).toBeVisible();
    await fireEvent(window, Object.assign(new Event('drop'), { dataTransfer }));
    expect(screen.queryByText('Drop to read the files as sessions')).toBeNull();
    await waitFor(() => expect(view().session).toBe('picked'));
  });

  test('open another one when told to', async () => {
    const { host, view } = openWindow();
    await inspector(/Call C17/);
    host.notify({ type: 'open', session: 'claude-code' });
    expect(view().session).toBe('claude-code');
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
    const { user, host } = openWindow('#/orders/session', { picked: 'orders.app.json' });
    const { app } = await recorded('session/header', { session: 'orders' });
    const { prompt: inferred } = await recorded('call/get', { session: 'orders', call: 2 });
    await user.click(await screen.findByRole('button', { name: 'App: inferred' }));
    const dialog = await screen.findByRole('dialog', { name: 'App configuration' });
    for (const note of app.notes) expect(dialog).toHaveTextContent(note);
    await user.click(within(dialog).getByRole('button', { name: /Choose/ }));
    await user.click(await screen.findByRole('button', { name: 'App: orders' }));
    const { prompt } = await host.invoke('call/get', { session: 'orders', call: 2 });
    expect(prompt.tokens).not.toBe(inferred.tokens);
    const panel = await inspector(/Call C2/);
    await waitFor(() => expect(panel).toHaveTextContent(`${formatInteger(prompt.tokens)} tokens`));
    expect(await screen.findByText('/strata/files/orders.app.json')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Go back to what is inferred' }));
    expect(await screen.findByRole('button', { name: 'App: inferred' })).toBeVisible();
  });
});

describe('states', () => {
  test('failed: what failed, what was kept, what to do', async () => {
    openWindow('#/invoice-triage/session', { failing: { 'event/page': LOCKED } });
    const failed = await screen.findByRole('alert');
    expect(failed).toHaveTextContent('Events: the database cannot be used');
    expect(failed).toHaveTextContent(LOCKED.message);
    expect(within(failed).getByRole('button', { name: 'Retry' })).toBeVisible();
    expect(within(failed).getByText('SQLITE_BUSY')).toBeInTheDocument();
  });

  test('failed at the start', async () => {
    openWindow('#/', { failing: { 'app/start': LOCKED } });
    expect(await screen.findByRole('alert')).toHaveTextContent('The database cannot be used');
  });

  test('a session that is gone offers the sample', async () => {
    const { user, view } = openWindow('#/gone/session');
    expect(await screen.findByRole('alert')).toHaveTextContent('This session is no longer in the store');
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
    const halfWay = (header: SessionHeader): SessionHeader => ({ ...header, compiledCalls: 20 });
    const { host } = openWindow('#/invoice-triage/session', {
      changed: { 'session/open': halfWay, 'session/header': halfWay },
    });
    expect(await screen.findByText('20 of 41 calls compiled')).toBeVisible();
    expect(await screen.findByText(/calls compiled so far/)).toBeVisible();
    host.notify({ type: 'analysis', ...SAMPLE, compiledCalls: 30, calls: 41 });
    expect(await screen.findByText('30 of 41 calls compiled')).toBeVisible();
    host.notify({ type: 'analysis', ...SAMPLE, compiledCalls: 41, calls: 41 });
    await waitFor(() => expect(screen.queryByText(/calls compiled/)).toBeNull());
  });

  test('unpaid: what nobody paid for is in no share of a cache', async () => {
    const unpaidTokens = 500_000;
    const withFailed = (header: SessionHeader): SessionHeader => ({
      ...header,
      bill: { ...header.bill, unpaidCalls: 3, unpaidTokens },
    });
    openWindow('#/invoice-triage/session', {
      changed: { 'session/open': withFailed, 'session/header': withFailed },
    });
    const { bill } = await recorded('session/header', SAMPLE);
    const share = formatPercent(bill.cachedTokens / (bill.promptTokens - unpaidTokens));
    const strip = await screen.findByLabelText('The session');
    await waitFor(() => expect(strip).toHaveTextContent(share));
    expect(await screen.findByText(new RegExp(`^${literally(share)} cached,`))).toBeVisible();
  });

  test('stuck: the rest of the window goes on', async () => {
    const { press, view } = openWindow('#/invoice-triage/session', { stuck: ['event/page'] });
    await inspector(/Call C17/);
    expect(screen.queryByRole('option', { name: /^E7 / })).toBeNull();
    await press('{ArrowLeft}');
    await inspector(/Call C16/);
    expect(view().cursor).toBe(16);
  });

  test('a step along the calls waits until it is known where the cursor is', async () => {
    const { press, view } = openWindow('#/invoice-triage/session', { stuck: ['call/columns'] });
    const strip = await screen.findByRole('slider', { name: /^Prompt tokens of 41 calls/ });
    await press('{ArrowRight}');
    expect(view().cursor).toBe(0);
    expect(strip).not.toHaveAttribute('aria-valuetext');
  });

  test('deaf: what a job came to is seen without being told', async () => {
    openWindow('#/invoice-triage/lab', { isDeaf: true });
    await screen.findByRole('listbox', { name: /^Configurations as a map/ });
  });

  test('failures of acts are told in a bar and stay until read', async () => {
    const { press, user } = openWindow('#/invoice-triage/session', { failing: { 'palette/ask': LOCKED } });
    await inspector(/Call C17/);
    await press('q{Enter}');
    const bar = await screen.findByRole('alert');
    expect(bar).toHaveTextContent(LOCKED.message);
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
