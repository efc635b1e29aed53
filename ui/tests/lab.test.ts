import { screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import { inspector, openWindow } from './window.ts';

const sweep = (): HTMLElement => screen.getByRole('region', { name: 'Sweep' });
const summaries = (): HTMLElement => screen.getByRole('region', { name: 'Before and after' });
const map = (): Promise<HTMLElement> =>
  within(sweep()).findByRole('listbox', { name: /^Configurations as a map/ });

describe('the lab', () => {
  test('sweeps, and looks at what it recommends', async () => {
    openWindow('#/invoice-triage/lab');
    expect(within(await map()).getByRole('option')).toHaveTextContent(/^Interval 5, overlap 0/);
    const panel = await inspector(/Interval 5, overlap 0/);
    expect(panel).toHaveTextContent('What the sweep says');
    await waitFor(() => expect(panel).toHaveTextContent(/Peak prompt\s*88\.0k/));
  });

  test('is walked with the arrows, and the address says where', async () => {
    const { user, view } = openWindow('#/invoice-triage/lab?config=interval=5,overlap=0');
    const list = await map();
    list.focus();
    await user.keyboard('{ArrowRight}{ArrowDown}');
    await waitFor(() => expect(view().config).toBe('interval=6,overlap=1'));
    expect(within(list).getByRole('option')).toHaveTextContent(/^Interval 6, overlap 1/);
    // Elsewhere the arrows are those of the calls.
    expect(view().cursor).toBe(0);
  });

  test('says why half a configuration cannot be replayed', async () => {
    const { user, host } = openWindow('#/invoice-triage/lab?config=interval=5,overlap=0');
    await map();
    const overlap = screen.getByRole('textbox', { name: 'Overlap' });
    await user.clear(overlap);
    await user.tab();
    expect(await screen.findByText(/Interval is set and overlap is not/)).toBeVisible();
    expect(screen.getByRole('button', { name: /^Run/ })).toBeDisabled();
    expect(
      host.asked.some(
        ({ name, params }) => name === 'lab/plan' && JSON.stringify(params).includes('"interval=5"'),
      ),
    ).toBe(false);
  });

  test('sweeps other numbers, and says what is no grid', async () => {
    const { user, press, view } = openWindow('#/invoice-triage/lab');
    await map();
    await press('a');
    await waitFor(() => expect(view().axes).toBe('threshold'));
    await inspector(/Threshold/);
    const grid = screen.getByRole('textbox', { name: 'Grid' });
    await user.clear(grid);
    await user.type(grid, 'faster');
    await user.tab();
    expect(await within(sweep()).findByText(/is no grid/)).toBeVisible();
    await user.click(within(sweep()).getByRole('button', { name: 'The usual grid' }));
    await map();
  });

  test('runs a configuration, and shows what its summaries keep', async () => {
    const { press, user, view } = openWindow('#/invoice-triage/lab?config=interval=5,overlap=0');
    await inspector(/Interval 5, overlap 0/);
    await within(summaries()).findByText(/rests on the size/);
    await press('s');
    expect(await within(summaries()).findByText(/invoice\.py:214\. 1,204/)).toBeVisible();
    const facts = await within(summaries()).findByRole('listbox', { name: '4 facts' });
    expect(within(facts).getAllByRole('option')[0]).toHaveTextContent('bill-2');
    const panel = await inspector(/Interval 5, overlap 0/);
    await waitFor(() => expect(panel).toHaveTextContent(/Facts still told at the end\s*4 of 8, 50\.0%/));
    await user.click(within(summaries()).getByRole('button', { name: /^Pin E3/ }));
    await waitFor(() => expect(view().config).toBe('interval=5,overlap=0,pin=E3'));
    expect(screen.getByRole('button', { name: 'Unpin E3' })).toBeVisible();
  });

  test('sends a call again, and sets the answers side by side', async () => {
    const { press, user } = openWindow('#/invoice-triage/lab?call=17');
    await map();
    await press('n');
    const dialog = await screen.findByRole('dialog', { name: 'Send C17 again' });
    expect(await within(dialog).findByText(/POST http/)).toBeVisible();
    expect(dialog).toHaveTextContent('50,631 tokens');
    await user.click(within(dialog).getByRole('button', { name: 'Send' }));
    await waitFor(() => expect(dialog).toHaveTextContent('predicted 50,631, reported 50,643 tokens'));
    expect(within(dialog).getByRole('region', { name: 'Recorded answer' })).toHaveTextContent('read_file');
    expect(within(dialog).getByRole('region', { name: 'New answer' })).toHaveTextContent('search_logs');
  });

  test('is a table, too', async () => {
    const { press, view } = openWindow('#/invoice-triage/lab?config=interval=5,overlap=0');
    await map();
    await press('t');
    const table = await within(sweep()).findByRole('listbox', { name: '32 configurations' });
    await waitFor(() =>
      expect(within(table).getByRole('option', { selected: true })).toHaveTextContent(
        'Interval 5, overlap 0',
      ),
    );
    await press('j');
    await waitFor(() => expect(view().config).toBe('interval=5,overlap=1'));
  });

  test('offers to try again what failed', async () => {
    openWindow('#/invoice-triage/lab', {
      failing: { 'lab/sweep': { code: 'store', message: 'The database is locked.', detail: null } },
    });
    expect(await within(sweep()).findByRole('button', { name: 'Retry' })).toBeVisible();
  });

  test('has nothing to replay in a session without calls', async () => {
    openWindow('#/empty/lab');
    expect(await screen.findByText(/nothing that a summary could make shorter/)).toBeVisible();
  });
});
