import { screen, waitFor, within } from '@testing-library/svelte';
import axe from 'axe-core';
import { describe, expect, test } from 'vitest';
import { ensureExists } from '@/lib/assert.ts';
import { GLOSSARY } from '@/model/glossary.ts';
import { SIGN_GROUPS } from '@/model/signs.ts';
import { TOUR } from '@/model/tour.ts';
import { inspector, openWindow } from './window.ts';

const meaning = (name: string): string =>
  ensureExists(GLOSSARY.get(name), `${name} in the glossary`).definition;

/** Rules that need a real layout are left to the browser. */
async function violations(): Promise<readonly string[]> {
  const rules = { 'color-contrast': { enabled: false }, 'target-size': { enabled: false } };
  const { violations: found } = await axe.run(document.body, { rules });
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`);
}

describe('a word', () => {
  test('says what it means when it is pressed, and lets one read on', async () => {
    const { user } = openWindow('#/invoice-triage/session?at=E7');
    const panel = await inspector('search_logs result E7');
    const word = within(panel).getByRole('button', { name: 'Lifetime tokens' });
    await user.click(word);
    const card = await screen.findByRole('dialog', { name: 'Lifetime tokens' });
    expect(card).toHaveTextContent(meaning('lifetimeTokens'));
    expect(await violations()).toEqual([]);
    await user.click(within(card).getByRole('button', { name: 'Call' }));
    expect(await screen.findByRole('dialog', { name: 'Call' })).toHaveTextContent(meaning('call'));
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(word).toHaveFocus();
  });

  test('is explained when the focus comes to it, and the glossary opens there by its key', async () => {
    const { press } = openWindow('#/invoice-triage/session?at=E7');
    const panel = await inspector('search_logs result E7');
    within(panel).getByRole('button', { name: 'Where it came from' }).focus();
    await press('?');
    const words = await screen.findByRole('dialog', { name: 'Words' });
    await waitFor(() => expect(document.activeElement).toHaveTextContent(meaning('origin')));
    expect(words).toContainElement(document.activeElement as HTMLElement);
  });
});

describe('the glossary', () => {
  test('is found in the palette, and finds words by what they are called elsewhere', async () => {
    const { press, user } = openWindow();
    await inspector(/Call C17/);
    await press('{Control>}k{/Control}');
    await user.paste('>glossary');
    await press('{Enter}');
    const words = await screen.findByRole('dialog', { name: 'Words' });
    const field = await within(words).findByRole('searchbox', { name: 'Find a word' });
    expect(within(words).getByRole('status')).toHaveTextContent(String(GLOSSARY.size));
    await user.type(field, 'residual');
    expect(within(words).getByRole('status')).toHaveTextContent(/^1 of/);
    expect(words).toHaveTextContent(meaning('hiddenContext'));
    await user.click(within(words).getByRole('button', { name: 'evidence' }));
    await waitFor(() => expect(document.activeElement).toHaveTextContent(meaning('evidence')));
    expect(field).toHaveValue('');
    expect(await violations()).toEqual([]);
  });
});

test('the signs are explained in one legend', async () => {
  const { press, user } = openWindow();
  await inspector(/Call C17/);
  await press('?');
  await user.click(within(await screen.findByRole('dialog')).getByRole('radio', { name: 'Signs' }));
  const signs = await screen.findByRole('dialog', { name: 'Signs' });
  for (const { words } of SIGN_GROUPS.flatMap((group) => group.signs)) expect(signs).toHaveTextContent(words);
  expect(await violations()).toEqual([]);
});

describe('the tour', () => {
  const card = (step: number): Promise<HTMLElement> =>
    screen.findByRole('dialog', { name: `Tour, step ${String(step)} of ${String(TOUR.length)}` });

  test('is offered with the sample, points at what is there, and is remembered', async () => {
    const { user, press, view, host } = openWindow();
    await user.click(await screen.findByRole('button', { name: 'Take the tour' }));
    expect(TOUR).toHaveLength(5);
    for (const [index, { title, at, view: place }] of TOUR.entries()) {
      expect(await card(index + 1)).toHaveTextContent(title);
      expect(view().view).toBe(place);
      await waitFor(() => expect(document.querySelector(`[data-tour="${at}"]`)).toBeInTheDocument());
      await waitFor(() => expect(screen.getByRole('button', { name: /^(Next|Done)$/ })).toHaveFocus());
      if (index === 0) expect(await violations()).toEqual([]);
      await press('{Enter}');
    }
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(screen.queryByRole('button', { name: 'Take the tour' })).toBeNull();
    expect(host.asked.findLast(({ name }) => name === 'app/setSettings')?.params).toMatchObject({
      settings: { isSampleBarDismissed: true },
    });
  });

  test('holds up nothing, and ends with Escape', async () => {
    const { press, user, view } = openWindow();
    await user.click(await screen.findByRole('button', { name: 'Take the tour' }));
    await card(1);
    await press('2');
    await waitFor(() => expect(view().view).toBe('pipeline'));
    await press('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(view().view).toBe('pipeline');
  });

  test('comes again from the palette, on the sample, and goes back to where it was called', async () => {
    const { press, user, view } = openWindow('#/codex/session');
    await inspector(/Call C/);
    await press('{Control>}k{/Control}');
    await user.paste('>tour');
    await press('{Enter}');
    await card(1);
    await inspector(/Call C17/);
    await user.click(screen.getByRole('button', { name: 'Skip the tour' }));
    await waitFor(() => expect(view().session).toBe('codex'));
  });
});
