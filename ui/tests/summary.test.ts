import { screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import { ensureExists } from '@/lib/assert.ts';
import { formatCompact, formatPercent, formatUsd } from '@/model/format.ts';
import { recorded } from './recorded.ts';
import { inspector, openWindow } from './window.ts';

const SAMPLE = { session: 'invoice-triage' };
const card = (name: string): Promise<HTMLElement> => screen.findByRole('region', { name });

describe('the summary', () => {
  test('says what is big and leads to it', async () => {
    const { press, view } = openWindow();
    const { rows } = await recorded('event/page', {
      ...SAMPLE,
      order: 'byLifetime',
      filter: '',
      offset: 0,
      limit: 3,
    });
    const header = await recorded('session/open', SAMPLE);
    const big = await card('What is big');
    for (const { lifetimeTokens, sentIn } of rows) {
      await waitFor(() => expect(big).toHaveTextContent(formatCompact(lifetimeTokens)));
      expect(big).toHaveTextContent(`× ${String(sentIn)}`);
    }
    const sum = rows.reduce((total, { lifetimeTokens }) => total + lifetimeTokens, 0);
    expect(big).toHaveTextContent(`${formatPercent(sum / header.bill.promptTokens)} of all tokens sent`);

    await press('{Alt>}1{/Alt}');
    expect(view().selection).toBe(`E${String(rows[0]?.event)}`);
    await inspector(new RegExp(`E${String(rows[0]?.event)}`));
  });

  test('says what broke and leads to the break', async () => {
    const { press, view } = openWindow();
    const breaks = await recorded('cache/breaks', { ...SAMPLE, order: 'byCost', offset: 0, limit: 3 });
    const dearest = ensureExists(
      breaks.rows.find(({ nature }) => nature === 'avoidable'),
      'a break that could be avoided',
    );
    const broke = await card('What broke');
    await waitFor(() => expect(broke).toHaveTextContent(`C${String(dearest.call)} ${dearest.title}`));
    expect(broke).toHaveTextContent(formatUsd(dearest.costUsd ?? 0));

    await press('{Alt>}2{/Alt}');
    expect(view()).toMatchObject({ view: 'cache', cursor: dearest.call });
  });

  test('says what saves most, each thing once, and shows the proof', async () => {
    const { press, view } = openWindow();
    const todo = await card('What to do');
    const list = await recorded('findings/list', SAMPLE);
    const best = Math.max(...list.bloat.flatMap(({ fixes }) => fixes.map(({ savesUsd }) => savesUsd ?? 0)));
    await waitFor(() => expect(within(todo).getAllByRole('listitem').length).toBeGreaterThan(1));
    const lines = within(todo).getAllByRole('listitem');
    expect(lines[0]).toHaveTextContent(formatUsd(best));
    const names = lines.map((line) => within(line).getByRole('button', { name: /^Proof of/ }).textContent);
    expect(new Set(names).size).toBe(names.length);

    await press('{Alt>}5{/Alt}');
    expect(view()).toMatchObject({ view: 'pipeline', panel: 'findings' });
  });

  test('is hidden by a key, and a link remembers that', async () => {
    const { press, view, page } = openWindow();
    await card('Summary');
    await press('v');
    expect(screen.queryByRole('region', { name: 'Summary' })).toBeNull();
    await waitFor(() => expect(page.hash()).toContain('glance=off'));
    expect(view().showsSummary).toBe(false);
  });
});
