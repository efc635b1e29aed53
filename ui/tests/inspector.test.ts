import { screen, within } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { inspector, openWindow } from './window.ts';

/** A window of this width, as far as media queries can tell. */
function beWide(width: number): void {
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: width <= Number(/max-width: (\d+)px/.exec(query)?.[1] ?? 0),
    media: query,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
}

const shown = (): HTMLElement | null => screen.queryByRole('complementary', { name: 'Inspector' });
const toggle = (): HTMLElement => screen.getByRole('button', { name: 'Inspector' });

beforeEach(() => beWide(900));
afterEach(() => vi.unstubAllGlobals());

test('in a small window the inspector is closed, and its button opens and closes it', async () => {
  const { user } = openWindow();
  await screen.findByRole('listbox', { name: /84 events/ });
  expect(shown()).toBeNull();
  expect(toggle()).toHaveAttribute('aria-pressed', 'false');

  await user.click(toggle());
  await inspector(/Call C17/);
  expect(toggle()).toHaveAttribute('aria-pressed', 'true');

  await user.click(toggle());
  expect(shown()).toBeNull();
});

test('pressing an event opens the inspector, also the one that is selected already', async () => {
  const { user, press } = openWindow('#/invoice-triage/session?at=E7');
  const [row] = await screen.findAllByRole('option', { name: /^E7 / });
  expect(shown()).toBeNull();
  if (row !== undefined) await user.click(row);
  await inspector('search_logs result E7');

  await press('{Escape}');
  expect(shown()).toBeNull();
});

test('at a medium width the inspector is beside the view', async () => {
  beWide(1_100);
  openWindow();
  await inspector(/Call C17/);
  expect(shown()).not.toHaveClass('overlay');
});

test('the count of a call is set beside that of another implementation', async () => {
  beWide(1_440);
  const { user } = openWindow();
  const panel = await inspector(/Call C17/);
  await user.click(within(panel).getByRole('button', { name: 'Verify this count' }));
  expect(await within(panel).findByRole('status')).toHaveTextContent(
    /counts as we do: [\d,]+ tokens of o200k_base/,
  );
});
