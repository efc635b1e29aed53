import { flushSync } from 'svelte';
import { describe, expect, test, vi } from 'vitest';
import { Loaded } from './loaded.svelte.ts';

function thing(): {
  readonly loaded: Loaded<string>;
  readonly use: (key: string | undefined) => void;
  readonly answers: Map<string, (value: string) => void>;
  readonly asked: string[];
  readonly end: () => void;
} {
  let key: string | undefined = $state('a');
  const asked: string[] = [];
  const answers = new Map<string, (value: string) => void>();
  let loaded: Loaded<string> | undefined;
  const end = $effect.root(() => {
    loaded = new Loaded(
      () => key,
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
    use: (next) => {
      key = next;
      flushSync();
    },
  };
}

const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 80));

describe('something loaded by key', () => {
  test('stays, as the latest, while the next is loading', async () => {
    const { loaded, use, answers, end } = thing();
    expect(loaded.isLoading).toBe(true);
    answers.get('a')?.('A');
    await vi.waitFor(() => expect(loaded.value).toBe('A'));
    await rest();
    use('b');
    expect(loaded.value).toBeUndefined();
    expect(loaded.latest).toBe('A');
    answers.get('b')?.('B');
    await vi.waitFor(() => expect(loaded.value).toBe('B'));
    end();
  });

  test('is what was asked for last, whatever is answered last', async () => {
    const { loaded, use, answers, end } = thing();
    await rest();
    use('b');
    answers.get('b')?.('B');
    await vi.waitFor(() => expect(loaded.value).toBe('B'));
    answers.get('a')?.('A');
    await rest();
    expect(loaded.value).toBe('B');
    end();
  });

  test('waits for a key that is held to rest', async () => {
    const { use, asked, end } = thing();
    for (const key of ['b', 'c', 'd']) use(key);
    expect(asked).toEqual(['a']);
    await rest();
    expect(asked).toEqual(['a', 'd']);
    end();
  });

  test('is nothing without a key', async () => {
    const { loaded, use, answers, end } = thing();
    answers.get('a')?.('A');
    await vi.waitFor(() => expect(loaded.value).toBe('A'));
    use(undefined);
    expect(loaded.latest).toBeUndefined();
    expect(loaded.isLoading).toBe(false);
    end();
  });
});
