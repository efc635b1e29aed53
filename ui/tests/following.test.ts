import { screen, waitFor } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import { inspector, openWindow } from './window.ts';

const follow = (): Promise<HTMLElement> => screen.findByRole('switch', { name: 'Follow' });

describe('following the file of a session', () => {
  test('puts the cursor on the newest call, to which one can go back', async () => {
    const { user, press, view, host } = openWindow('#/support-desk/session');
    await user.click(await follow());
    await waitFor(async () => expect(await follow()).toHaveAttribute('aria-checked', 'true'));
    expect(host.asked).toContainEqual({
      name: 'session/follow',
      params: { session: 'support-desk', isOn: true },
    });
    const { calls } = await host.invoke('session/header', { session: 'support-desk' });
    expect(view().cursor).toBe(calls);
    expect(screen.queryByRole('button', { name: /Newest call/ })).toBeNull();

    await press('{ArrowLeft}');
    await user.click(await screen.findByRole('button', { name: `Newest call: C${String(calls)}` }));
    expect(view().cursor).toBe(calls);

    await user.click(await follow());
    await waitFor(async () => expect(await follow()).toHaveAttribute('aria-checked', 'false'));
  });

  test('goes on in the session that a file was begun anew with', async () => {
    const { host, view } = openWindow('#/support-desk/session');
    await follow();
    await host.invoke('session/follow', { session: 'invoice-triage', isOn: true });
    host.notify({ type: 'begun', session: 'invoice-triage', after: ['another'] });
    expect(view().session).toBe('support-desk');
    host.notify({ type: 'begun', session: 'invoice-triage', after: ['support-desk'] });
    await waitFor(() => expect(view().session).toBe('invoice-triage'));
    await inspector(/Call C41/);
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
