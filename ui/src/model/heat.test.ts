import { describe, expect, test } from 'vitest';
import type { LabBill, LabRow, LabSweep } from '@/api/gen/api.ts';
import { asCurve, axisTop, bucketMaxima } from './curves.ts';
import { familiesOf, heatMap, neighbour, placeOf } from './heat.ts';
import { changeOf, formatChange, shownMetric } from './lab-bill.ts';
import { recommendedRow, withRows } from './lab-rows.ts';

const bill = (cost: number | null, peak: number): LabBill => ({
  promptTokens: 0,
  billedTokens: peak * 10,
  cachedTokens: 0,
  writtenTokens: 0,
  peakTokens: peak,
  breaks: 1,
  compactions: 1,
  costUsd: cost,
  summaryCostUsd: null,
  summaryInputTokens: 0,
  summaryOutputTokens: 0,
  latencyS: 1,
});

const row = (x: number, y: number, cost: number, place = 0): LabRow => ({
  place,
  config: `interval=${String(x)},overlap=${String(y)}`,
  x,
  y,
  family: 'slidingWindow',
  bill: bill(cost, 100),
  atCalls: [],
  regret: x,
  flags: cost > 1 ? ['grows the prompt'] : [],
});

/** A hole at interval 3, overlap 1. */
const sweep: LabSweep = {
  grid: '',
  total: 6,
  isEnded: true,
  unchanged: bill(2, 300),
  recorded: bill(1, 200),
  unchangedTokens: [],
  // Another was stopped before it was replayed.
  rows: [row(8, 0, 1.2), row(3, 0, 0.5, 2), row(2, 0, 0.75, 3), row(2, 1, 0.8, 4), row(8, 1, 0.9, 5)],
  front: [2],
  recommended: 2,
  reason: '',
  sizeBasis: 'assumed',
  readTokensPerS: 1,
  cachedTokensPerS: 1,
  writtenTokensPerS: 1,
};

describe('the map of a sweep', () => {
  const heat = heatMap(sweep, 'cost', 'slidingWindow');

  test('has its numbers in order, and holes where nothing was swept', () => {
    expect(familiesOf(sweep)).toEqual(['slidingWindow']);
    expect(heat.xs).toEqual([2, 3, 8]);
    expect(heat.ys).toEqual([0, 1]);
    expect(heat.cells.map((cell) => cell?.title)).toEqual([
      '−25%',
      '−50%',
      '+20%',
      '−20%',
      undefined,
      '−10%',
    ]);
  });

  test('is brightest where most is saved, and marks what stands out', () => {
    expect(heat.cells.map((cell) => cell?.strength.toFixed(1))).toEqual([
      '0.5',
      '1.0',
      '0.0',
      '0.4',
      undefined,
      '0.2',
    ]);
    expect(heat.cells[1]).toMatchObject({ isRecommended: true, isOnFront: true, row: 1 });
    expect(heat.cells[2]).toMatchObject({ isFlagged: true });
  });

  test('counts what is used later, and is darkest where that is most', () => {
    const regrets = heatMap(sweep, 'regret', 'slidingWindow').cells;
    expect(regrets.map((cell) => cell?.title)).toEqual(['2', '3', '8', '2', undefined, '8']);
    expect(regrets.map((cell) => cell?.strength.toFixed(2))).toEqual([
      '1.00',
      '0.83',
      '0.00',
      '1.00',
      undefined,
      '0.00',
    ]);
  });

  test('is walked over its holes, and not over its edges', () => {
    expect(neighbour(heat, 3, 1, 0)).toBe(5);
    expect(neighbour(heat, 1, 0, 1)).toBeUndefined();
    expect(neighbour(heat, 0, -1, 0)).toBeUndefined();
    expect(placeOf(heat, 4)).toBe(5);
    expect(placeOf(heat, undefined)).toBeUndefined();
  });
});

test('rows come in any order, and stand in that of the grid', () => {
  const came = (...rows: LabRow[]): LabSweep => ({ ...sweep, rows });
  const first = withRows(undefined, came(row(3, 0, 1, 2), row(8, 0, 1, 0)));
  const whole = withRows(first, { ...came(row(2, 0, 1, 1)), recommended: 1 });
  expect(whole.rows.map(({ place }) => place)).toEqual([0, 1, 2]);
  expect(recommendedRow(whole)?.x).toBe(2);
  expect(recommendedRow({ ...whole, recommended: null })).toBeUndefined();
});

test('tokens stand for money where no price is known', () => {
  expect(shownMetric('cost', bill(null, 1))).toBe('billed');
  expect(shownMetric('cost', bill(0.1, 1))).toBe('cost');
  expect(changeOf(bill(null, 1), bill(1, 1), 'cost')).toBeUndefined();
  expect([0.204, -0.001, -0.5].map(formatChange)).toEqual(['+20%', '0%', '−50%']);
});

test('curves', () => {
  expect(asCurve([3, 4, 5], 'sum')).toEqual([3, 7, 12]);
  expect([81_700, 90, 13, 100].map(axisTop)).toEqual([90_000, 90, 15, 120]);
  expect(bucketMaxima([1, 5, 2, 9], 2)).toEqual([5, 9]);
  expect(bucketMaxima([1, 5], 10)).toEqual([1, 5]);
});
