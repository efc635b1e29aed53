import type { CallRange, EventPage, EventRow } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { eventOf, parseAddress } from '@/model/address.ts';
import type { Location } from './location.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';
import { Pages } from './pages.svelte.ts';

/** The rows of the event table, and which of them is selected. */
export class EventTable {
  readonly #location: Location;
  readonly rows: Pages<EventRow, EventPage>;

  constructor(host: Host, location: Location, session: OpenSession) {
    this.#location = location;
    this.rows = new Pages(
      // What no view shows is not kept up to date: after an edit others are waited for.
      () =>
        session.isOpen && location.view.view === 'session'
          ? [session.key, this.listKey].join(' ')
          : undefined,
      (offset, limit) =>
        host.invoke('event/page', {
          session: session.id ?? '',
          order: location.view.order,
          filter: this.filter,
          ...(this.#range === undefined ? {} : { within: this.#range }),
          offset,
          limit,
        }),
      () => `${session.id ?? ''} ${this.listKey}`,
    );
    session.refreshAfter(() => this.rows.isLoading);
  }

  /** What the backend filters by: what was typed, within the committed range. */
  get filter(): string {
    const range = this.#range;
    const calls = range === undefined ? '' : `call:${String(range.from)}..${String(range.to)}`;
    return [this.#location.view.filter.trim(), calls].filter((term) => term !== '').join(' ');
  }

  get #range(): CallRange | undefined {
    return this.#location.view.ranges.at(-1);
  }

  /** Changes when the list becomes another one, so that it starts from the top. */
  get listKey(): string {
    return `${this.#location.view.order} ${this.filter}`;
  }

  get selectedEvent(): number | undefined {
    return eventOf(parseAddress(this.#location.view.selection ?? ''));
  }

  /** Where the selected event is in the list, as far as that is known. Looked for once for all rows. */
  readonly activeIndex: number | undefined = $derived.by(() => {
    const event = this.selectedEvent;
    if (event === undefined) return undefined;
    const isWhole = this.#location.view.order === 'inOrder' && this.filter === '';
    if (isWhole && event <= this.rows.total) return event - 1;
    return this.rows.find((row) => row.event === event)?.index;
  });

  /** Selects the row at an index, which may have to be fetched first. */
  async selectIndex(index: number): Promise<void> {
    if (this.rows.total === 0) return;
    const wanted = Math.min(this.rows.total - 1, Math.max(0, index));
    const row = this.rows.row(wanted) ?? (await this.rows.load(wanted));
    if (row !== undefined) this.#location.go({ selection: `E${String(row.event)}` }, 'walk');
  }

  move(delta: number): void {
    const { activeIndex } = this;
    void this.selectIndex(activeIndex === undefined ? 0 : activeIndex + delta);
  }
}
