import { untrack } from 'svelte';
import { toFailure, type Failure } from '@/api/client.ts';
import { isAboutSame } from './loaded.svelte.ts';

const PAGE_ROWS = 200;
const KEPT_PAGES = 24;

export interface Page<R> {
  readonly total: number;
  readonly rows: readonly R[];
}

interface Listing<R, P extends Page<R>> {
  readonly key: string;
  /** Names the list whatever its numbers are by now. */
  readonly list: string | undefined;
  /** The newest page, for what it says about the whole list. */
  readonly about: P;
  readonly pages: ReadonlyMap<number, readonly R[]>;
  /** Pages that were fetched under this key; the others are of an earlier one, and better than none. */
  readonly fresh: ReadonlySet<number>;
}

/**
 * A long list fetched in pages as they come into view, never all of it. While the key changes (a sort, a filter), the old
 * rows stay until the new first page is there.
 */
export class Pages<R, P extends Page<R>> {
  /** By value: what the key is made of may change and the key not. It is made once for all rows. */
  readonly #key: string | undefined;
  readonly #list: () => string | undefined;
  readonly #fetchPage: (offset: number, limit: number) => Promise<P>;
  #listing: Listing<R, P> | undefined = $state.raw();
  #failed: { readonly key: string; readonly failure: Failure } | undefined = $state.raw();
  #attempt = $state(0);
  #wanted: readonly number[] = [0];
  #fetching: { readonly key: string; readonly done: Promise<void> } | undefined;

  /**
   * `key` names the list and what is known of it by now; `list` only the list. While `list` stays, what is in view is
   * fetched again, wherever that is, and the rows of before stand until then.
   */
  constructor(
    key: () => string | undefined,
    fetchPage: (offset: number, limit: number) => Promise<P>,
    list: () => string | undefined = key,
  ) {
    this.#key = $derived(key());
    this.#list = list;
    this.#fetchPage = fetchPage;
    let shown: string | undefined;
    $effect(() => {
      const wanted = this.#key;
      void this.#attempt;
      if (wanted === undefined) return;
      untrack(() => {
        if (list() !== shown) this.#wanted = [0];
        shown = list();
        this.#startFetching(wanted);
      });
    });
  }

  /** What the newest page says about the whole list. */
  get about(): P | undefined {
    return this.#shown?.about;
  }

  /** What is here of the present list, or of the same one as it was. */
  get #shown(): Listing<R, P> | undefined {
    const listing = this.#listing;
    return listing !== undefined && isAboutSame(listing.key, this.#key) ? listing : undefined;
  }

  get total(): number {
    return this.about?.total ?? 0;
  }

  /** The rows are those of an earlier key. */
  get isLoading(): boolean {
    const key = this.#key;
    return key !== undefined && this.#listing?.key !== key && this.#failed?.key !== key;
  }

  get failure(): Failure | undefined {
    return this.#failed?.key === this.#key ? this.#failed?.failure : undefined;
  }

  /** A row, if its page is here. */
  row(index: number): R | undefined {
    return this.#shown?.pages.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS];
  }

  /** The first row of the fetched pages that fits, and its index in the list. */
  find(fits: (row: R) => boolean): { readonly index: number; readonly row: R } | undefined {
    for (const [page, rows] of this.#shown?.pages ?? []) {
      const at = rows.findIndex(fits);
      const row = rows[at];
      if (row !== undefined) return { index: page * PAGE_ROWS + at, row };
    }
    return undefined;
  }

  /** Says which rows are in view. Pages that came into view and went again are not fetched. */
  show(first: number, count: number): void {
    const from = Math.floor(first / PAGE_ROWS);
    const to = Math.floor(Math.max(first, first + count - 1) / PAGE_ROWS);
    this.#wanted = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    const key = untrack(() => this.#key);
    if (key !== undefined) this.#startFetching(key);
  }

  /** A row that may be far away, once it is here. */
  async load(index: number): Promise<R | undefined> {
    this.show(index, 1);
    await this.#fetching?.done;
    return this.row(index);
  }

  retry(): void {
    this.#failed = undefined;
    this.#attempt += 1;
  }

  #startFetching(key: string): void {
    if (this.#fetching?.key === key) return;
    const done = this.#fetchWanted(key).finally(() => {
      if (this.#fetching?.done === done) this.#fetching = undefined;
    });
    this.#fetching = { key, done };
  }

  /** One request at a time: after each, what is in view by then decides about the next. */
  async #fetchWanted(key: string): Promise<void> {
    for (let page = this.#nextMissing(key); page !== undefined; page = this.#nextMissing(key)) {
      try {
        const answer = await this.#fetchPage(page * PAGE_ROWS, PAGE_ROWS);
        if (this.#key !== key) break;
        this.#keep(key, page, answer);
      } catch (thrown) {
        if (this.#key === key) this.#failed = { key, failure: toFailure(thrown) };
        break;
      }
    }
  }

  #nextMissing(key: string): number | undefined {
    const listing = this.#listing;
    if (listing?.key !== key) {
      // Numbers change faster than pages come: rows that are not there at all go first.
      const isKnown = (page: number): boolean => this.#isOfList(listing) && listing?.pages.has(page) === true;
      return this.#wanted.find((page) => !isKnown(page)) ?? this.#wanted[0];
    }
    const pages = Math.ceil(listing.about.total / PAGE_ROWS);
    const missing = this.#wanted.filter((page) => page < pages && !listing.fresh.has(page));
    return missing.find((page) => !listing.pages.has(page)) ?? missing[0];
  }

  #isOfList(listing: Listing<R, P> | undefined): boolean {
    return listing !== undefined && listing.list === this.#list();
  }

  #keep(key: string, page: number, answer: P): void {
    const before = this.#listing;
    const old = this.#isOfList(before) ? [...(before?.pages ?? [])].filter(([known]) => known !== page) : [];
    // A Map keeps the order of insertion, so the first ones are the oldest.
    const kept = old.slice(Math.max(0, old.length + 1 - KEPT_PAGES));
    const pages = new Map([...kept, [page, answer.rows] as const]);
    const fresh = before?.key === key ? [...before.fresh].filter((known) => pages.has(known)) : [];
    this.#listing = { key, list: this.#list(), about: answer, pages, fresh: new Set([...fresh, page]) };
  }
}
