import { flushSync } from 'svelte';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Loaded } from './loaded.svelte.ts';

function thing(): {
  readonly loaded: Loaded<string>;
  readonly use: (key: string | undefined) => void;
  readonly answers: Map<string, (value: string) => void>;
  readonly asked: string[];
  readonly stir: () => void;
  readonly end: () => void;
} {
  let key: string | undefined = $state('s a');
  let noise = $state(0);
  const asked: string[] = [];
  const answers = new Map<string, (value: string) => void>();
  let loaded: Loaded<string> | undefined;
  const end = $effect.root(() => {
    loaded = new Loaded(
      () => (noise < 0 ? undefined : key),
      () =>
        new Promise((resolve) => {
          asked.push(key ?? '');
          answers.set(key ?? '', resolve);
        }),
    );
  });
  flushSync();
  if (loaded === undefined) throw new Error('not made');
  return {
    loaded,
    answers,
    asked,
    end,
    stir: () => {
      noise += 1;
      flushSync();
    },
    use: (next) => {
      key = next;
      flushSync();
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Long enough for a key to count as chosen. */
const rest = (): Promise<unknown> => vi.advanceTimersByTimeAsync(80);

describe('something loaded by key', () => {
  test('stays, as the latest, while the next is loading', async () => {
    const { loaded, use, answers, end } = thing();
    expect(loaded.isLoading).toBe(true);
    answers.get('s a')?.('A');
    await vi.waitFor(() => expect(loaded.value).toBe('A'));
    await rest();
    use('s b');
    expect(loaded.value).toBeUndefined();
    expect(loaded.latest).toBe('A');
    answers.get('s b')?.('B');
    await vi.waitFor(() => expect(loaded.value).toBe('B'));
    end();
  });

  test('is forgotten when something else is asked about', async () => {
    const { loaded, use, answers, end } = thing();
    answers.get('s a')?.('A');
    await vi.waitFor(() => expect(loaded.value).toBe('A'));
    use('t a');
    expect(loaded.latest).toBeUndefined();
    expect(loaded.isLoading).toBe(true);
    end();
  });

  test('is what was asked for last, whatever is answered last', async () => {
    const { loaded, use, answers, end } = thing();
    await rest();
    use('s b');
    answers.get('s b')?.('B');
    await vi.waitFor(() => expect(loaded.value).toBe('B'));
    answers.get('s a')?.('A');
    await rest();
    expect(loaded.value).toBe('B');
    end();
  });

  test('waits for a key that is held to rest', async () => {
    const { use, asked, end } = thing();
    for (const key of ['s b', 's c', 's d']) use(key);
    expect(asked).toEqual(['s a']);
    await rest();
    expect(asked).toEqual(['s a', 's d']);
    end();
  });

  test('is fetched at once when the answer before is there, however fast the key changes', async () => {
    const { loaded, use, answers, asked, end } = thing();
    answers.get('s a')?.('A');
    await vi.waitFor(() => expect(loaded.value).toBe('A'), { interval: 1 });
    use('s b');
    expect(asked).toEqual(['s a', 's b']);
    end();
  });

  test('is not fetched again while its key stays the same', async () => {
    const { loaded, stir, asked, answers, end } = thing();
    stir();
    await rest();
    stir();
    answers.get('s a')?.('A');
    await vi.waitFor(() => expect(loaded.value).toBe('A'));
    expect(asked).toEqual(['s a']);
    end();
  });

  test('is nothing without a key', async () => {
    const { loaded, use, answers, end } = thing();
    answers.get('s a')?.('A');
    await vi.waitFor(() => expect(loaded.value).toBe('A'));
    use(undefined);
    expect(loaded.latest).toBeUndefined();
    expect(loaded.isLoading).toBe(false);
    end();
  });
});
