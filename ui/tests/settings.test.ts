import { screen, waitFor, within } from '@testing-library/svelte';
import type { UserEvent } from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import type { SecretState } from '@/api/gen/api.ts';
import { ensureExists } from '@/lib/assert.ts';
import { problemOf, stateOf } from '@/model/endpoints.ts';
import { formatRate } from '@/model/format.ts';
import { recorded, type RecordedHost } from './recorded.ts';
import { fill, inspector, openWindow } from './window.ts';

async function row(name: string): Promise<HTMLElement> {
  const head = await screen.findByRole('rowheader', { name });
  return ensureExists(head.closest('tr') ?? undefined, 'a row around its head');
}

describe('the settings', () => {
  test('are reached by key, from the title bar and from the palette, and left again', async () => {
    const { press, user, view } = openWindow();
    await inspector(/Call C17/);
    await press('{Control>},{/Control}');
    await screen.findByRole('heading', { name: 'Endpoints and keys' });
    expect(view().view).toBe('settings');

    await press('{Escape}');
    expect(view().view).toBe('session');

    await user.click(screen.getByRole('button', { name: 'Settings' }));
    await screen.findByRole('heading', { name: 'Appearance' });
    await user.click(screen.getByRole('link', { name: /^Cache/ }));
    expect(view().view).toBe('cache');
  });

  test('list every endpoint with where its key is from and whether it answers', async () => {
    openWindow('#/invoice-triage/settings');
    const { endpoints, keys } = await recorded('model/list', { refresh: false });
    for (const known of endpoints) {
      const shown = await row(known.endpoint.name);
      expect(shown).toHaveTextContent(known.endpoint.baseUrl);
      expect(shown).toHaveTextContent(stateOf(known, undefined).words);
    }
    expect(screen.getByText(new RegExp(keys.slice(0, 40)))).toBeInTheDocument();
  });

  test('test an endpoint and show what it answered', async () => {
    const { user } = openWindow('#/invoice-triage/settings');
    const { endpoints } = await recorded('model/list', { refresh: false });
    const terse = ensureExists(
      endpoints.find(({ endpoint }) => endpoint.name === 'terse'),
      'a server that answers',
    );
    const { endpoint } = terse;
    await user.click(within(await row('terse')).getByRole('button', { name: 'Test terse' }));
    const answer = await recorded('model/test', { endpoint, model: endpoint.model });
    expect(answer.isOk).toBe(true);
    await within(await row('terse')).findByRole('img', { name: 'works' });
    expect(await row('terse')).toHaveTextContent(answer.model ?? '–');
  });

  test('set a new endpoint up, and forget it', async () => {
    const { press, user } = openWindow('#/invoice-triage/settings');
    await row('terse');
    await press('n');
    const form = await screen.findByRole('form', { name: 'New endpoint' });
    const save = within(form).getByRole('button', { name: 'Save and test' });
    expect(save).toBeDisabled();

    await fill(user, within(form).getByLabelText('Name'), 'terse');
    expect(form).toHaveTextContent('There is a terse already');
    expect(save).toBeDisabled();

    await fill(user, within(form).getByLabelText('Name'), 'closed');
    await fill(user, within(form).getByLabelText('Address'), 'http://127.0.0.1:9/v1');
    await fill(user, within(form).getByLabelText('Model'), 'tiny');
    await user.click(save);
    const shown = await row('closed');
    await waitFor(() => expect(shown).toHaveTextContent('nothing listens there'));
    expect(screen.queryByRole('form')).toBeNull();

    await user.click(within(shown).getByRole('button', { name: 'Change closed' }));
    await user.click(await screen.findByRole('button', { name: 'Forget the endpoint' }));
    await waitFor(() => expect(screen.queryByRole('rowheader', { name: 'closed' })).toBeNull());
  });
});

test('a price of one’s own is set, stands first and is forgotten', async () => {
  const { user } = openWindow('#/invoice-triage/settings');
  await user.click(await screen.findByRole('button', { name: 'Set a price…' }));
  const form = await screen.findByRole('form', { name: 'A price of your own' });
  const save = within(form).getByRole('button', { name: 'Set the price' });
  await fill(user, within(form).getByLabelText('Model'), 'house-model');
  await fill(user, within(form).getByLabelText('Input'), '2');
  expect(save).toBeDisabled();
  await fill(user, within(form).getByLabelText('Output'), '8');
  await user.click(save);
  const prices = screen.getByRole('group', { name: 'Prices of models' });
  const first = await within(prices).findByRole('row', {
    name: new RegExp(`^house-model ${formatRate(2)} ${formatRate(2)} – ${formatRate(8)} – yours`),
  });
  expect(within(prices).getAllByRole('row')[1]).toBe(first);
  expect(screen.queryByRole('form')).toBeNull();
  await user.click(within(first).getByRole('button', { name: 'Forget the price of house-model' }));
  await waitFor(() => expect(within(prices).queryByText('house-model')).toBeNull());
});

