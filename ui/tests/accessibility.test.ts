import { screen, waitFor } from '@testing-library/svelte';
import axe from 'axe-core';
import { describe, expect, test } from 'vitest';
import { inspector, openWindow } from './window.ts';

/** Rules that need a real layout: contrast is computed in `palette.test.ts`, sizes are looked at in a browser. */
const NEED_LAYOUT = ['color-contrast', 'target-size', 'scrollable-region-focusable'];

async function violations(): Promise<readonly string[]> {
  const rules = Object.fromEntries(NEED_LAYOUT.map((rule) => [rule, { enabled: false }]));
  const { violations: found } = await axe.run(document.body, { rules });
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`);
}

describe('axe finds nothing in', () => {
  test('the session view with an event', async () => {
    openWindow('#/invoice-triage/session?at=E7');
    await inspector('search_logs result E7');
    await screen.findByRole('option', { name: /^E7 / });
    expect(await violations()).toEqual([]);
  });

  test('the pipeline view with a difference', async () => {
    openWindow('#/invoice-triage/pipeline?call=25&stage=contents&at=C25/4.0');
    await inspector('Rewritten part contents[4]');
    await screen.findByText('E39 in the session, 284 tokens');
    expect(await violations()).toEqual([]);
  });

  test('the lab', async () => {
    openWindow('#/invoice-triage/lab');
    await inspector(/Interval 5, overlap 0/);
    await screen.findByText(/rests on the size/);
    expect(await violations()).toEqual([]);
  });

  test('a session with notes, estimates and errors', async () => {
    openWindow('#/support-desk/session?call=17');
    await inspector(/Call C17/);
    expect(await violations()).toEqual([]);
  });

  test('the palette', async () => {
    const { press } = openWindow();
    await inspector(/Call C17/);
    await press('{Control>}k{/Control}');
    await screen.findByRole('group', { name: 'Questions' });
    expect(await violations()).toEqual([]);
  });

  test('the menu of sessions', async () => {
    const { user } = openWindow();
    await user.click(await screen.findByRole('button', { name: /invoice-triage/ }));
    await screen.findByRole('button', { name: /^nightly-run/ });
    expect(await violations()).toEqual([]);
  });

  test('an empty session and a failed panel', async () => {
    openWindow('#/empty/session');
    await screen.findByText(/No model calls yet/);
    expect(await violations()).toEqual([]);
  });

  test('a filter that matches nothing', async () => {
    openWindow('#/invoice-triage/session?filter=tool:serch_logs');
    await screen.findByText(/No events match/);
    await waitFor(async () => expect(await violations()).toEqual([]));
  });
});
