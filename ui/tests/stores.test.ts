import { screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import { ensureExists } from '@/lib/assert.ts';
import { formatInteger } from '@/model/format.ts';
import { knownPart } from '@/model/stores.ts';
import { recorded } from './recorded.ts';
import { inspector, openWindow } from './window.ts';

const SAMPLE = { session: 'invoice-triage' };
const STATE = { ...SAMPLE, call: 17, maxColumns: 120, offset: 0, limit: 200 };
const HITS = { ...SAMPLE, key: 'hits', call: 17, offset: 0, limit: 200 };
const AGENTS = { ...SAMPLE, order: 'inOrder', offset: 0, limit: 200 } as const;
const BREAKS = { ...SAMPLE, order: 'byCost', offset: 0, limit: 200 } as const;

const state = (): HTMLElement => screen.getByRole('region', { name: 'State' });
const versions = (): HTMLElement => screen.getByRole('region', { name: 'Versions' });

describe('the stores view', () => {
  test('lists the keys with their values at the call, and looks at the one that broke its cache', async () => {
    openWindow('#/invoice-triage/stores?call=17');
    await inspector(/^hits/);
    const page = await recorded('stores/state', STATE);
    const options = within(state()).getAllByRole('option');
    expect(options).toHaveLength(page.total);
    page.rows.forEach(({ key, value, reads }, at) => {
      expect(options[at]).toHaveTextContent(key);
      expect(options[at]).toHaveTextContent(value);
      expect(options[at]).toHaveTextContent(reads === 0 ? 'never' : formatInteger(reads));
    });
    expect(within(state()).getByRole('option', { selected: true })).toHaveTextContent(/hits/);
    expect(state()).toHaveTextContent('State at C17');
  });

  test('says who wrote and read a key, and prices its changes as the cache view does', async () => {
    openWindow('#/invoice-triage/stores?call=17&key=hits');
    const panel = await inspector(/^hits/);
    const detail = await recorded('stores/key', HITS);
    const { rows } = await recorded('cache/breaks', BREAKS);
    expect(detail.breaks.length).toBeGreaterThan(0);
    for (const broken of detail.breaks) {
      expect(broken).toEqual(rows.find(({ call }) => call === broken.call));
      const words = `C${String(broken.call)}: ${formatInteger(broken.rebilledTokens)} tokens`;
      expect(panel).toHaveTextContent(words);
      expect(versions()).toHaveTextContent(`breaks ${words}`);
    }
    for (const { agent } of [...detail.writers, ...detail.readers]) expect(panel).toHaveTextContent(agent);
    expect(within(versions()).getAllByRole('option')).toHaveLength(detail.total);
    await waitFor(() => expect(panel).toHaveTextContent('Fixes, replayed on all 41 calls'));
  });

  test('walks versions and keys, and goes to the writer', async () => {
    const { press, view } = openWindow('#/invoice-triage/stores?call=17&key=hits');
    await inspector(/^hits/);
    const { versions: all, current } = await recorded('stores/key', HITS);
    const next = ensureExists(all[(current ?? 0) + 1], 'a later version');
    await press(']');
    await waitFor(() => expect(view().cursor).toBe(next.call + 1));
    await press('[[');
    const held = ensureExists(all[current ?? 0], 'the version at C17');
    await waitFor(() => expect(view().cursor).toBe(held.call + 1));
    await press('{ArrowDown}');
    await inspector(/^last_query/);
    await press('{ArrowUp}');
    await inspector(/^hits/);
    await press('w');
    await waitFor(() => expect(view().selection).toBe(`E${String(held.event)}`));
  });

  test('is reached from a loss in the cache view', async () => {
    const { user, view } = openWindow('#/invoice-triage/cache?call=17');
    await inspector(/Why C17 missed/);
    await user.click(screen.getByRole('button', { name: 'The key in the Stores view' }));
    await inspector(/^hits/);
    expect(view()).toMatchObject({ view: 'stores', store: 'state', cursor: 17 });
  });

  test('shows agents, what they hand over, and sums that add up', async () => {
    const { press, view } = openWindow('#/invoice-triage/stores?store=agents');
    await screen.findByText(/part by part/);
    const page = await recorded('stores/agents', AGENTS);
    const detail = await recorded('stores/handOff', { ...SAMPLE, number: 1, offset: 0, limit: 200 });
    const panel = await inspector(new RegExp(`^${detail.row.from} → ${detail.row.to}`));
    const agents = screen.getByRole('region', { name: 'Agents, their models and what they used' });
    for (const { name, bill } of page.agents) {
      const row = within(agents).getByRole('row', { name: new RegExp(`^${name} `) });
      expect(row).toHaveTextContent(formatInteger(bill.promptTokens));
    }
    const { kept, reframed, dropped, added, framing, row } = detail;
    const all = [kept, reframed, dropped, added, framing];
    expect(all.reduce((sum, { tokensBefore }) => sum + tokensBefore, 0)).toBe(row.fromTokens);
    expect(all.reduce((sum, { tokensAfter }) => sum + tokensAfter, 0)).toBe(row.toTokens);
    expect(panel).toHaveTextContent(formatInteger(dropped.tokensBefore));
    const list = screen.getByRole('region', { name: 'Agents' });
    expect(within(list).getAllByRole('option')).toHaveLength(page.total);
    await press('j');
    await waitFor(() => expect(view().handOff).toBe(2));
    await inspector(new RegExp(`^${String(page.rows[1]?.from)} → ${String(page.rows[1]?.to)}`));
  });

  test('says what a coding agent’s record does not hold', async () => {
    openWindow('#/claude-code/stores?call=3');
    expect(await screen.findByText(/^What this tool records holds no state/)).toBeInTheDocument();
  });
});

const KEPT = { ...SAMPLE, offset: 0, limit: 200 };

describe('what else is kept', () => {
  test('lists files with what they cost in prompts, and says what is not known of them', async () => {
    openWindow('#/invoice-triage/stores?store=artifacts');
    const page = await recorded('stores/artifacts', KEPT);
    const panel = await screen.findByRole('region', { name: 'Artifacts' });
    expect(page.total).toBeGreaterThan(0);
    const options = await within(panel).findAllByRole('option');
    expect(options).toHaveLength(page.total);
    page.rows.forEach(({ name, carried }, at) => {
      expect(options[at]).toHaveTextContent(name);
      expect(options[at]).toHaveTextContent(knownPart(carried, formatInteger(carried.lifetimeTokens)));
    });
    const ofFile = await inspector(new RegExp(`^${ensureExists(page.rows[0], 'a file').name}`));
    expect(ofFile).toHaveTextContent(/may have stood in 1 prompt of which it is not known/);
  });

  test('lists searches in memory', async () => {
    openWindow('#/invoice-triage/stores?store=memory');
    const page = await recorded('stores/memory', KEPT);
    const panel = await screen.findByRole('region', { name: 'Memory' });
    const options = await within(panel).findAllByRole('option');
    expect(options).toHaveLength(page.total);
    const first = ensureExists(page.rows[0], 'a search');
    expect(options[0]).toHaveTextContent(first.query);
    const shown = await inspector(new RegExp(`^${first.query}`));
    for (const { text } of first.found) expect(shown).toHaveTextContent(text.slice(0, 40));
    expect(shown).toHaveTextContent(/word of it that the question did not have/);
  });

  test('lists runs of nodes, or says why there are none', async () => {
    openWindow('#/invoice-triage/stores?store=nodes');
    const page = await recorded('stores/nodes', KEPT);
    const panel = await screen.findByRole('region', { name: 'Nodes' });
    expect(page.total).toBeGreaterThan(0);
    expect(await within(panel).findAllByRole('option')).toHaveLength(page.total);
  });

  test('lists contexts, shows what takes their room, and says what would be lost', async () => {
    const { press, view } = openWindow('#/invoice-triage/stores?store=contexts');
    const page = await recorded('stores/contexts', { ...KEPT, filter: 'all' });
    const panel = await screen.findByRole('region', { name: 'Contexts' });
    const options = await within(panel).findAllByRole('option');
    expect(options).toHaveLength(page.total);
    expect(page.total).toBeGreaterThan(1);
    page.rows.forEach(({ id, principal, state }, at) => {
      for (const text of [id, principal === '' ? '–' : principal, state])
        expect(options[at]).toHaveTextContent(text);
    });
    const first = ensureExists(page.rows[0], 'a context');
    const detail = await recorded('stores/context', { ...SAMPLE, context: first.id });
    const shown = await inspector(new RegExp(`^${first.id}`));
    expect(shown).toHaveTextContent(detail.loss);
    for (const { operation, told } of detail.tasks) {
      expect(shown).toHaveTextContent(operation);
      if (told !== null) expect(shown).toHaveTextContent(told);
    }
    const below = await screen.findByRole('region', { name: 'In the context' });
    for (const { key } of detail.keys) expect(below).toHaveTextContent(key);
    for (const { content } of detail.messages) expect(below).toHaveTextContent(content);
    expect(below).toHaveTextContent(/Conversation/);
    await press('j');
    const next = ensureExists(page.rows[1], 'another context');
    await waitFor(() => expect(view().item).toBe(next.id));
    await inspector(new RegExp(`^${next.id}`));
  });

  test('lists the contexts that this session names, where it names them, and says so on the tab', async () => {
    const { user, view } = openWindow('#/invoice-triage/stores?store=contexts');
    const page = await recorded('stores/contexts', { ...KEPT, filter: 'named' });
    const counts = await recorded('stores/counts', SAMPLE);
    const panel = await screen.findByRole('region', { name: 'Contexts' });
    expect(
      await screen.findByRole('radio', { name: `Contexts ${formatInteger(counts.contexts)}` }),
    ).toBeChecked();
    await user.click(
      await within(panel).findByRole('radio', { name: `Named here ${formatInteger(page.counts.named)}` }),
    );
    await waitFor(() => expect(view().contextFilter).toBe('named'));
    await waitFor(() => expect(within(panel).getAllByRole('option')).toHaveLength(page.total));
    const named = ensureExists(page.rows[0], 'the session itself');
    const { seen } = await recorded('stores/context', { ...SAMPLE, context: named.id });
    const shown = await inspector(new RegExp(`^${named.id}`));
    for (const { event, place } of ensureExists(seen, 'its places').sightings) {
      expect(
        within(shown).getByRole('button', { name: `Show E${String(event)}, ${place}` }),
      ).toBeInTheDocument();
    }
    expect(shown).toHaveTextContent(/It is kept elsewhere/);
  });

  test('asks before a context is ended', async () => {
    const { user } = openWindow('#/invoice-triage/stores?store=contexts');
    const page = await recorded('stores/contexts', { ...KEPT, filter: 'all' });
    const first = ensureExists(page.rows[0], 'a context');
    const shown = await inspector(new RegExp(`^${first.id}`));
    await user.click(within(shown).getByRole('button', { name: 'End it…' }));
    const dialog = await screen.findByRole('dialog', { name: `End ${first.id}?` });
    expect(dialog).toHaveTextContent(/It cannot be taken back/);
    await user.click(within(dialog).getByRole('button', { name: 'Keep it' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('says what a coding agent’s record does not hold of each', async () => {
    openWindow('#/claude-code/stores?store=memory');
    expect(
      await screen.findByText(/^What this tool records holds no searches in memory/),
    ).toBeInTheDocument();
  });
});
