import { COLUMN_FLAGS, type CallRange } from '@/api/gen/api.ts';
import { parseAddress, printAddress } from '@/model/address.ts';
import {
  cachedTokens,
  callsOfColumn,
  columnOfCall,
  hasFlag,
  isCacheKnown,
  nextFlagged,
} from '@/model/columns.ts';
import { formatInteger, formatPercent } from '@/model/format.ts';
import type { ContextMap } from './context-map.svelte.ts';
import type { Location, Step } from './location.svelte.ts';
import type { Messages } from './messages.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';

export type Landmark = 'break' | 'compaction' | 'handoff' | 'error';

export const LANDMARK_WORDS: Readonly<Record<Landmark, string>> = {
  break: 'cache loss',
  compaction: 'compaction',
  handoff: 'hand-off',
  error: 'error',
};

const LANDMARK_FLAGS: Readonly<Record<Landmark, number>> = {
  break: COLUMN_FLAGS.avoidableBreak | COLUMN_FLAGS.structuralBreak | COLUMN_FLAGS.providerBreak,
  compaction: COLUMN_FLAGS.compaction,
  handoff: COLUMN_FLAGS.handoff,
  error: COLUMN_FLAGS.error,
};

/** Moves the cursor among the calls, and draws and commits ranges of them. */
export class Cursor {
  readonly #location: Location;
  readonly #session: OpenSession;
  readonly #map: ContextMap;
  readonly #messages: Messages;
  /** A range that is drawn and not committed. */
  preview: CallRange | undefined = $state.raw();

  constructor(location: Location, session: OpenSession, map: ContextMap, messages: Messages) {
    this.#location = location;
    this.#session = session;
    this.#map = map;
    this.#messages = messages;
  }

  /** Puts the cursor on a call. What is selected of the old call gives way to the same of the new one. */
  set(call: number, step: Step = 'jump'): void {
    const wanted = Math.min(this.#session.calls, Math.max(1, call));
    this.#location.go({ cursor: wanted, difference: 1, ...this.#followingSelection(wanted) }, step);
    this.#map.reveal(wanted);
    this.#messages.announce(this.describe(wanted));
  }

  /** The same for a place that was selected already: only the cursor moves. */
  show(call: number): void {
    this.#location.go({ cursor: call, difference: 1 }, 'replace');
    this.#map.reveal(call);
  }

  move(delta: number): void {
    this.set(this.#session.cursor + delta, 'walk');
  }

  /** Moves to the next call with a landmark, if there is one. */
  async jump(landmark: Landmark, direction: 1 | -1): Promise<void> {
    const call = await this.#findLandmark(LANDMARK_FLAGS[landmark], direction);
    if (call !== undefined) this.set(call);
    else this.#messages.announce(`No ${direction === 1 ? 'later' : 'earlier'} ${LANDMARK_WORDS[landmark]}`);
  }

  /** The landmark under the cursor or the last one before it, else the next one. */
  async nearest(landmark: Landmark): Promise<number | undefined> {
    const flags = LANDMARK_FLAGS[landmark];
    const { columns, cursor } = this.#session;
    const at = columnOfCall(columns, cursor);
    const { from, to } = callsOfColumn(columns, at);
    if (from === to && ((columns.flags[at] ?? 0) & flags) !== 0) return cursor;
    return (await this.#findLandmark(flags, -1)) ?? this.#findLandmark(flags, 1);
  }

  /** Draws the range from its far end to where the cursor is moved. */
  extend(delta: number): void {
    const from = this.preview?.from ?? this.#session.cursor;
    const to = this.preview?.to ?? this.#session.cursor;
    const end = Math.min(this.#session.calls, Math.max(1, to + delta));
    this.preview = end >= from ? { from, to: end } : { from: end, to: from };
  }

  commit(): void {
    const range = this.preview;
    if (range === undefined) return;
    this.preview = undefined;
    this.#location.go({ ranges: [...this.#location.view.ranges, range] });
  }

  /** Goes back to the range around this one; `depth` counts the ranges that stay. */
  leaveRange(depth: number): void {
    this.#location.go({ ranges: this.#location.view.ranges.slice(0, depth) });
  }

  /** "C17, 50,631 tokens, 7.3% cached, avoidable break". */
  describe(call: number): string {
    const { columns } = this.#session;
    const index = columnOfCall(columns, call);
    if (columns.peakCall[index] !== call) return `C${String(call)}`;
    const tokens = columns.tokens[index] ?? 0;
    return [
      `C${String(call)}`,
      `${formatInteger(tokens)} tokens`,
      ...(isCacheKnown(columns, index)
        ? [`${formatPercent(cachedTokens(columns, index) / Math.max(1, tokens))} cached`]
        : []),
      ...(hasFlag(columns, index, 'avoidableBreak') ? ['avoidable cache loss'] : []),
      ...(hasFlag(columns, index, 'structuralBreak') ? ['cache loss'] : []),
      ...(hasFlag(columns, index, 'compaction') ? ['after a compaction'] : []),
      ...(hasFlag(columns, index, 'error') ? ['error'] : []),
    ].join(', ');
  }

  #followingSelection(call: number): { readonly selection?: string | undefined } {
    // There the inspector says why this call missed, whatever was looked at before.
    if (this.#location.view.view === 'cache') return { selection: undefined };
    const selected = parseAddress(this.#location.view.selection ?? '');
    if (selected === undefined || !('call' in selected) || selected.call === call) return {};
    if (selected.type === 'call') return { selection: printAddress({ type: 'call', call }) };
    const processor = selected.type === 'stage' ? selected.processor : this.#location.view.stage;
    if (processor === undefined) return { selection: printAddress({ type: 'call', call }) };
    return { selection: printAddress({ type: 'stage', call, processor }) };
  }

  /** A column may stand for many calls; then those are looked at one by one. */
  async #findLandmark(flags: number, direction: 1 | -1): Promise<number | undefined> {
    const { columns } = this.#session;
    let call = this.#session.cursor;
    for (;;) {
      const index = nextFlagged(columns, call, flags, direction);
      if (index === undefined) return undefined;
      const range = callsOfColumn(columns, index);
      if (range.from === range.to) return range.from;
      const exact = await this.#session.fetchColumns(range, range.to - range.from + 1);
      const start = direction === 1 ? Math.max(call, range.from - 1) : Math.min(call, range.to + 1);
      const found = nextFlagged(exact, start, flags, direction);
      if (found !== undefined) return exact.firstCall[found];
      call = direction === 1 ? range.to : range.from;
    }
  }
}
