import type { StratumRun, StratumRuns } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { decodeMap, NO_MAP, type MapColumns } from '@/model/map-columns.ts';
import { detailLevel, showsParts, smallestPart } from '@/model/detail-level.ts';
import { NO_COLUMNS, type CallColumns } from '@/model/columns.ts';
import {
  fitAll,
  fitBox,
  fitCalls,
  paddedCalls,
  panBy,
  revealCall,
  showsAllTokens,
  withAllTokens,
  zoomCalls,
  zoomTokens,
  type Viewport,
} from '@/model/viewport.ts';
import type { EventTable } from './event-table.svelte.ts';
import { Loaded } from './loaded.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';

interface Chosen {
  /** The session and the range. */
  readonly where: string;
  readonly viewport: Viewport;
  readonly showsAllTokens: boolean;
}

/** What the context map shows, and the columns and parts it has for that. */
export class ContextMap {
  readonly #session: OpenSession;
  readonly columnsOfView: Loaded<CallColumns>;
  readonly parts: Loaded<MapColumns>;
  readonly stratum: Loaded<StratumRuns>;
  /** Size of the plot without its axes; set by the map. */
  plot: { readonly width: number; readonly height: number } = $state.raw({ width: 0, height: 0 });
  /** What a person zoomed to, in the session and range where they did. */
  #chosen: Chosen | undefined = $state.raw();

  constructor(host: Host, session: OpenSession, events: EventTable) {
    this.#session = session;
    const key = (...parts: readonly (string | number)[]): string | undefined =>
      session.isOpen && session.calls > 0 && this.plot.width > 0
        ? [session.key, this.#padded.from, this.#padded.to, ...parts].join(' ')
        : undefined;
    this.columnsOfView = new Loaded(
      () => key(this.#mostColumns),
      () => session.fetchColumns(this.#padded, this.#mostColumns),
    );
    this.parts = new Loaded(
      () => (this.showsParts ? key(this.#smallestPart) : undefined),
      async () => {
        const range = this.#padded;
        const bytes = await host.invokeBytes('call/map', {
          session: session.id ?? '',
          ...range,
          maxColumns: range.to - range.from + 1,
          minTokens: this.#smallestPart,
        });
        return decodeMap(bytes);
      },
    );
    session.refreshAfter(() => this.columnsOfView.isLoading || this.parts.isLoading);
    this.stratum = new Loaded(
      () => (events.selectedEvent === undefined ? undefined : key('E', events.selectedEvent)),
      () =>
        host.invoke('event/stratum', {
          session: session.id ?? '',
          event: events.selectedEvent ?? 0,
          calls: this.#padded,
        }),
    );
  }

  get viewport(): Viewport {
    if (this.#chosen?.where !== this.#where) return this.#fitted;
    const { viewport, showsAllTokens } = this.#chosen;
    // Prompts may have grown since: the session is compiled while it is looked at.
    return showsAllTokens ? withAllTokens(viewport, this.#session.extent) : viewport;
  }

  get columns(): CallColumns {
    return this.#session.isOpen ? (this.columnsOfView.latest ?? NO_COLUMNS) : NO_COLUMNS;
  }

  get map(): MapColumns {
    return this.#session.isOpen ? (this.parts.latest ?? NO_MAP) : NO_MAP;
  }

  get pixelsPerCall(): number {
    return this.plot.width / (this.viewport.to - this.viewport.from);
  }

  get showsParts(): boolean {
    return showsParts(detailLevel(this.pixelsPerCall));
  }

  get strata(): readonly StratumRun[] {
    return this.stratum.value?.runs ?? [];
  }

  zoom(factor: number, atCall?: number): void {
    const { viewport } = this;
    const middle = (viewport.from + viewport.to) / 2;
    this.#choose(zoomCalls(viewport, factor, atCall ?? middle, this.#session.extent));
  }

  zoomTokens(factor: number, atToken: number): void {
    this.#choose(zoomTokens(this.viewport, factor, atToken, this.#session.extent));
  }

  /** Pans by pixels. Where all tokens are seen, there is only one way to go. */
  panPixels(across: number, down: number): void {
    const { viewport, plot } = this;
    const perCall = (viewport.to - viewport.from) / Math.max(1, plot.width);
    const perToken = (viewport.bottom - viewport.top) / Math.max(1, plot.height);
    const isOneWay = showsAllTokens(viewport, this.#session.extent);
    const calls = (isOneWay ? across + down : across) * perCall;
    this.#choose(panBy(viewport, calls, isOneWay ? 0 : down * perToken, this.#session.extent));
  }

  /** Pans by a share of what is seen. */
  pan(share: number): void {
    this.panPixels(share * this.plot.width, 0);
  }

  fitAll(): void {
    this.#chosen = undefined;
  }

  /** Shows the stratum of the selection as large as it goes. */
  fitSelection(): void {
    const runs = this.strata;
    const [first] = runs;
    const last = runs.at(-1);
    if (first === undefined || last === undefined) return;
    const box = runs.reduce(
      (sum, run) => ({
        ...sum,
        top: Math.min(sum.top, run.fromToken),
        bottom: Math.max(sum.bottom, run.fromToken + run.tokens),
      }),
      { from: first.from, to: last.to + 1, top: Infinity, bottom: 0 },
    );
    this.#choose(fitBox(box, this.#session.extent));
  }

  reveal(call: number): void {
    const { viewport } = this;
    const next = revealCall(viewport, call, this.#session.extent);
    if (next !== viewport) this.#choose(next);
  }

  get #where(): string {
    const { id, range } = this.#session;
    return `${id ?? ''} ${String(range?.from)} ${String(range?.to)}`;
  }

  get #fitted(): Viewport {
    const { range, extent } = this.#session;
    return range === undefined ? fitAll(extent) : fitCalls(range, extent);
  }

  get #padded(): { readonly from: number; readonly to: number } {
    return paddedCalls(this.viewport, this.#session.extent);
  }

  get #mostColumns(): number {
    const calls = this.#padded.to - this.#padded.from + 1;
    if (this.pixelsPerCall >= 1) return calls;
    return Math.max(1, Math.min(calls, Math.round(calls * this.pixelsPerCall)));
  }

  get #smallestPart(): number {
    const { top, bottom } = this.viewport;
    return smallestPart((bottom - top) / Math.max(1, this.plot.height));
  }

  #choose(viewport: Viewport): void {
    const showsAll = showsAllTokens(viewport, this.#session.extent);
    this.#chosen = { where: this.#where, viewport, showsAllTokens: showsAll };
  }
}
