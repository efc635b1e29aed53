import { screen, waitFor } from '@testing-library/svelte';
import axe from 'axe-core';
import { describe, expect, test } from 'vitest';
import { inspector, openWindow } from './window.ts';

describe('a start without a session', () => {
  test('shows Home, where nothing is read before a person agrees, and leads to the sample', async () => {
    const { host, user, view } = openWindow('#/');
    expect(await screen.findByRole('heading', { name: 'What agents left on this computer' })).toBeVisible();
    await waitFor(() => expect(view().view).toBe('home'));
    expect(screen.getByText(/No agent has left sessions in the usual places/)).toBeVisible();
    expect(host.asked.some(({ name }) => name === 'place/choose')).toBe(false);
    await user.click(screen.getByRole('button', { name: /^Try the sample/ }));
    await inspector(/Call C17/);
    await waitFor(() => expect(view().view).toBe('session'));
  });

  test('asks again where something was read before this start, though nothing is new', async () => {
    const known = (reading: object): object => ({ ...reading, readFiles: 3 });
    const { host } = openWindow('#/', { changed: { 'home/read': known } });
    const asked = (): number => host.asked.filter(({ name }) => name === 'home/get').length;
    await waitFor(() => expect(asked()).toBeGreaterThan(1));
  });

  test('is reached again by key', async () => {
    const { press, view } = openWindow();
    await inspector(/Call C17/);
    await press('{Alt>}{Home}{/Alt}');
    expect(await screen.findByRole('heading', { name: 'What agents left on this computer' })).toBeVisible();
    await waitFor(() => expect(view().view).toBe('home'));
  });

  test('has nothing that axe finds', async () => {
    openWindow('#/');
    await screen.findByRole('heading', { name: 'What agents left on this computer' });
    const rules = Object.fromEntries(
      ['color-contrast', 'target-size', 'scrollable-region-focusable'].map((rule) => [
        rule,
        { enabled: false },
      ]),
    );
    const { violations } = await axe.run(document.body, { rules });
    expect(violations.map(({ id }) => id)).toEqual([]);
  });
});
