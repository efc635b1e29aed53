import { screen, waitFor } from '@testing-library/svelte';
import axe from 'axe-core';
import { describe, expect, test } from 'vitest';
import { inspector, LOCKED, openWindow } from './window.ts';

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
    openWindow('#/invoice-triage/pipeline?call=25&stage=contents&at=C25/4.1');
    await inspector('Rewritten part contents[4].parts[1]');
    await screen.findByText(/^E39 in the session/);
    expect(await violations()).toEqual([]);
  });

  test('the cache view with a break', async () => {
    openWindow('#/invoice-triage/cache?call=17');
    await inspector(/Why C17 missed/);
    await screen.findByText(/First difference/);
    await screen.findByRole('option', { name: /^C17 [\d,]+/ });
    expect(await violations()).toEqual([]);
  });

  test('the stores view, with state and with agents', async () => {
    const { user } = openWindow('#/invoice-triage/stores?call=17');
    await inspector(/^hits/);
    expect(await violations()).toEqual([]);
    await user.click(screen.getByRole('radio', { name: /^Agents/ }));
    await screen.findByText(/part by part/);
    expect(await violations()).toEqual([]);
  });

  test('the stores view, with files, searches, nodes and contexts', async () => {
    const { user } = openWindow('#/invoice-triage/stores?store=artifacts');
    for (const name of ['Artifacts', 'Memory', 'Nodes', 'Contexts']) {
      await user.click(screen.getByRole('radio', { name: new RegExp(`^${name}`) }));
      await screen.findByRole('region', { name });
      expect(await violations()).toEqual([]);
    }
    await screen.findByText(/CONTEXT_EXPIRED/);
    expect(await violations()).toEqual([]);
  });

  test('the lab', async () => {
    openWindow('#/invoice-triage/lab');
    await inspector(/Interval 5, overlap 0/);
    await screen.findByText(/rests on the size/);
    expect(await violations()).toEqual([]);
  });

  test('a session with notes, estimates and errors', async () => {
    openWindow('#/claude-code/session?call=3');
    await inspector(/Call C3/);
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
    await screen.findByRole('button', { name: /^Which file computes the tax/ });
    expect(await violations()).toEqual([]);
  });

  test('a session without calls', async () => {
    openWindow('#/empty/session');
    await screen.findByText(/No model calls yet/);
    expect(await violations()).toEqual([]);
  });

  test('a failed panel', async () => {
    openWindow('#/invoice-triage/session', { failing: { 'event/page': LOCKED } });
    await screen.findByRole('alert');
    expect(await violations()).toEqual([]);
  });

  test('a filter that matches nothing', async () => {
    openWindow('#/invoice-triage/session?filter=tool:serch_logs');
    await screen.findByText(/No events match/);
    await waitFor(async () => expect(await violations()).toEqual([]));
  });

  test('an experiment with its edits, and the menu of experiments', async () => {
    const { press } = openWindow('#/invoice-triage/pipeline?call=25&stage=identity&at=C25/identity');
    await screen.findByRole('radio', { name: 'Off' });
    await press(' ');
    await screen.findByRole('region', { name: 'Edits' });
    await inspector('identity stage 5 of 17');
    expect(await violations()).toEqual([]);
    await press('m');
    await screen.findByRole('button', { name: 'Rename Experiment 1' });
    expect(await violations()).toEqual([]);
  });

  test('the dialog for a new processor', async () => {
    const { press } = openWindow('#/invoice-triage/pipeline?call=25');
    await inspector(/Call C25/);
    await press('n');
    await screen.findByRole('form', { name: /^Strip other agents/ });
    expect(await violations()).toEqual([]);
  });

  test('findings, and a comparison', async () => {
    const { press } = openWindow('#/invoice-triage/pipeline?call=25&panel=findings');
    await screen.findByRole('option', { name: /^1 E7/ });
    expect(await violations()).toEqual([]);
    await press('a');
    await screen.findByRole('region', { name: 'Edits' });
    await press('x');
    await screen.findByRole('option', { name: /^C17 / });
    await screen.findByRole('region', { name: /^Request of C\d+ compared/ });
    expect(await violations()).toEqual([]);
  });
});
