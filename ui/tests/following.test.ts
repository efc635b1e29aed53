import { screen, waitFor } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import { formatCompact } from '@/model/format.ts';
import { recorded } from './recorded.ts';
import { inspector, openWindow } from './window.ts';

const follow = (): Promise<HTMLElement> => screen.findByRole('switch', { name: 'Follow' });

describe('following the file of a session', () => {
  test('puts the cursor on the newest call, to which one can go back', async () => {
    const { user, press, view, host } = openWindow('#/claude-code/session');
    await user.click(await follow());
    await waitFor(async () => expect(await follow()).toHaveAttribute('aria-checked', 'true'));
    expect(host.asked).toContainEqual({
      name: 'session/follow',
      params: { session: 'claude-code', isOn: true },
    });
    const { calls } = await recorded('session/header', { session: 'claude-code' });
    expect(view().cursor).toBe(calls);
    expect(screen.queryByRole('button', { name: /Newest call/ })).toBeNull();

    await press('{ArrowLeft}');
    await user.click(await screen.findByRole('button', { name: `Newest call: C${String(calls)}` }));
    expect(view().cursor).toBe(calls);

    await user.click(await follow());
    await waitFor(async () => expect(await follow()).toHaveAttribute('aria-checked', 'false'));
  });

  test('shows the calls that its agent makes, and keeps the cursor on the newest', async () => {
    const { user, view, host } = openWindow('#/claude-code/session');
    const before = await recorded('session/header', { session: 'claude-code' });
    await user.click(await follow());
    await inspector(new RegExp(`Call C${String(before.calls)}\\b`));
    await host.happen('file/grow');
    const { calls, events, bill } = await host.invoke('session/header', { session: 'claude-code' });
    expect(calls).toBeGreaterThan(before.calls);
    await inspector(new RegExp(`Call C${String(calls)}\\b`));
    await waitFor(() => expect(view().cursor).toBe(calls));
    expect(screen.getByRole('slider', { name: /^Prompt tokens/ })).toHaveAttribute(
      'aria-valuemax',
      String(calls),
    );
    expect(await screen.findByText(new RegExp(`${formatCompact(bill.promptTokens)}$`))).toBeVisible();
    expect(screen.getByText(`${String(events)} events`)).toBeVisible();
  });

  test('goes on in the session that a file was begun anew with', async () => {
    const { host, view } = openWindow('#/claude-code/session');
    await follow();
    await host.invoke('session/follow', { session: 'codex', isOn: true });
    host.notify({ type: 'begun', session: 'codex', after: ['another'] });
    expect(view().session).toBe('claude-code');
    host.notify({ type: 'begun', session: 'codex', after: ['claude-code'] });
    await waitFor(() => expect(view().session).toBe('codex'));
    const { calls } = await recorded('session/header', { session: 'codex' });
    await inspector(new RegExp(`Call C${String(calls)}\\b`));
  });

  test('asks again what changed, and stays where one was', async () => {
    const { host, view } = openWindow('#/invoice-triage/session?call=17&at=E7');
    await inspector(/E7/);
    const asked = (): number => host.asked.filter(({ name }) => name === 'event/get').length;
    const before = asked();
    host.notify({ type: 'changed', session: 'another' });
    host.notify({ type: 'changed', session: 'invoice-triage' });
    await waitFor(() => expect(asked()).toBe(before + 1));
    expect(view()).toMatchObject({ cursor: 17, selection: 'E7' });
  });

  test('is not offered for the sample', async () => {
    openWindow();
    await inspector(/Call C17/);
    expect(screen.queryByRole('switch', { name: 'Follow' })).toBeNull();
  });
});
