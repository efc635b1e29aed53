import type { StratumRun } from '@/api/gen/api.ts';
import { ensureExists } from '@/lib/assert.ts';

const VERSION = 1;

/** `call/map`, decoded. Segments of column `c` are `segmentStart[c] .. segmentStart[c + 1]`, from token 0 down. */
export interface MapColumns {
  readonly length: number;
  readonly call: Uint32Array;
  readonly segmentStart: Uint32Array;
  readonly tokens: Uint32Array;
  /** The event a segment is made from, or 0. */
  readonly event: Uint32Array;
  /** Index into `KINDS`; of no meaning for what is hidden. */
  readonly kind: Uint8Array;
  readonly flags: Uint8Array;
}

export const SEGMENT_FLAGS = { reframed: 1, merged: 2, thought: 4, hidden: 8 } as const;

export const NO_MAP: MapColumns = {
  length: 0,
  call: new Uint32Array(),
  segmentStart: new Uint32Array([0]),
  tokens: new Uint32Array(),
  event: new Uint32Array(),
  kind: new Uint8Array(),
  flags: new Uint8Array(),
};

/** Decodes the bytes of `call/map` without copying them. */
export function decodeMap(bytes: ArrayBuffer): MapColumns {
  const [version, length, segments] = new Uint32Array(bytes, 0, 3);
  if (version !== VERSION || length === undefined || segments === undefined)
    throw new Error(`Map of version ${String(version)}, this window reads ${String(VERSION)}`);
  let offset = 12;
  const words = (count: number): Uint32Array => {
    const array = new Uint32Array(bytes, offset, count);
    offset += count * 4;
    return array;
  };
  const call = words(length);
  const segmentStart = words(length + 1);
  const tokens = words(segments);
  const event = words(segments);
  const kind = new Uint8Array(bytes, offset, segments);
  return {
    length,
    call,
    segmentStart,
    tokens,
    event,
    kind,
    flags: new Uint8Array(bytes, offset + segments, segments),
  };
}

/** The column that shows a call: the last one that begins at or before it. */
export function mapColumnOfCall(map: MapColumns, call: number): number {
  let low = 0;
  let high = map.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((map.call[middle] ?? 0) <= call) low = middle;
    else high = middle - 1;
  }
  return low;
}

export interface MapSegment {
  readonly call: number;
  readonly fromToken: number;
  readonly tokens: number;
  readonly event: number;
  readonly kind: number;
  readonly flags: number;
}

/** The segment at a token of a column, or none below the end of the prompt. */
export function segmentAt(map: MapColumns, column: number, token: number): MapSegment | undefined {
  let fromToken = 0;
  for (let i = map.segmentStart[column] ?? 0; i < (map.segmentStart[column + 1] ?? 0); i += 1) {
    const tokens = map.tokens[i] ?? 0;
    if (token < fromToken + tokens)
      return {
        call: ensureExists(map.call[column], 'the map has a call for every column'),
        fromToken,
        tokens,
        event: map.event[i] ?? 0,
        kind: map.kind[i] ?? 0,
        flags: map.flags[i] ?? 0,
      };
    fromToken += tokens;
  }
  return undefined;
}

/** The events a column is made from, from its start down, each once. */
export function eventsOfColumn(map: MapColumns, column: number): readonly number[] {
  const events = map.event.subarray(map.segmentStart[column] ?? 0, map.segmentStart[column + 1] ?? 0);
  return [...new Set(events)].filter((event) => event > 0);
}

/** Where an event lies in the columns at hand: from its first part to its last, call by call. */
export function strataOf(map: MapColumns, event: number): readonly StratumRun[] {
  const strata: StratumRun[] = [];
  for (let column = 0; column < map.length; column += 1) {
    let token = 0;
    let from = -1;
    let to = 0;
    for (let i = map.segmentStart[column] ?? 0; i < (map.segmentStart[column + 1] ?? 0); i += 1) {
      const end = token + (map.tokens[i] ?? 0);
      if (map.event[i] === event) {
        if (from < 0) from = token;
        to = end;
      }
      token = end;
    }
    const call = map.call[column] ?? 0;
    if (from >= 0) strata.push({ from: call, to: call, fromToken: from, tokens: to - from });
  }
  return strata;
}
