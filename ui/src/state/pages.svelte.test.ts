import { flushSync } from 'svelte';
import { describe, expect, test, vi } from 'vitest';
import { CommandFailure } from '@/api/client.ts';
import { Pages, type Page } from './pages.svelte.ts';

function list(
  rows: number,
  name?: () => string,
): {
  readonly pages: Pages<number, Page<number>>;
  readonly asked: number[];
  readonly use: (key: string | undefined) => void;
  readonly fail: () => void;
  readonly end: () => void;
} {
  const asked: number[] = [];
  let key: string | undefined = $state('s first');
  let isFailing = false;
  let pages: Pages<number, Page<number>> | undefined;
  const end = $effect.root(() => {
    pages = new Pages<number, Page<number>>(
      () => key,
      (offset, limit) => {
        asked.push(offset);
        if (isFailing)
          return Promise.reject(new CommandFailure({ code: 'store', message: 'locked', detail: null }));
        const base = key === 's first' ? 0 : 1_000_000;
        const count = Math.max(0, Math.min(limit, rows - offset));
        return Promise.resolve({
          total: rows,
          rows: Array.from({ length: count }, (_, i) => base + offset + i),
        });
      },
      name,
    );
  });
  flushSync();
  if (pages === undefined) throw new Error('no pages');
  return {
    pages,
    asked,
    end,
    use: (next) => {
      key = next;
      flushSync();
    },
    fail: () => {
      isFailing = !isFailing;
    },
  };
}

describe('a long list', () => {
  test('is fetched page by page as it comes into view', async () => {
    const { pages, asked, end } = list(1000);
    await vi.waitFor(() => expect(pages.total).toBe(1000));
    expect(asked).toEqual([0]);
    expect(pages.row(5)).toBe(5);
    expect(pages.row(450)).toBeUndefined();
    pages.show(390, 30);
    await vi.waitFor(() => expect(pages.row(410)).toBe(410));
    expect(asked).toEqual([0, 200, 400]);
    end();
  });

  test('skips pages that were scrolled past', async () => {
    const { pages, asked, end } = list(100_000);
    await vi.waitFor(() => expect(pages.total).toBe(100_000));
    for (let row = 1000; row <= 90_000; row += 1000) pages.show(row, 30);
    await vi.waitFor(() => expect(pages.row(90_000)).toBe(90_000));
    expect(asked.length).toBeLessThan(6);
    end();
  });

  test('keeps few pages', async () => {
    const { pages, end } = list(100_000);
    await vi.waitFor(() => expect(pages.total).toBe(100_000));
    for (let page = 1; page < 40; page += 1) await pages.load(page * 200);
    expect(pages.row(0)).toBeUndefined();
    expect(pages.row(39 * 200)).toBe(7800);
    end();
  });

  test('shows the old rows until the new ones are there', async () => {
    const { pages, use, end } = list(300);
    await vi.waitFor(() => expect(pages.row(3)).toBe(3));
    use('s second');
    expect(pages.isLoading).toBe(true);
    expect(pages.row(3)).toBe(3);
    await vi.waitFor(() => expect(pages.row(3)).toBe(1_000_003));
    expect(pages.isLoading).toBe(false);
    end();
  });

  test('shows rows far down while its numbers change faster than pages come', async () => {
    const { pages, asked, use, end } = list(100_000, () => 's list');
    await vi.waitFor(() => expect(pages.total).toBe(100_000));
    pages.show(50_150, 100);
    for (let revision = 0; revision < 5; revision += 1) {
      use(`s revision ${String(revision)}`);
      await Promise.resolve();
    }
    await vi.waitFor(() => expect(pages.row(50_150)).toBe(1_050_150));
    await vi.waitFor(() => expect(pages.row(50_210)).toBe(1_050_210));
    expect(asked.filter((offset) => offset === 0)).toHaveLength(1);

    use('s revision 5');
    expect(pages.row(50_210)).toBe(1_050_210);
    end();
  });

  test('finds a row that is here', async () => {
    const { pages, end } = list(300);
    await vi.waitFor(() => expect(pages.total).toBe(300));
    expect(pages.find((row) => row === 42)).toEqual({ index: 42, row: 42 });
    expect(pages.find((row) => row === 250)).toBeUndefined();
    end();
  });

  test('fails, and works again when asked again', async () => {
    const { pages, fail, use, end } = list(300);
    await vi.waitFor(() => expect(pages.total).toBe(300));
    fail();
    use('s second');
    await vi.waitFor(() => expect(pages.failure?.message).toBe('locked'));
    fail();
    pages.retry();
    flushSync();
    await vi.waitFor(() => expect(pages.row(0)).toBe(1_000_000));
    expect(pages.failure).toBeUndefined();
    end();
  });
});
