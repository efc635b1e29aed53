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
    expect(dialog).toHaveTextContent('≈ 50,631 tokens');
    await user.click(within(dialog).getByRole('button', { name: 'Send' }));
    await waitFor(() =>
      expect(dialog).toHaveTextContent('predicted ≈ 50,631 tokens, reported 50,643 tokens'),
    );
    expect(dialog).toHaveTextContent('1 of 4 reports');
    const lines = within(dialog).getByRole('group', { name: 'Recorded answer beside the new one' });
    expect(lines).toHaveTextContent(/- ?-> read_file/);
    expect(lines).toHaveTextContent(/\+ ?-> search_logs/);
  });

  test('lists runs, and lays one over the session as an experiment', async () => {
    const { press, user, host, view } = openWindow('#/invoice-triage/lab?config=interval=5,overlap=0');
    await within(summaries()).findByText(/rests on the size/);
    await press('s');
    await screen.findByRole('button', { name: /^Apply as experiment/ });
    const panel = await inspector(/Interval 5, overlap 0/);
    await waitFor(() => expect(panel).toHaveTextContent(/2 summaries · extractive · 4 facts dropped/));
    await press('{Shift>}S{/Shift}');
    await waitFor(() => expect(view().session).toBe('x1'));
    expect(host.asked.some(({ name }) => name === 'lab/apply')).toBe(true);
    await waitFor(() => expect(panel).toHaveTextContent(/over Recorded/));
    await user.click(within(panel).getByRole('button', { name: /^Remove the run/ }));
    await waitFor(() => expect(panel).not.toHaveTextContent(/over Recorded/));
  });

  test('asks once before a model is asked, and says what it would cost', async () => {
    const { press, user, host } = openWindow('#/invoice-triage/lab?config=interval=5,overlap=0');
    await within(summaries()).findByText(/rests on the size/);
    await user.selectOptions(await screen.findByLabelText('Written by'), 'local');
    (document.activeElement as HTMLElement | null)?.blur();
    await press('s');
    const dialog = await screen.findByRole('dialog', { name: /with a model$/ });
    expect(await within(dialog).findByText(/qwen2\.5-7b at http/)).toBeVisible();
    expect(dialog).toHaveTextContent(/Tokens in\s*≈ 40,001, estimated/);
    const isAsked = (): boolean => host.asked.some(({ name }) => name === 'lab/run');
    expect(isAsked()).toBe(false);
    await user.click(within(dialog).getByRole('button', { name: 'Send 2 prompts' }));
    await waitFor(() => expect(isAsked()).toBe(true));
    expect(await screen.findByRole('button', { name: /^Apply as experiment/ })).toBeEnabled();
  });

  test('asks about a summary, and counts what it can answer', async () => {
    const { press, user } = openWindow('#/invoice-triage/lab?config=interval=5,overlap=0');
    await within(summaries()).findByText(/rests on the size/);
    await press('s');
    await screen.findByRole('button', { name: /^Ask about summary 1/ });
    await press('{Shift>}N{/Shift}');
    const dialog = await screen.findByRole('dialog', { name: 'Ask about summary 1' });
    expect(await within(dialog).findByText(/8 prompts · ≈ 36,000 tokens in/)).toBeVisible();
    await user.click(within(dialog).getByRole('button', { name: 'Ask' }));
    await waitFor(() => expect(dialog).toHaveTextContent('✓ 2 kept, ✗ 2 lost'));
    expect(within(dialog).getByRole('region', { name: 'Answers' })).toHaveTextContent('invoice.py:214, E1');
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
