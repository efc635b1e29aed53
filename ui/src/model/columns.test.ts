import { describe, expect, test } from 'vitest';
import { COLUMN_FLAGS } from '@/api/gen/api.ts';
import { columnBytes, mapBytes } from '@/host/fake/bytes.ts';
import { triageSession } from '@/host/fake/triage.ts';
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
  sumColumns,
} from './columns.ts';
import { decodeMap, mapColumnOfCall, segmentAt, strataOf } from './map-columns.ts';

const session = triageSession();
const all = { from: 1, to: 41, maxColumns: 100 };
const columns = decodeColumns(columnBytes(session, 41, all), 41);
const coarse = decodeColumns(columnBytes(session, 41, { ...all, maxColumns: 10 }), 41);

describe('columns of calls', () => {
  test('hold the numbers of every call', () => {
    expect(columns.length).toBe(41);
    expect(sumColumns(columns)).toEqual({ calls: 41, tokens: 789_382, cached: 612_608 });
    expect(columns.tokens[16]).toBe(50_631);
    expect(columns.byKind.reduce((sum, kind) => sum + (kind[16] ?? 0), 0)).toBe(50_631);
    expect(hasFlag(columns, 16, 'avoidableBreak')).toBe(true);
    expect(hasFlag(columns, 17, 'compaction')).toBe(true);
    expect(isOneCallPerColumn(columns)).toBe(true);
  });

  test('keep the peak when they stand for many calls', () => {
    expect(coarse.length).toBe(10);
    expect(Math.max(...coarse.tokens)).toBe(50_631);
    expect(largestCall(coarse)).toBe(17);
    expect(isOneCallPerColumn(coarse)).toBe(false);
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
    const half = decodeColumns(columnBytes(session, 20, all), 41);
    expect(hasFlag(half, 20, 'notCompiled')).toBe(true);
    expect(isCacheKnown(half, 20)).toBe(false);
    expect(cachedTokens(half, 20)).toBe(0);
  });

  test('of another version are refused', () => {
    const bytes = columnBytes(session, 41, all);
    new Uint32Array(bytes)[0] = 2;
    expect(() => decodeColumns(bytes, 41)).toThrow('version 2');
  });
});

describe('the parts of prompts', () => {
  const map = decodeMap(mapBytes(session, 41, { ...all, minTokens: 0 }));

  test('add up to the prompt', () => {
    const column = mapColumnOfCall(map, 17);
    const tokens = map.tokens.slice(map.segmentStart[column], map.segmentStart[column + 1]);
    expect(tokens.reduce((sum, one) => sum + one, 0)).toBe(50_631);
  });

  test('are found by token', () => {
    expect(segmentAt(map, 16, 10_000)).toMatchObject({ call: 17, event: 7, tokens: 11_944 });
    expect(segmentAt(map, 16, 60_000)).toBeUndefined();
  });

  test('show where an event lies in every call that carried it', () => {
    const strata = strataOf(map, 7);
    expect(strata.map(({ call }) => call)).toEqual(Array.from({ length: 14 }, (_, i) => i + 4));
    expect(strata.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(167_216);
  });

  test('merge where they are too small to see', () => {
    const merged = decodeMap(mapBytes(session, 41, { ...all, minTokens: 1000 }));
    expect(merged.tokens.length).toBeLessThan(map.tokens.length);
    expect(merged.tokens.reduce((sum, one) => sum + one, 0)).toBe(789_382);
  });
});
