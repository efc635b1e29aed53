import { screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import { recorded } from './recorded.ts';
import { LOCKED, openWindow } from './window.ts';

const dialog = (): Promise<HTMLElement> => screen.findByRole('dialog', { name: 'Report' });

describe('a report', () => {
  test('is reached by a key, and says what is on the page and what is masked', async () => {
    const { press, user, host } = openWindow();
    await screen.findByRole('button', { name: /choose an experiment/ });
    await press('{Control>}e{/Control}');
    const parts = await within(await dialog()).findByRole('list', { name: 'What is on the page' });
    const { text } = await recorded('experiment/report', {
      session: 'invoice-triage',
      as: 'html',
      masksSecrets: true,
    });
    const headings = [...text.matchAll(/<h2>([^<]+)<\/h2>/g)].map(([, heading]) => heading);
    expect(headings).toContain('Summary');
    for (const heading of headings) expect(within(parts).getByText(heading ?? '')).toBeVisible();
    expect(within(await dialog()).getByRole('checkbox', { name: 'Mask secrets' })).toBeChecked();
    expect(screen.queryByText(/are written as they are/)).toBeNull();
    await user.click(within(await dialog()).getByRole('button', { name: 'Save…' }));
    await waitFor(() => expect(host.saved).toEqual([{ name: 'invoice_triage.html', text }]));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('says when secrets are not masked, and can be a picture', async () => {
    const { press, user } = openWindow();
    await screen.findByRole('button', { name: /choose an experiment/ });
    await press('{Control>}e{/Control}');
    await user.click(within(await dialog()).getByRole('checkbox', { name: 'Mask secrets' }));
    expect(await screen.findByText(/are written as they are/)).toBeVisible();
    await user.click(within(await dialog()).getByRole('radio', { name: 'Picture of the map' }));
    const picture = await within(await dialog()).findByRole('img', { name: 'invoice_triage.map.svg' });
    expect(picture.getAttribute('src')).toMatch(/^data:image\/svg\+xml/);
    await user.click(within(await dialog()).getByRole('radio', { name: 'Picture of the prompts' }));
    await within(await dialog()).findByRole('img', { name: 'invoice_triage.strip.svg' });
  });

  test('that fails says why', async () => {
    const { press } = openWindow('#/invoice-triage/session', { failing: { 'experiment/report': LOCKED } });
    await screen.findByRole('button', { name: /choose an experiment/ });
    await press('{Control>}e{/Control}');
    expect(await within(await dialog()).findByText(/The database is locked/)).toBeVisible();
  });
});
