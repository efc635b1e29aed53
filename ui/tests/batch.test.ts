import { screen, waitFor, within } from '@testing-library/svelte';
import axe from 'axe-core';
import { describe, expect, test } from 'vitest';
import { openWindow, type OpenWindow } from './window.ts';

const LAB = '#/invoice-triage/lab?config=interval=5,overlap=0';

async function openDialog(): Promise<OpenWindow & { readonly dialog: HTMLElement }> {
  const opened = openWindow(LAB);
  await screen.findByText(/rests on the size/);
  await opened.press('{Shift>}M{/Shift}');
  const dialog = await screen.findByRole('dialog', { name: 'Compare configurations and models' });
  return { ...opened, dialog };
}

async function runTwo(): Promise<OpenWindow & { readonly dialog: HTMLElement }> {
  const opened = await openDialog();
  const { dialog, user } = opened;
  await user.click(within(dialog).getByRole('button', { name: 'Add the chosen one' }));
  await user.click(within(dialog).getByRole('checkbox', { name: /^Extracts/ }));
  await user.click(await within(dialog).findByRole('checkbox', { name: 'scripted-1, terse' }));
  expect(await within(dialog).findByText(/^2 runs: ≈ /)).toBeVisible();
  await user.click(within(dialog).getByRole('button', { name: 'Run' }));
  await within(dialog).findByText(/^2 of 2 runs; spent/);
  await within(dialog).findByRole('button', { name: 'New batch' });
  return opened;
}

describe('a batch', () => {
  test('says what it would take, and refuses a budget that is no amount', async () => {
    const { dialog, user } = await openDialog();
    expect(within(dialog).getByRole('button', { name: 'Run' })).toBeDisabled();
    await user.click(within(dialog).getByRole('button', { name: 'Add the chosen one' }));
    expect(within(dialog).getByRole('textbox', { name: /^Configurations/ })).toHaveValue(
      'interval=5,overlap=0',
    );
    await user.click(within(dialog).getByRole('checkbox', { name: /^Extracts/ }));
    expect(await within(dialog).findByText(/^1 run: ≈ 0 tokens/)).toBeVisible();
    await user.type(within(dialog).getByRole('textbox', { name: 'Budget in dollars' }), 'x');
    expect(await within(dialog).findByRole('alert')).toHaveTextContent('A budget is a number of 0 or more.');
    expect(within(dialog).getByRole('button', { name: 'Run' })).toBeDisabled();
  });

  test('is a table that is sorted both ways, and each of its cells can be looked at', async () => {
    const { dialog, user } = await runTwo();
    // The head, and the recording that the others are set against.
    const rows = (): HTMLElement[] => within(dialog).getAllByRole('row').slice(2);
    expect(within(dialog).getByRole('cell', { name: 'As recorded' })).toBeVisible();
    expect(rows().map((row) => within(row).getAllByRole('cell')[1]?.textContent)).toEqual([
      'extractive',
      'scripted-1, terse',
    ]);
    const lost = within(dialog).getByRole('columnheader', { name: 'Lost' });
    const numbers = (): number[] =>
      rows().map((row) => Number.parseInt(within(row).getAllByRole('cell')[4]?.textContent ?? '', 10));
    await user.click(within(lost).getByRole('button'));
    expect(lost).toHaveAttribute('aria-sort', 'ascending');
    const ascending = numbers();
    expect(ascending[0]).toBeLessThan(ascending[1] ?? 0);
    await user.click(within(lost).getByRole('button'));
    expect(lost).toHaveAttribute('aria-sort', 'descending');
    expect(numbers()).toEqual(ascending.toReversed());

    const asked = rows().find((row) => row.textContent?.includes('terse') === true);
    await user.click(within(asked ?? dialog).getByRole('button'));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(await screen.findByText(/Two rounding rules differ/)).toBeVisible();
    expect(screen.getByLabelText('Written by')).toHaveDisplayValue(/terse/);
  });

  test('has nothing that axe finds', async () => {
    const { dialog } = await runTwo();
    const rules = Object.fromEntries(
      ['color-contrast', 'target-size', 'scrollable-region-focusable'].map((rule) => [
        rule,
        { enabled: false },
      ]),
    );
    const { violations } = await axe.run(dialog, { rules });
    expect(violations.map(({ id }) => id)).toEqual([]);
  });
});
