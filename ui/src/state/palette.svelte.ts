import { toFailure, type Failure } from '@/api/client.ts';
import type { PaletteItem, SearchHit } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { Latest } from '@/lib/latest.ts';

const MOST_PLACES = 40;
/** More than are shown, because a session shows only a few of its own. */
const MOST_HITS = 60;
/** A single letter is in everything. */
const LEAST_LETTERS = 2;

/** The palette: whether it is open, what is typed, and the places the backend found for that. */
export class Palette {
  readonly #search: Latest<{ readonly session: string; readonly query: string }>;
  isOpen = $state(false);
  text = $state('');
  #found: { readonly query: string; readonly items: readonly PaletteItem[] } = $state.raw({
    query: '',
    items: [],
  });
  readonly #everywhere: Latest<string>;
  #hits: { readonly query: string; readonly hits: readonly SearchHit[] } = $state.raw({
    query: '',
    hits: [],
  });
  failure: Failure | undefined = $state.raw();

  constructor(host: Host) {
    this.#search = new Latest(async ({ session, query }) => {
      try {
        const { items } = await host.invoke('palette/search', { session, query, limit: MOST_PLACES });
        this.failure = undefined;
        if (!this.#search.isSuperseded) this.#found = { query, items };
      } catch (thrown) {
        this.failure = toFailure(thrown);
      }
    });
    this.#everywhere = new Latest(async (query) => {
      const filters = { session: null, agent: null, tool: null, after: null };
      try {
        const { hits } = await host.invoke('search/find', { query, ...filters, limit: MOST_HITS });
        if (!this.#everywhere.isSuperseded) this.#hits = { query, hits };
      } catch (thrown) {
        this.failure = toFailure(thrown);
      }
    });
  }

  /** What was found in all sessions for what is typed, or for what was typed a moment ago. */
  get hits(): readonly SearchHit[] {
    return this.#hits.hits;
  }

  /** The places found for what is typed, or for what was typed a moment ago. */
  get places(): readonly PaletteItem[] {
    return this.#found.items;
  }

  /** The places are those of an earlier text. */
  get isSearching(): boolean {
    return this.#found.query !== this.text || this.#hits.query !== this.#wanted;
  }

  /** What is looked for in all sessions; empty for nothing. */
  get #wanted(): string {
    const text = this.text.trim();
    return text.length >= LEAST_LETTERS && !/^[>?:]/.test(text) ? text : '';
  }

  open(text: string = ''): void {
    this.text = text;
    this.#found = { query: text, items: [] };
    this.#hits = { query: this.#wanted, hits: [] };
    this.isOpen = true;
  }

  close(): void {
    this.isOpen = false;
  }

  type(text: string, session: string | undefined): void {
    this.text = text;
    const isPlace = text.trim() !== '' && !/^[>?:]/.test(text);
    if (isPlace && session !== undefined) this.#search.ask({ session, query: text });
    else this.#found = { query: text, items: [] };
    if (this.#wanted === '') this.#hits = { query: '', hits: [] };
    else this.#everywhere.ask(this.#wanted);
  }
}
