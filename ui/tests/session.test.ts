import { screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import { ensureExists } from '@/lib/assert.ts';
import { formatCompact, formatInteger, formatPercent, formatSigned, formatUsd } from '@/model/format.ts';
import { recorded } from './recorded.ts';
import { fill, inspector, openWindow } from './window.ts';

const SAMPLE = { session: 'invoice-triage' };
const E7 = { ...SAMPLE, event: 7 };
const TABLE = { ...SAMPLE, filter: '', offset: 0, limit: 200 };

const row = (name: RegExp): Promise<HTMLElement> => screen.findByRole('option', { name });

describe('the session view', () => {
  test('lists events by lifetime cost, with their place in the list', async () => {
    openWindow();
    const first = await row(/^E7 C3 log_analyst result search_logs/);
    expect(first).toHaveAttribute('aria-posinset', '1');
    expect(first).toHaveAttribute('aria-setsize', '84');
    const { row: event } = await recorded('event/get', E7);
    expect(first).toHaveTextContent(formatInteger(event.lifetimeTokens));
    expect(event.lifetimeTokens).toBeGreaterThan(event.tokens);
  });

  test('is not kept up to date while another view is shown', async () => {
    const { host, user } = openWindow('#/invoice-triage/pipeline?call=17');
    const asked = (of: string): number => host.asked.filter(({ name }) => name === of).length;
    await waitFor(() => expect(asked('call/stages')).toBe(1));
    host.notify({ type: 'changed', session: 'invoice-triage' });
    await waitFor(() => expect(asked('call/stages')).toBe(2));
    await inspector(/Call C17/);
    expect(asked('event/page')).toBe(0);
    await user.click(screen.getByRole('link', { name: 'Session' }));
    await row(/^E7 /);
    expect(asked('event/page')).toBeGreaterThan(0);
  });

  test('sorts and filters, and says so in the address', async () => {
    const { user, view } = openWindow();
    await row(/^E7 /);
    await user.click(screen.getByRole('radio', { name: 'In order' }));
    expect(await row(/^E1 /)).toHaveAttribute('aria-posinset', '1');
    expect(view().order).toBe('inOrder');
    await fill(user, screen.getByRole('combobox', { name: 'Filter events' }), 'kind:user');
    expect(await screen.findByText('14 of 84')).toBeVisible();
    await waitFor(() => expect(view().filter).toBe('kind:user'));
  });

  test('completes a filter and shows its words as chips', async () => {
    const { user, view } = openWindow();
    const field = await screen.findByRole('combobox', { name: 'Filter events' });
    await fill(user, field, 'tool:sql');
    await user.click(await screen.findByRole('option', { name: /tool:sql_query/ }));
    await waitFor(() => expect(view().filter).toBe('tool:sql_query '));
    field.blur();
    await user.click(await screen.findByRole('button', { name: 'Remove tool:sql_query' }));
    expect(view().filter).toBe('');
  });

  test('says what does not match and what may have been meant', async () => {
    const { user, view } = openWindow('#/invoice-triage/session?filter=tool:serch_logs');
    expect(await screen.findByText('No events match tool:serch_logs')).toBeVisible();
    await user.click(screen.getByRole('button', { name: /Did you mean tool:search_logs/ }));
    expect(view().filter).toBe('tool:search_logs');
    await row(/^E7 /);
  });

  test('moves with the keys: the selection, not the cursor', async () => {
    const { press, view } = openWindow();
    await row(/^E7 /);
    await press('j');
    await waitFor(() => expect(screen.getByRole('option', { selected: true })).toHaveTextContent(/^E7/));
    await press('jj{ArrowDown}k');
    const { rows } = await recorded('event/page', { ...TABLE, order: 'byLifetime' });
    const third = `E${String(rows[2]?.event)}`;
    await waitFor(() => expect(screen.getByRole('option', { selected: true })).toHaveTextContent(third));
    await waitFor(() => expect(view().selection).toBe(third));
    expect(view().cursor).toBe(0);
  });

  test('goes back over a whole walk at once', async () => {
    const { press, page } = openWindow();
    await row(/^E7 /);
    await press('jjjj');
    await waitFor(() => expect(page.entries).toHaveLength(2));
    await press('{Alt>}{ArrowLeft}{/Alt}');
    await waitFor(() => expect(screen.queryByRole('option', { selected: true })).toBeNull());
  });

  test('opens an event where it was first sent', async () => {
    const { press, view } = openWindow('#/invoice-triage/session?at=E7');
    await inspector('search_logs result E7');
    await press('{Enter}');
    await waitFor(() => expect(view().cursor).toBe(4));
    expect(screen.getByRole('slider', { name: /^Prompt tokens/ })).toHaveAttribute('aria-valuenow', '4');
  });

  test('moves the cursor over the calls and from landmark to landmark', async () => {
    const { press, view } = openWindow();
    await row(/^E7 /);
    await press('{ArrowLeft}');
    await waitFor(() => expect(view().cursor).toBe(16));
    const { bill } = await recorded('call/get', { ...SAMPLE, call: 16 });
    const cached = formatPercent(bill.cachedTokens / bill.promptTokens);
    expect(screen.getByRole('slider', { name: /^Prompt tokens/ })).toHaveAttribute(
      'aria-valuetext',
      `C16, ${formatInteger(bill.promptTokens)} tokens, ${cached} cached`,
    );
    await press('b');
    await waitFor(() => expect(view().cursor).toBe(17));
    await press('c');
    await waitFor(() => expect(view().cursor).toBe(18));
    await press('{Shift>}H{/Shift}');
    await waitFor(() => expect(view().cursor).toBe(3));
  });

  test('draws, commits and leaves a range', async () => {
    const { press, user, view } = openWindow('#/invoice-triage/session?call=4');
    await row(/^E7 /);
    await press('{Shift>}{ArrowRight}{ArrowRight}{/Shift}r');
    await waitFor(() => expect(view().ranges).toEqual([{ from: 4, to: 6 }]));
    expect(await screen.findByText('in range')).toBeVisible();
    const prompts = await Promise.all([4, 5, 6].map((call) => recorded('call/get', { ...SAMPLE, call })));
    const tokens = prompts.reduce((sum, { prompt }) => sum + prompt.tokens, 0);
    expect(await screen.findByText(new RegExp(`^(≈ )?${formatCompact(tokens)}$`))).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Leave the range C4–C6' }));
    expect(view().ranges).toEqual([]);
  });

  test('gives up one thing after the other with Escape', async () => {
    const { press, view } = openWindow('#/invoice-triage/session?at=E7&range=4..17');
    await row(/^E7 /);
    await press('{Escape}');
    expect(view().selection).toBeUndefined();
    await press('{Escape}');
    expect(view().ranges).toEqual([]);
  });

  test('is described in a sentence where it is a picture', async () => {
    openWindow('#/invoice-triage/session?at=E7');
    await inspector('search_logs result E7');
    const map = screen.getByRole('slider', { name: /^Context map/ });
    await waitFor(() => expect(map).toHaveAccessibleName(/E7 is outlined, carried by 14 calls/));
  });

  test('restores a link', async () => {
    openWindow('#/invoice-triage/session?call=17&at=E7&order=bySize&filter=kind:result');
    expect(await screen.findByRole('radio', { name: 'By size' })).toBeChecked();
    await inspector('search_logs result E7');
    expect(screen.getByRole('slider', { name: /^Prompt tokens/ })).toHaveAttribute('aria-valuenow', '17');
    expect(screen.getByRole('button', { name: 'Remove kind:result' })).toBeVisible();
  });
});

describe('the inspector', () => {
  test('tells what an event cost, where it went and where it came from', async () => {
    openWindow('#/invoice-triage/session?at=E7');
    const panel = await inspector('search_logs result E7');
    const { row: event, calls, cachedTokens, share, costUsd, fate } = await recorded('event/get', E7);
    for (const text of [
      `Size ≈ ${formatInteger(event.tokens)} tokens`,
      `Carried by ${String(calls)} of 41 calls`,
      `Lifetime tokens ≈ ${formatInteger(event.lifetimeTokens)} tokens`,
      `Share of the session ${formatPercent(share)}`,
      `New / prefix match ${formatCompact(event.freshTokens)} / ${formatCompact(cachedTokens)}`,
      `Cost ${formatUsd(costUsd ?? NaN)}`,
      fate,
    ])
      expect(panel).toHaveTextContent(text);
    expect(fate).toBe('C4–C17, then summarised by E35');
    expect(within(panel).getByRole('button', { name: /E6 model call C3 chose/ })).toBeVisible();
  });

  test('walks to the source and back', async () => {
    const { press, view } = openWindow('#/invoice-triage/session?at=E7');
    await inspector('search_logs result E7');
    await press('p');
    expect(view().selection).toBe('E6');
    await press('p');
    expect(view().selection).toBe('E1');
    await press('{Shift>}P{/Shift}{Shift>}P{/Shift}{Shift>}P{/Shift}');
    expect(view().selection).toBe('C4/contents');
    const { rows } = await recorded('call/stages', { ...SAMPLE, call: 4 });
    await inspector(new RegExp(`contents stage 8 of ${String(rows.length)}`));
    await press('{Alt>}{ArrowLeft}{/Alt}');
    expect(view().selection).toBe('E7');
  });

  test('turns the pages of a long content', async () => {
    const { user } = openWindow('#/invoice-triage/session?at=E7');
    const panel = await inspector('search_logs result E7');
    const { totalLength } = await recorded('part/text', {
      ...SAMPLE,
      address: 'E7/0',
      stage: null,
      offset: 0,
      limit: 2000,
    });
    const length = formatInteger(totalLength);
    await within(panel).findByText(`Characters 1–2,000 of ${length}`, { exact: false });
    await user.click(within(panel).getByRole('button', { name: 'Page on' }));
    await within(panel).findByText(`Characters 2,001–4,000 of ${length}`, { exact: false });
  });

  test('prices what would help with an event, and applies it', async () => {
    const { user, view } = openWindow('#/invoice-triage/session?at=E29');
    const panel = await inspector('sql_query result E29');
    const { bloat } = await recorded('findings/list', SAMPLE);
    const { fixes } = ensureExists(
      bloat.find(({ address }) => address === 'E29'),
      'fixes of E29',
    );
    const [best] = [...fixes].sort((a, b) => (b.savesUsd ?? 0) - (a.savesUsd ?? 0));
    const { title, savesTokens } = ensureExists(best, 'a fix');
    const apply = await within(panel).findByRole('button', { name: `Apply: ${title}` });
    expect(panel).toHaveTextContent(`${formatSigned(-savesTokens)} tokens`);
    await user.click(apply);
    await waitFor(() => expect(view().session).toBe('x1'));
  });

  test('prices what helps with all results of a tool at each of them', async () => {
    openWindow('#/invoice-triage/session?at=E58');
    const panel = await inspector('sql_query result E58');
    const { bloat } = await recorded('findings/list', SAMPLE);
    expect(bloat.find(({ address }) => address === 'E58')?.fixes).toEqual([]);
    expect(await within(panel).findByRole('button', { name: /^Apply: Cap rows of sql_query/ })).toBeEnabled();
  });

  test('shows the call under the cursor when nothing is selected', async () => {
    openWindow('#/invoice-triage/session?call=17');
    const panel = await inspector('Call C17');
    const { bill, prefixBreak, findings } = await recorded('call/get', {
      ...SAMPLE,
      call: 17,
    });
    expect(panel).toHaveTextContent(`Prompt ≈ ${formatInteger(bill.promptTokens)} tokens`);
    expect(panel).toHaveTextContent(`Billed in full ${formatInteger(bill.promptTokens - bill.cachedTokens)}`);
    expect(panel).toHaveTextContent('state.hits changed 41 → 2,318 inside the instruction');
    const { atToken, rebilledTokens } = ensureExists(prefixBreak, 'C17 breaks the prefix');
    expect(panel).toHaveTextContent(`The prefix ends at token ${formatInteger(atToken)}, compared with C16`);
    expect(panel).toHaveTextContent(`${formatInteger(rebilledTokens)} tokens billed again`);
    for (const { title } of findings) expect(panel).toHaveTextContent(title);
  });

  test('marks what was inferred and what is an estimate, and explains both', async () => {
    openWindow('#/claude-code/session?call=3');
    const panel = await inspector(/Call C3/);
    expect(within(panel).getByText('inferred')).toHaveAttribute(
      'data-tip',
      expect.stringContaining('taken from the events'),
    );
    expect(panel).toHaveTextContent('≈ ');
    expect(screen.getByText('Tokens:', { exact: false })).toHaveTextContent('estimate');
  });
});

test('the link of a break shows what changed, beside the prompt before', async () => {
  const { user, view } = openWindow();
  await inspector(/Call C17/);
  await user.click(screen.getByRole('button', { name: 'open C17/sys.0' }));
  await waitFor(() =>
    expect(view()).toMatchObject({ view: 'pipeline', selection: 'C17/sys.0', compare: 'previousCall' }),
  );
  const difference = await screen.findByRole('region', { name: 'Difference' });
  await waitFor(() => expect(difference).toHaveTextContent('2318'));
  expect(difference).not.toHaveTextContent('Not in this session');
});

test('the map is walked with the keys, event by event', async () => {
  const { user, view } = openWindow();
  await inspector(/Call C17/);
  const map = screen.getByRole('slider', { name: /^Context map/ });
  await waitFor(() => expect(map).toHaveAttribute('aria-valuetext', expect.stringMatching(/prompt of C17/)));
  map.focus();
  const place = async (text: RegExp): Promise<void> => {
    await waitFor(() => expect(map).toHaveAttribute('aria-valuetext', expect.stringMatching(text)));
  };
  await user.keyboard('{ArrowDown}');
  await place(/^E\d+, 1 of the prompt/);
  await user.keyboard('{ArrowDown}');
  await place(/^E\d+, 2 of the prompt/);
  expect(view().selection).toMatch(/^E\d+$/);
  await user.keyboard('{ArrowUp}');
  await place(/^E\d+, 1 of the prompt/);
});

test('the calls can be read as a table, by size, and the cursor is led from there', async () => {
  const { press, user, view } = openWindow();
  await inspector(/Call C17/);
  await press('t');
  await waitFor(() => expect(view().look).toBe('table'));
  const table = await screen.findByRole('listbox', { name: '41 calls' });
  const { prompt, agent } = await recorded('call/get', { ...SAMPLE, call: 17 });
  const chosen = await within(table).findByRole('option', { selected: true });
  expect(chosen).toHaveTextContent(`C17 ${agent}`);
  expect(chosen).toHaveTextContent(`prompt ${formatInteger(prompt.tokens)}`);
  await user.click(screen.getByRole('radio', { name: 'Largest first' }));
  const [largest, second] = within(table).getAllByRole('option');
  expect(largest).toHaveTextContent(/^C17/);
  await user.click(ensureExists(second, 'another call'));
  await waitFor(() => expect(view().cursor).not.toBe(17));
  await press('t');
  expect(await screen.findByRole('slider', { name: /^Context map/ })).toBeVisible();
});
