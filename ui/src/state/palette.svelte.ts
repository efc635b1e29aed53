import { toFailure, type Failure } from '@/api/client.ts';
import type { PaletteItem } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { Latest } from '@/lib/latest.ts';

const MOST_PLACES = 40;

/** The palette: whether it is open, what is typed, and the places the backend found for that. */
export class Palette {
  readonly #search: Latest<{ readonly session: string; readonly query: string }>;
  isOpen = $state(false);
  text = $state('');
  #found: { readonly query: string; readonly items: readonly PaletteItem[] } = $state.raw({
    query: '',
    items: [],
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
  }

  /** The places found for what is typed, or for what was typed a moment ago. */
  get places(): readonly PaletteItem[] {
    return this.#found.items;
  }

  /** The places are those of an earlier text. */
  get isSearching(): boolean {
    return this.#found.query !== this.text;
  }

  open(text: string = ''): void {
    this.text = text;
    this.#found = { query: text, items: [] };
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
  }
}
