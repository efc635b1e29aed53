import { describe, expect, test } from 'vitest';
import type { UsageRow } from '@/api/gen/api.ts';
import {
  dayBars,
  dayName,
  exactTerm,
  firstDay,
  folderName,
  localDay,
  patternTerms,
  termsOf,
  toggleTerm,
} from './home.ts';

function used(key: string | null, cost: number | null, inputTokens: number): UsageRow {
  return {
    key,
    title: null,
    sessions: 1,
    calls: 1,
    combinedReports: 0,
    unreportedCalls: 0,
    inputTokens,
    uncachedTokens: 0,
    cachedTokens: inputTokens,
    cacheWriteTokens: 0,
    outputTokens: 10,
    cacheRatio: 1,
    cost,
    costBasis: 'reported',
    unpricedCalls: 0,
  };
}

describe('a period', () => {
  test('ends today and counts today', () => {
    expect(firstDay('7', '2026-03-03')).toBe('2026-02-25');
    expect(firstDay('today', '2026-03-03')).toBe('2026-03-03');
    expect(firstDay('all', '2026-03-03')).toBeUndefined();
  });

  test('has the days that people have', () => {
    expect(localDay(new Date(2026, 10, 5, 23, 59))).toBe('2026-11-05');
    expect(dayName('2026-11-05', '2026-11-05')).toBe('Today');
    expect(dayName('2026-10-31', '2026-11-01')).toBe('Yesterday');
    expect(dayName('2026-10-30', '2026-11-01')).toBe('Friday 30 October');
    expect(dayName('2025-10-30', '2026-11-01')).toBe('Thursday 30 October 2025');
  });
});

describe('bars of days', () => {
  test('have no gaps, and leave out what has no day', () => {
    const bars = dayBars(
      [used('2026-11-01', 1, 100), used('2026-11-03', null, 50), used(null, 9, 9)],
      undefined,
      '2026-11-04',
    );
    expect(bars.map(({ from, cost, hasCost, tokens }) => [from, cost, hasCost, tokens])).toEqual([
      ['2026-11-01', 1, true, 110],
      ['2026-11-02', 0, false, 0],
      ['2026-11-03', 0, false, 60],
      ['2026-11-04', 0, false, 0],
    ]);
  });

  test('stand for several days where there are many, and lose none', () => {
    const days = Array.from({ length: 200 }, (_, at) =>
      used(new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10), 1, 1),
    );
    const bars = dayBars(days, undefined, '2026-07-19');
    expect(bars.length).toBeLessThanOrEqual(62);
    expect(bars.reduce((sum, { cost }) => sum + cost, 0)).toBe(200);
    expect(bars.at(-1)?.to).toBe('2026-07-19');
  });

  test('are none without days', () => {
    expect(dayBars([], undefined, '2026-11-04')).toEqual([]);
  });
});

describe('a filter', () => {
  test('takes one term of a field, and loses it again', () => {
    const codex = exactTerm('tool', 'Codex CLI');
    expect(codex).toBe('tool:="Codex CLI"');
    const once = toggleTerm('retry tool:gemini', codex);
    expect(once).toBe('retry tool:="Codex CLI"');
    expect(termsOf(once)).toEqual(['retry', codex]);
    expect(toggleTerm(once, codex)).toBe('retry');
  });

  test('of a pattern wants its finding in its tool', () => {
    const pattern = {
      code: 'repeated-result',
      title: '',
      advice: '',
      tool: 'Pi',
      sessions: 2,
      ofSessions: 3,
      tokens: 1,
      costPerWeek: null,
      tokensPerWeek: 1,
      remedy: null,
    };
    expect(patternTerms(pattern)).toEqual(['finding:=repeated-result', 'tool:="Pi"']);
  });
});

test('a folder is called by its last name', () => {
  expect(['/home/ann/payments-api', 'C:\\work\\shop\\', 'x'].map(folderName)).toEqual([
    'payments-api',
    'shop',
    'x',
  ]);
});
