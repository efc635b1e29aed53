import { fireEvent, screen, within } from '@testing-library/svelte';
import axe from 'axe-core';
import { describe, expect, test } from 'vitest';
import type { CaptureState } from '@/api/gen/api.ts';
import { ensureExists } from '@/lib/assert.ts';
import { recorded } from './recorded.ts';
import { inspector, openWindow } from './window.ts';

describe('the capture view', () => {
  test('is reached by key and from the title bar, and left again', async () => {
    const { press, user, view } = openWindow();
    await inspector(/Call C17/);
    await press('{Shift>}L{/Shift}');
    await screen.findByRole('button', { name: /^Listen/ });
    expect(view().view).toBe('capture');
    await user.click(screen.getByRole('button', { name: /^Capture/ }));
    expect(view().view).toBe('session');
  });

  test('listens, says how clients are pointed there, and stops', async () => {
    const { user } = openWindow('#/invoice-triage/capture');
    await user.click(await screen.findByRole('button', { name: /^Listen/ }));

    const start = screen.getByRole('region', { name: 'Listening' });
    const state = await recorded('capture/start', { port: null, upstreams: [] });
    const listening = ensureExists(state.listening ?? undefined, 'a gateway that listens');
    await within(start).findByText(listening.base);
    expect(screen.getByRole('button', { name: /Capture, listening/ })).toBeInTheDocument();
    const ways = screen.getByRole('radiogroup', { name: 'What is caught' });
    for (const [label, by] of [
      ['Telemetry', 'telemetry'],
      ['Both', 'both'],
      ['Requests', 'requests'],
    ] as const) {
      await user.click(within(ways).getByRole('radio', { name: label }));
      for (const { client, command } of listening.recipes.filter((recipe) => recipe.by === by)) {
        const row = ensureExists(
          screen.getByRole('rowheader', { name: client }).closest('tr') ?? undefined,
          client,
        );
        expect(within(row).getByText(command)).toBeInTheDocument();
      }
    }
    const [claude] = listening.recipes;
    expect(claude?.command).toContain(`ANTHROPIC_BASE_URL=${listening.base} `);
    await user.click(screen.getByRole('button', { name: 'Copy the line for Claude Code' }));
    expect(await navigator.clipboard.readText()).toBe(claude?.command);

    await user.click(within(start).getByRole('button', { name: /^Stop/ }));
    await within(start).findByRole('button', { name: /^Listen/ });
  });

  test('holds requests on conditions', async () => {
    const { user } = openWindow('#/invoice-triage/capture');
    await user.click(await screen.findByRole('button', { name: /^Listen/ }));
    await user.click(await screen.findByRole('checkbox', { name: 'Prefix about to break' }));
    expect(await screen.findByText('1 on')).toBeInTheDocument();
    expect(screen.getByRole('checkbox', { name: 'Prefix about to break' })).toBeChecked();
    // Two at once: the second says nothing about the first.
    void fireEvent.click(screen.getByRole('checkbox', { name: 'Every call' }));
    void fireEvent.click(screen.getByRole('checkbox', { name: 'Prompt costs more than' }));
    expect(await screen.findByText('3 on')).toBeInTheDocument();
  });

  test('keeps a budget for each session, and says what is none', async () => {
    const { user, host } = openWindow('#/invoice-triage/capture');
    await user.click(await screen.findByRole('button', { name: /^Listen/ }));
    const tokens = await screen.findByRole('textbox', { name: 'tokens' });
    await user.type(tokens, '500k');
    await user.tab();
    expect(host.asked.findLast(({ name }) => name === 'app/setSettings')?.params).toMatchObject({
      settings: { budget: { usd: null, tokens: 500_000 } },
    });
    await user.type(screen.getByRole('textbox', { name: '$' }), 'much');
    await user.tab();
    expect(await screen.findByRole('alert')).toHaveTextContent('A budget is a number of 0 or more.');
  });

  test('says in every view that a session has passed its budget, until that is read', async () => {
    const passed = {
      session: 'invoice-triage',
      isPassed: true,
      text: 'x has passed its budget of $2.00: $2.31 so far.',
    };
    const { user } = openWindow('#/invoice-triage/capture', {
      changed: { 'capture/get': (state: CaptureState) => ({ ...state, budgetWords: [passed] }) },
    });
    await user.click(await screen.findByRole('button', { name: /^Listen/ }));
    expect(await screen.findByRole('alert')).toHaveTextContent(passed.text);
    await user.click(screen.getByRole('button', { name: 'Open the session' }));
    await inspector(/Call C17/);
    await user.click(within(screen.getByRole('alert')).getByRole('button', { name: 'Close' }));
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });

  test('has nothing that axe finds', async () => {
    const { user } = openWindow('#/invoice-triage/capture');
    await user.click(await screen.findByRole('button', { name: /^Listen/ }));
    await screen.findByRole('region', { name: 'Start a client' });
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
