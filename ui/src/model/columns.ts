import { COLUMN_FLAGS, KINDS } from '@/api/gen/api.ts';

const VERSION = 2;
const NOT_KNOWN = 0xffffffff;

/** `call/columns`, decoded: arrays of equal length, one entry a column. */
export interface CallColumns {
  readonly length: number;
  readonly firstCall: Uint32Array;
  /** The call with the largest prompt of the column. */
  readonly peakCall: Uint32Array;
  readonly tokens: Uint32Array;
  readonly cached: Uint32Array;
  /** Of the tokens, those the provider counted and the session does not show. They stand first. */
  readonly hidden: Uint32Array;
  /** Seven arrays in the order of `KINDS`. */
  readonly byKind: readonly Uint32Array[];
  readonly agent: Uint16Array;
  readonly flags: Uint16Array;
  /** Last call that the columns cover. */
  readonly lastCall: number;
}

export const NO_COLUMNS: CallColumns = {
  length: 0,
  firstCall: new Uint32Array(),
  peakCall: new Uint32Array(),
  tokens: new Uint32Array(),
  cached: new Uint32Array(),
  hidden: new Uint32Array(),
  byKind: KINDS.map(() => new Uint32Array()),
  agent: new Uint16Array(),
  flags: new Uint16Array(),
  lastCall: 0,
};

/** Decodes the bytes of `call/columns` without copying them. `lastCall` is the `to` that was asked for. */
export function decodeColumns(bytes: ArrayBuffer, lastCall: number): CallColumns {
  const [version, length] = new Uint32Array(bytes, 0, 2);
  if (version !== VERSION || length === undefined)
    throw new Error(`Columns of version ${String(version)}, this window reads ${String(VERSION)}`);
  let offset = 8;
  const words = (): Uint32Array => {
    const array = new Uint32Array(bytes, offset, length);
    offset += length * 4;
    return array;
  };
  const halves = (): Uint16Array => {
    const array = new Uint16Array(bytes, offset, length);
    offset += length * 2;
    return array;
  };
  return {
    length,
    firstCall: words(),
    peakCall: words(),
    tokens: words(),
    cached: words(),
    hidden: words(),
    byKind: KINDS.map(words),
    agent: halves(),
    flags: halves(),
    lastCall,
  };
}

/** Tokens of a column that were read from a cache; 0 when that is not known. */
export function cachedTokens(columns: CallColumns, index: number): number {
  const cached = columns.cached[index] ?? NOT_KNOWN;
  return cached === NOT_KNOWN ? 0 : cached;
}

export function isCacheKnown(columns: CallColumns, index: number): boolean {
  return columns.cached[index] !== NOT_KNOWN;
}

export function hasFlag(columns: CallColumns, index: number, flag: keyof typeof COLUMN_FLAGS): boolean {
  return ((columns.flags[index] ?? 0) & COLUMN_FLAGS[flag]) !== 0;
}

/** The calls of a column, both ends included. */
export function callsOfColumn(columns: CallColumns, index: number): { from: number; to: number } {
  const from = columns.firstCall[index] ?? 1;
  const next = columns.firstCall[index + 1];
  return { from, to: next === undefined ? columns.lastCall : next - 1 };
}

/** The column that holds a call, by binary search. */
export function columnOfCall(columns: CallColumns, call: number): number {
  let low = 0;
  let high = columns.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((columns.firstCall[middle] ?? 0) <= call) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Whether every column is one call, so that sums over columns are exact. */
export function isOneCallPerColumn(columns: CallColumns): boolean {
  const first = columns.firstCall[0];
  return first !== undefined && columns.length === columns.lastCall - first + 1;
}

/** Tokens of the column that is drawn tallest: of all its kinds, and what is hidden before them. */
export function tallestColumn(columns: CallColumns): number {
  let tallest = 0;
  for (let at = 0; at < columns.length; at += 1) {
    const counted = columns.byKind.reduce((sum, kind) => sum + (kind[at] ?? 0), columns.hidden[at] ?? 0);
    tallest = Math.max(tallest, counted, columns.tokens[at] ?? 0);
  }
  return tallest;
}

/** The call with the largest prompt. */
export function largestCall(columns: CallColumns): number {
  let best = 0;
  for (let i = 1; i < columns.length; i += 1)
    if ((columns.tokens[i] ?? 0) > (columns.tokens[best] ?? 0)) best = i;
  return columns.peakCall[best] ?? 1;
}

/** The nearest column with one of the flags that ends after (or begins before) a call. */
export function nextFlagged(
  columns: CallColumns,
  call: number,
  flags: number,
  direction: 1 | -1,
): number | undefined {
  for (let i = columnOfCall(columns, call); i >= 0 && i < columns.length; i += direction) {
    const { from, to } = callsOfColumn(columns, i);
    const isBeyond = direction === 1 ? to > call : from < call;
    if (isBeyond && ((columns.flags[i] ?? 0) & flags) !== 0) return i;
  }
  return undefined;
}