describe('keys in sessions', () => {
  /** Nothing in the recorded sessions looks like a key. */
  const found = {
    values: 3,
    kinds: [
      { name: 'Anthropic key', values: 2 },
      { name: 'password', values: 1 },
    ],
    sessions: [
      {
        session: 'orders',
        title: 'Deploy with ‹redacted: Anthropic key›',
        values: 2,
        kinds: [{ name: 'Anthropic key', values: 2 }],
      },
      { session: 'codex', title: 'Sort the invoices', values: 1, kinds: [{ name: 'password', values: 1 }] },
    ],
  };

  async function card(state: object): Promise<{ host: RecordedHost; user: UserEvent; card: HTMLElement }> {
    const { host, user } = openWindow('#/invoice-triage/settings', {
      changed: { 'secret/state': (answer: SecretState) => ({ ...answer, ...state }) },
    });
    const heading = await screen.findByRole('heading', { name: 'Keys in sessions' });
    return { host, user, card: ensureExists(heading.closest('section') ?? undefined, 'a card around it') };
  }

  test('are said to be there by what they look like and whose they are, and never shown', async () => {
    const { card: shown } = await card({ found });
    const table = await within(shown).findByRole('table', { name: 'Sessions with what looks like a key' });
    expect(shown).toHaveTextContent('3 values in 2 sessions: Anthropic key (2), password (1).');
    const rows = within(table).getAllByRole('row');
    expect(rows.map((row) => [...row.children].map((cell) => cell.textContent))).toEqual([
      ['Deploy with ‹redacted: Anthropic key›', 'Anthropic key (2)', '2'],
      ['Sort the invoices', 'password (1)', '1'],
    ]);
    expect(shown).toHaveTextContent('what was said is stored as it was said');
  });

  test('are masked for good only once that was said twice', async () => {
    const { host, user, card: shown } = await card({ found });
    const isAsked = (): boolean => host.asked.some(({ name }) => name === 'secret/mask');
    await user.click(await within(shown).findByRole('button', { name: 'Mask for good…' }));
    expect(shown).toHaveTextContent('The files that were read stay as they are.');
    await user.click(within(shown).getByRole('button', { name: 'Cancel' }));
    expect(within(shown).getByRole('button', { name: 'Look for keys' })).toBeEnabled();
    expect(isAsked()).toBe(false);
    await user.click(within(shown).getByRole('button', { name: 'Mask for good…' }));
    await user.click(within(shown).getByRole('button', { name: 'Mask for good' }));
    await waitFor(() => expect(isAsked()).toBe(true));
    expect(within(shown).queryByText(/The files that were read stay as they are/)).toBeNull();
  });

  test('are masked in what is stored until somebody wants it otherwise', async () => {
    const { card: shown } = await card({ found: { values: 0, kinds: [], sessions: [] }, masks: true });
    expect(await within(shown).findByText('masked in whatever is stored')).toBeVisible();
    expect(shown).toHaveTextContent('Nothing that is stored looks like a key.');
    expect(within(shown).getByRole('button', { name: 'Store what comes as it is said' })).toBeEnabled();
  });

  test('were not looked for yet', async () => {
    const { card: shown } = await card({});
    expect(await within(shown).findByText(/^API keys, tokens, private keys and passwords/)).toBeVisible();
    expect(within(shown).queryByRole('table')).toBeNull();
    expect(within(shown).queryByRole('button', { name: 'Store what comes as it is said' })).toBeNull();
  });
});

test('sessions that are not used for long are looked for before they are removed', async () => {
  const { user } = openWindow('#/invoice-triage/settings');
  const line = ensureExists(
    (await screen.findByText('Sessions not used for')).closest<HTMLElement>('.line') ?? undefined,
    'the line',
  );
  await user.click(within(line).getByRole('button', { name: 'Find them' }));
  // Those of the recordings were read in January 2026.
  expect(await within(line).findByRole('button', { name: /^Remove \d+ sessions?$/ })).toBeEnabled();
  await user.click(within(line).getByRole('button', { name: 'Keep them' }));
  expect(within(line).getByRole('button', { name: 'Find them' })).toBeVisible();
});

test('an endpoint needs a name of its own and an address', () => {
  const endpoint = {
    name: 'mine',
    api: 'chatCompletions' as const,
    baseUrl: 'http://127.0.0.1:8080/v1',
    model: null,
    headers: [],
    keyVariable: null,
    contextTokens: null,
    firstByteS: null,
    cacheRule: null,
    slots: null,
    countsTokens: false,
  };
  expect(problemOf(endpoint, ['other'])).toBeUndefined();
  expect(problemOf({ ...endpoint, name: ' ' }, [])).toBe('A name is missing');
  expect(problemOf(endpoint, ['Mine'])).toContain('already');
  expect(problemOf({ ...endpoint, baseUrl: 'localhost:8080' }, [])).toContain('https://host/v1');
});
