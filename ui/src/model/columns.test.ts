import { describe, expect, test } from 'vitest';
import { COLUMN_FLAGS } from '@/api/gen/api.ts';
import { compiledTo } from '../../tests/columns.ts';
import { recorded, recordedBytes } from '../../tests/recorded.ts';
import {
  cachedTokens,
  callsOfColumn,
  columnOfCall,
  decodeColumns,
  hasFlag,
  isCacheKnown,
  isOneCallPerColumn,
  largestCall,
  nextFlagged,
  tallestColumn,
} from './columns.ts';
import { decodeMap, mapColumnOfCall, segmentAt, strataOf } from './map-columns.ts';

const session = 'invoice-triage';
const all = { session, from: 1, to: 41, maxColumns: 41 };
const bytes = await recordedBytes('call/columns', all);
const columns = decodeColumns(bytes, 41);
const coarse = decodeColumns(await recordedBytes('call/columns', { ...all, maxColumns: 10 }), 41);
const header = await recorded('session/header', { session });
const c17 = await recorded('call/get', { session, call: 17 });

function sumOf(tokens: Iterable<number>): number {
  return [...tokens].reduce((sum, one) => sum + one, 0);
}

describe('columns of calls', () => {
  test('hold the numbers of every call', () => {
    expect(columns.length).toBe(41);
    const { promptTokens, cachedTokens: cached } = header.bill;
    expect(sumOf(columns.tokens)).toBe(promptTokens);
    expect(sumOf(columns.cached)).toBe(cached);
    expect(columns.tokens[16]).toBe(c17.bill.promptTokens);
    expect(columns.byKind.map((kind) => kind[16] ?? 0).filter((tokens) => tokens > 0)).toEqual(
      c17.byKind.map(({ tokens }) => tokens),
    );
    expect(hasFlag(columns, 16, 'avoidableBreak')).toBe(true);
    expect(hasFlag(columns, 17, 'compaction')).toBe(true);
    expect(isOneCallPerColumn(columns)).toBe(true);
  });

  test('keep the peak when they stand for many calls', () => {
    expect(coarse.length).toBe(10);
    expect(Math.max(...coarse.tokens)).toBe(header.peakTokens);
    expect(largestCall(coarse)).toBe(17);
    expect(isOneCallPerColumn(coarse)).toBe(false);
  });

  test('are as tall as what is counted of a prompt, where less was reported of it', () => {
    expect(tallestColumn(columns)).toBe(header.peakTokens);
    const byKind = columns.byKind.map((kind) => kind.map((tokens) => tokens * 2));
    expect(tallestColumn({ ...columns, byKind })).toBeGreaterThan(1.9 * header.peakTokens);
  });

  test('are found by call', () => {
    for (let call = 1; call <= 41; call += 1) {
      const { from, to } = callsOfColumn(coarse, columnOfCall(coarse, call));
      expect(from <= call && call <= to).toBe(true);
    }
  });

  test('lead to the next landmark and back', () => {
    const flags = COLUMN_FLAGS.avoidableBreak;
    expect(nextFlagged(columns, 1, flags, 1)).toBe(16);
    expect(nextFlagged(columns, 17, flags, 1)).toBe(30);
    expect(nextFlagged(columns, 31, flags, 1)).toBeUndefined();
    expect(nextFlagged(columns, 31, flags, -1)).toBe(16);
  });

  test('tell what is not compiled yet from what is not cached', () => {
    const half = compiledTo(columns, 20);
    expect(isCacheKnown(half, 19)).toBe(true);
    expect(hasFlag(half, 20, 'notCompiled')).toBe(true);
    expect(isCacheKnown(half, 20)).toBe(false);
    expect(cachedTokens(half, 20)).toBe(0);
  });

  test('of another version are refused', () => {
    const later = bytes.slice(0);
    new Uint32Array(later)[0] = 3;
    expect(() => decodeColumns(later, 41)).toThrow('version 3');
  });
});

describe('the parts of prompts', async () => {
  const map = decodeMap(await recordedBytes('call/map', { ...all, minTokens: 0 }));
  const e7 = await recorded('event/get', { session, event: 7 });

  test('add up to the prompt, but for what frames it', async () => {
    const { rows } = await recorded('call/stages', { session, call: 17 });
    const column = mapColumnOfCall(map, 17);
    const tokens = map.tokens.slice(map.segmentStart[column], map.segmentStart[column + 1]);
    expect(sumOf(tokens)).toBe(rows.at(-1)?.tokensAfter);
  });

  test('are found by token', () => {
    expect(segmentAt(map, 16, 10_000)).toMatchObject({ call: 17, event: 7 });
    expect(segmentAt(map, 16, c17.prompt.tokens)).toBeUndefined();
  });

  test('show where an event lies in every call that carried it', () => {
    const strata = strataOf(map, 7);
    const carriers = e7.byCall.flatMap(({ from, to }) =>
      [...new Array(to - from + 1).keys()].map((at) => from + at),
    );
    expect(strata.map(({ from }) => from)).toEqual(carriers);
    expect(sumOf(strata.map(({ tokens }) => tokens))).toBe(e7.row.lifetimeTokens);
  });

  test('merge where they are too small to see', async () => {
    const merged = decodeMap(await recordedBytes('call/map', { ...all, minTokens: 1000 }));
    expect(merged.tokens.length).toBeLessThan(map.tokens.length);
    expect(sumOf(merged.tokens)).toBe(sumOf(map.tokens));
  });
});
