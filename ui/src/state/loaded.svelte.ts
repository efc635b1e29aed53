import { untrack } from 'svelte';
import { toFailure, type Failure } from '@/api/client.ts';

/**
 * A key that changes faster than this, and faster than answers come, is a held key or a turned wheel: what it names is
 * fetched when it rests.
 */
const REST_MS = 60;

/** The first word of a key names what is asked about, most often a session. An answer about another is of no use. */
export function isAboutSame(key: string, other: string | undefined): boolean {
  return other !== undefined && key.split(' ', 1)[0] === other.split(' ', 1)[0];
}

interface Settled<T> {
  readonly key: string;
  readonly value: T | undefined;
  readonly failure: Failure | undefined;
}

/**
 * Something fetched by key. When the key changes it is fetched again and only the newest answer counts; until then the
 * answer to the key before stays available as `latest`, so that panels can show it dimmed instead of going empty. It does
 * not when it was about something else: the first word of both keys says so.
 */
export class Loaded<T> {
  /** By value: what the key is made of may change and the key not. It is made once for all who look. */
  readonly #key: string | undefined;
  #settled: Settled<T> | undefined = $state.raw();
  #attempt = $state(0);
  #changedAt = -Infinity;
  /** The request that was started last, until it is answered. */
  #running: Promise<void> | undefined;

  /** `key` names what is wanted, or nothing. `load` may read state: only `key` decides when it runs. */
  constructor(key: () => string | undefined, load: () => Promise<T>) {
    this.#key = $derived(key());
    $effect(() => {
      const wanted = this.#key;
      const attempt = this.#attempt;
      if (wanted === undefined) return undefined;
      let isOld = false;
      const settle = (value: T | undefined, failure: Failure | undefined): void => {
        if (!isOld && attempt === this.#attempt) this.#settled = { key: wanted, value, failure };
      };
      const start = (): void => {
        const running = untrack(load).then(
          (value) => settle(value, undefined),
          (thrown: unknown) => settle(undefined, toFailure(thrown)),
        );
        this.#running = running;
        void running.then(() => {
          if (this.#running === running) this.#running = undefined;
        });
      };
      const now = performance.now();
      const isHurried = this.#running !== undefined && now - this.#changedAt < REST_MS;
      this.#changedAt = now;
      const rest = isHurried ? setTimeout(start, REST_MS) : undefined;
      if (!isHurried) start();
      return () => {
        isOld = true;
        clearTimeout(rest);
      };
    });
  }

  /** The answer to the present key. */
  get value(): T | undefined {
    return this.#settled?.key === this.#key ? this.#settled?.value : undefined;
  }

  /** The newest answer, perhaps to an earlier key. */
  get latest(): T | undefined {
    const settled = this.#settled;
    return settled !== undefined && isAboutSame(settled.key, this.#key) ? settled.value : undefined;
  }

  get failure(): Failure | undefined {
    return this.#settled?.key === this.#key ? this.#settled?.failure : undefined;
  }

  get isLoading(): boolean {
    const key = this.#key;
    return key !== undefined && this.#settled?.key !== key;
  }

  retry(): void {
    this.#attempt += 1;
  }
}
