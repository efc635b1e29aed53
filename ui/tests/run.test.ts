import { screen, waitFor, within } from '@testing-library/svelte';
import axe from 'axe-core';
import { describe, expect, test } from 'vitest';
import { recorded } from './recorded.ts';
import { fill, openWindow, type OpenWindow } from './window.ts';

const APP = '/strata/files/tools.app.json';

/** A run that is ready to begin, but for a file of answers that is not there. */
async function readyToBegin(): Promise<OpenWindow> {
  const window = openWindow('#/invoice-triage/run');
  const { user } = window;
  await fill(user, await screen.findByRole('textbox', { name: 'App file' }), APP);
  await fill(user, screen.getByRole('textbox', { name: 'Answers' }), '/strata/files/nowhere.json');
  return window;
}

const started = ({ host }: OpenWindow) => host.asked.filter(({ name }) => name === 'run/start').length;

describe('an app with tools of servers', () => {
  test('begins once somebody has read what it reaches and agreed, by the keyboard alone', async () => {
    const window = await readyToBegin();
    const { user, host } = window;
    screen.getByRole('button', { name: 'Begin' }).focus();
    await user.keyboard('{Enter}');
    const name = 'This app starts programs or reaches servers';
    const dialog = await screen.findByRole('dialog', { name });
    const { deeds, isAgreed, mark } = await recorded('run/deeds', { app: APP });
    expect(isAgreed).toBe(false);
    expect(deeds).toHaveLength(2);
    for (const deed of deeds) expect(within(dialog).getByText(deed)).toBeVisible();
    expect(dialog).toHaveTextContent(APP);

    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(started(window)).toBe(0);

    await user.keyboard('{Enter}');
    await screen.findByRole('dialog', { name });
    const agree = screen.getByRole('button', { name: 'Agree and begin' });
    for (let n = 0; n < 5 && document.activeElement !== agree; n++) await user.tab();
    expect(agree).toHaveFocus();
    await user.keyboard('{Enter}');
    // What would be sent is read next: the run is begun for real.
    expect(await screen.findByRole('alert')).toHaveTextContent('nowhere.json cannot be read');
    expect(host.asked.find((call) => call.name === 'run/agree')?.params).toEqual({ app: APP, mark });
    expect(started(window)).toBe(1);

    // It is not asked again.
    await user.click(screen.getByRole('button', { name: 'Begin' }));
    await waitFor(() => expect(started(window)).toBe(2));
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  });

  test('has nothing that axe finds', async () => {
    const { user } = await readyToBegin();
    await user.click(screen.getByRole('button', { name: 'Begin' }));
    await screen.findByRole('dialog');
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
