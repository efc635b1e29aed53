import { screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import { inspector, openWindow } from './window.ts';

const row = (name: RegExp): Promise<HTMLElement> => screen.findByRole('option', { name });

describe('the session view', () => {
  test('lists events by lifetime cost, with their place in the list', async () => {
    openWindow();
    const first = await row(/^E7 C3 log_analyst result search_logs/);
    expect(first).toHaveAttribute('aria-posinset', '1');
    expect(first).toHaveAttribute('aria-setsize', '84');
    expect(first).toHaveTextContent('167,216');
  });

  test('sorts and filters, and says so in the address', async () => {
    const { user, view } = openWindow();
    await row(/^E7 /);
    await user.click(screen.getByRole('radio', { name: 'In order' }));
    expect(await row(/^E1 /)).toHaveAttribute('aria-posinset', '1');
    expect(view().order).toBe('inOrder');
    await user.type(screen.getByRole('combobox', { name: 'Filter events' }), 'kind:user');
    await waitFor(() => expect(screen.getByText('14 of 84')).toBeVisible());
    await waitFor(() => expect(view().filter).toBe('kind:user'));
  });

  test('completes a filter and shows its words as chips', async () => {
    const { user, view } = openWindow();
    const field = await screen.findByRole('combobox', { name: 'Filter events' });
    await user.type(field, 'tool:sql');
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
    await waitFor(() => expect(screen.getByRole('option', { selected: true })).toHaveTextContent(/^E17/));
    await waitFor(() => expect(view().selection).toBe('E17'));
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
    expect(screen.getByRole('slider')).toHaveAttribute('aria-valuenow', '4');
  });

  test('moves the cursor over the calls and from landmark to landmark', async () => {
    const { press, view } = openWindow();
    await row(/^E7 /);
    await press('{ArrowLeft}');
    await waitFor(() => expect(view().cursor).toBe(16));
    expect(screen.getByRole('slider')).toHaveAttribute('aria-valuetext', 'C16, 50,139 tokens, 99.6% cached');
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
    await waitFor(() => expect(screen.getByText('64.4k')).toBeVisible());
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
    const map = screen.getByRole('img', { name: /^Context map/ });
    await waitFor(() => expect(map).toHaveAccessibleName(/E7 is outlined, carried by 14 calls/));
  });

  test('restores a link', async () => {
    openWindow('#/invoice-triage/session?call=17&at=E7&order=bySize&filter=kind:result');
    expect(await screen.findByRole('radio', { name: 'By size' })).toBeChecked();
    await inspector('search_logs result E7');
    expect(screen.getByRole('slider')).toHaveAttribute('aria-valuenow', '17');
    expect(screen.getByRole('button', { name: 'Remove kind:result' })).toBeVisible();
  });
});

describe('the inspector', () => {
  test('tells what an event cost, where it went and where it came from', async () => {
    openWindow('#/invoice-triage/session?at=E7');
    const panel = await inspector('search_logs result E7');
    for (const text of [
      '11,940 tokens',
      '14 of 41 calls',
      '167,216 tokens',
      '21.2%',
      '23.9k / 143k',
      '$0.076',
    ])
      expect(panel).toHaveTextContent(text);
    expect(panel).toHaveTextContent('C4–C17, then summarised by E35');
    expect(within(panel).getByRole('button', { name: /E6 model call C3 chose/ })).toBeVisible();
    expect(await within(panel).findByText(/Characters 1–2,000 of 29,791/)).toBeVisible();
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
    await inspector(/contents stage 8 of 16/);
    await press('{Alt>}{ArrowLeft}{/Alt}');
    expect(view().selection).toBe('E7');
  });

  test('turns the pages of a long content', async () => {
    const { user } = openWindow('#/invoice-triage/session?at=E7');
    const panel = await inspector('search_logs result E7');
    await within(panel).findByText(/Characters 1–2,000/);
    await user.click(within(panel).getByRole('button', { name: 'Page on' }));
    expect(await within(panel).findByText(/Characters 2,001–4,000 of 29,791/)).toBeVisible();
  });

  test('shows the call under the cursor when nothing is selected', async () => {
    openWindow('#/invoice-triage/session?call=17');
    const panel = await inspector('Call C17');
    expect(panel).toHaveTextContent('state.hits changed 41 → 2,318 inside the instruction');
    expect(panel).toHaveTextContent('Hidden context +3');
  });

  test('marks what was inferred and what is an estimate, and explains both', async () => {
    openWindow('#/support-desk/session?call=3');
    const panel = await inspector(/Call C3/);
    expect(within(panel).getByText('inferred')).toHaveAttribute(
      'data-tip',
      expect.stringContaining('taken from the events'),
    );
    expect(panel).toHaveTextContent('≈ ');
    expect(screen.getByText('Tokens:', { exact: false })).toHaveTextContent('estimate');
  });
});
