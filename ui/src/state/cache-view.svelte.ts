import type { BreakPage, BreakRow, CallCacheDetail, FixList, PromptDifference } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import {
  decodeLadder,
  NO_LADDER,
  nextBreak,
  rungAt,
  rungsOf,
  type Ladder,
  type Rung,
} from '@/model/ladder.ts';
import { ladderScale, pixelsPerToken, type LadderScale } from '@/model/ladder-scale.ts';
import { decodeMap, NO_MAP, type MapColumns } from '@/model/map-columns.ts';
import type { Cursor } from './cursor.svelte.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Location } from './location.svelte.ts';
import type { Messages } from './messages.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';
import { Pages } from './pages.svelte.ts';

/** Rows of the ladder that are fetched together; what is seen and as much again around it. */
const BLOCK_ROWS = 64;

/** Breaks, the ladder of prompts, and how the prompt under the cursor differs from the one before it. */
export class CacheView {
  readonly #location: Location;
  readonly #session: OpenSession;
  readonly #cursor: Cursor;
  readonly #messages: Messages;
  readonly breaks: Pages<BreakRow, BreakPage>;
  readonly columns: Loaded<Ladder>;
  readonly parts: Loaded<MapColumns>;
  readonly why: Loaded<CallCacheDetail>;
  readonly fixes: Loaded<FixList>;
  readonly difference: Loaded<PromptDifference>;
  /** Width of the bars; set by the ladder. */
  width = $state(0);
  #window = $state.raw({ first: 0, count: 0 });

  constructor(host: Host, location: Location, session: OpenSession, cursor: Cursor, messages: Messages) {
    this.#location = location;
    this.#session = session;
    this.#cursor = cursor;
    this.#messages = messages;
    const id = (): string => session.id ?? '';
    const key = (...parts: readonly (string | number)[]): string | undefined =>
      this.#isShown && session.compiledCalls > 0 ? [session.key, ...parts].join(' ') : undefined;
    this.breaks = new Pages(
      () => key('breaks', location.view.breakOrder),
      (offset, limit) =>
        host.invoke('cache/breaks', { session: id(), order: location.view.breakOrder, offset, limit }),
    );
    this.columns = new Loaded(
      () => key('ladder'),
      async () =>
        decodeLadder(await host.invokeBytes('cache/ladder', { session: id(), from: 1, to: session.calls })),
    );
    this.parts = new Loaded(
      () =>
        this.width > 0 && this.#wantedCalls !== '' ? key(this.#wantedCalls, this.#smallestPart) : undefined,
      async () => {
        const calls = this.#wantedCalls.split(',').map(Number);
        const minTokens = this.#smallestPart;
        return decodeMap(await host.invokeBytes('cache/rows', { session: id(), calls, minTokens }));
      },
    );
    const keyOfCall = (): string | undefined =>
      this.#isShown ? session.keyOfCall(session.cursor) : undefined;
    this.why = new Loaded(keyOfCall, () => host.invoke('cache/why', { session: id(), call: session.cursor }));
    this.fixes = new Loaded(
      () =>
        session.isOpen && !session.isCompiling && ['cache', 'stores'].includes(location.view.view)
          ? `${session.key ?? ''} fixes`
          : undefined,
      () => host.invoke('cache/fixes', { session: id() }),
    );
    this.difference = new Loaded(
      () => {
        const call = keyOfCall();
        return call === undefined ? undefined : `${call} ${String(location.view.difference)}`;
      },
      () =>
        host.invoke('cache/difference', {
          session: id(),
          call: session.cursor,
          number: location.view.difference,
        }),
    );
    session.refreshAfter(() => this.columns.isLoading || this.parts.isLoading || this.breaks.isLoading);
  }

  get ladder(): Ladder {
    return this.#session.isOpen ? (this.columns.latest ?? NO_LADDER) : NO_LADDER;
  }

