import { untrack } from 'svelte';
import { toFailure, type Failure } from '@/api/client.ts';

export interface Chunk<T> {
  readonly items: readonly T[];
  /** Where the next chunk begins; absent after the last one. */
  readonly next: number | undefined;
}

interface Stream<T> {
  readonly key: string;
  readonly items: readonly T[];
  readonly isComplete: boolean;
  readonly failure: Failure | undefined;
}

/** A long text fetched chunk after chunk until it is whole, or until it is as long as a window can hold. */
export class Streamed<T> {
  readonly #key: () => string | undefined;
  #stream: Stream<T> | undefined = $state.raw();
  #attempt = $state(0);

  constructor(
    key: () => string | undefined,
    fetchChunk: (offset: number) => Promise<Chunk<T>>,
    isFull: (items: readonly T[]) => boolean,
  ) {
    this.#key = key;
    // By value: what the key is made of may change and the key not.
    const current = $derived(key());
    $effect(() => {
      const wanted = current;
      void this.#attempt;
      if (wanted === undefined) return undefined;
      let isOld = false;
      const run = async (): Promise<void> => {
        let items: readonly T[] = [];
        let next: number | undefined = 0;
        while (next !== undefined && !isFull(items)) {
          const chunk: Chunk<T> = await fetchChunk(next);
          if (isOld) return;
          items = [...items, ...chunk.items];
          next = chunk.next;
          this.#stream = { key: wanted, items, isComplete: next === undefined, failure: undefined };
        }
      };
      untrack(run).catch((thrown: unknown) => {
        if (!isOld) this.#stream = { key: wanted, items: [], isComplete: false, failure: toFailure(thrown) };
      });
      return () => {
        isOld = true;
      };
    });
  }

  /** Names what the items belong to. */
  get key(): string | undefined {
    return this.#stream?.key;
  }

  get items(): readonly T[] {
    return this.#stream?.items ?? [];
  }

  get isComplete(): boolean {
    return this.#stream?.isComplete === true && this.#stream.key === this.#key();
  }

  get isLoading(): boolean {
    return this.#stream?.key !== this.#key();
  }

  get failure(): Failure | undefined {
    return this.#stream?.key === this.#key() ? this.#stream?.failure : undefined;
  }

  retry(): void {
    this.#attempt += 1;
  }
}