  /** Indices of the ladder's rows. */
  readonly shown = $derived.by(() => this.#findShown());

  rung(row: number): Rung | undefined {
    const index = this.shown[row];
    return index === undefined ? undefined : rungAt(this.ladder, index);
  }

  /** The row of the call under the cursor. */
  get activeRow(): number | undefined {
    const { cursor } = this.#session;
    const row = this.shown.findIndex((index) => this.ladder.call[index] === cursor);
    return row < 0 ? undefined : row;
  }

  /** The prompt under the cursor. */
  get cursorRung(): Rung | undefined {
    return rungAt(this.ladder, this.ladder.call.indexOf(this.#session.cursor));
  }

  get scale(): LadderScale {
    const peak = this.ladder.tokens.reduce((most, tokens) => Math.max(most, tokens), 0);
    const rung = this.cursorRung;
    const zoomAt = this.#location.view.isZoomed ? (rung?.endsAt ?? rung?.cached) : undefined;
    return ladderScale(this.width, peak, zoomAt);
  }

  get map(): MapColumns {
    return this.#session.isOpen ? (this.parts.latest ?? NO_MAP) : NO_MAP;
  }

  /** Columns of the map by call: its rows are in no order of their own. */
  readonly columnOfCall = $derived.by(() => this.#findColumns());

  /** The call that the prompt under the cursor is compared with. */
  get against(): number | undefined {
    const { latest } = this.why;
    return latest?.call === this.#session.cursor ? latest.previous?.call : undefined;
  }

  /** Index of the break under the cursor in the list. */
  get activeBreak(): number | undefined {
    return this.breaks.find(({ call }) => call === this.#session.cursor)?.index;
  }

  show(first: number, count: number): void {
    this.#window = { first, count };
  }

  selectRow(row: number): void {
    const rung = this.rung(row);
    if (rung !== undefined) this.#cursor.set(rung.call, 'walk');
  }

  async selectBreak(index: number): Promise<void> {
    const wanted = Math.min(this.breaks.total - 1, Math.max(0, index));
    const row = this.breaks.row(wanted) ?? (await this.breaks.load(wanted));
    if (row !== undefined) this.#cursor.set(row.call, 'walk');
  }

  moveInList(delta: number): void {
    const { activeBreak } = this;
    this.selectBreak(activeBreak === undefined ? 0 : activeBreak + delta).catch(this.#messages.report);
  }

  /** To the next call that lost something, in the order of the calls. */
  jump(direction: 1 | -1): void {
    const call = nextBreak(this.ladder, this.#session.cursor, direction);
    if (call !== undefined) this.#cursor.set(call);
    else this.#messages.announce(`No ${direction === 1 ? 'later' : 'earlier'} cache loss`);
  }

  moveDifference(delta: number): void {
    const total = this.difference.latest?.total ?? 0;
    const next = Math.min(total, Math.max(1, this.#location.view.difference + delta));
    if (total > 0) this.#location.go({ difference: next }, 'replace');
  }

  #findShown(): readonly number[] {
    const agent = this.#location.view.ladder === 'agent' ? this.cursorRung?.agent : undefined;
    return rungsOf(this.ladder, agent);
  }

  #findColumns(): ReadonlyMap<number, number> {
    return new Map(Array.from(this.map.call, (call, column) => [call, column]));
  }

  /** Calls whose parts are asked for, as text so that it is a key. */
  get #wantedCalls(): string {
    const { first, count } = this.#window;
    const from = Math.max(0, (Math.floor(first / BLOCK_ROWS) - 1) * BLOCK_ROWS);
    const to = (Math.ceil((first + count) / BLOCK_ROWS) + 1) * BLOCK_ROWS;
    return this.shown
      .slice(from, to)
      .map((index) => this.ladder.call[index] ?? 0)
      .join(',');
  }

  /** Tokens of half a pixel where the scale is largest. */
  get #smallestPart(): number {
    const share = this.#location.view.isZoomed ? 1 / 16 : 1 / 2;
    const tokens = share / Math.max(1e-9, pixelsPerToken(this.scale));
    // Powers of two, so that a small change of the width asks for nothing new.
    return Math.max(1, 2 ** Math.floor(Math.log2(Math.max(1, tokens))));
  }

  get #isShown(): boolean {
    return this.#session.isOpen && this.#location.view.view === 'cache';
  }
}
