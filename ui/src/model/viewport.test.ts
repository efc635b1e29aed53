import { describe, expect, test } from 'vitest';
import { columnGap, detailLevel, showsParts, smallestPart } from './detail-level.ts';
import {
  callStep,
  fitAll,
  fitBox,
  fitCalls,
  paddedCalls,
  panBy,
  revealCall,
  showsAllTokens,
  tokenTicks,
  withAllTokens,
  zoomCalls,
  zoomTokens,
} from './viewport.ts';

const extent = { calls: 41, peakTokens: 50_000 };
const all = fitAll(extent);

describe('the viewport of the map', () => {
  test('shows the session with a little air', () => {
    expect(all).toEqual({ from: 1, to: 42, top: 0, bottom: 51_750 });
    expect(showsAllTokens(all, extent)).toBe(true);
  });

  test('zooms around the call under the pointer', () => {
    const near = zoomCalls(all, 2, 21, extent);
    expect((21 - near.from) / (near.to - near.from)).toBeCloseTo((21 - 1) / 41);
    expect(near.to - near.from).toBeCloseTo(20.5);
  });

  test('shows all tokens of prompts that have grown, and the same calls', () => {
    const near = zoomCalls(all, 2, 21, extent);
    const grown = { ...extent, peakTokens: 80_000 };
    expect(withAllTokens(near, grown)).toEqual({ ...near, top: 0, bottom: 82_800 });
    expect(showsAllTokens(withAllTokens(near, grown), grown)).toBe(true);
  });

  test('never leaves the session nor shows less than two calls', () => {
    expect(zoomCalls(all, 0.1, 20, extent)).toEqual(all);
    const close = zoomCalls(all, 1000, 41.9, extent);
    expect(close.to - close.from).toBe(2);
    expect(close.to).toBeLessThanOrEqual(42);
    expect(panBy(fitCalls({ from: 1, to: 10 }, extent), -5, 0, extent)).toMatchObject({ from: 1, to: 11 });
  });

  test('zooms the tokens apart from the calls', () => {
    const deep = zoomTokens(all, 2, 0, extent);
    expect(deep).toMatchObject({ from: 1, to: 42, top: 0, bottom: 25_875 });
    expect(showsAllTokens(deep, extent)).toBe(false);
  });

  test('follows the cursor by as little as it takes', () => {
    const part = fitCalls({ from: 10, to: 19 }, extent);
    expect(revealCall(part, 15, extent)).toBe(part);
    expect(revealCall(part, 20, extent)).toMatchObject({ from: 11, to: 21 });
    expect(revealCall(part, 40, extent)).toMatchObject({ from: 32, to: 42 });
  });

  test('fits a stratum with what is around it', () => {
    const box = fitBox({ from: 4, to: 18, top: 6_000, bottom: 18_000 }, extent);
    expect(box.from).toBeLessThan(4);
    expect(box.to).toBeGreaterThan(18);
    expect(box.top).toBe(3_000);
    expect(box.bottom).toBe(21_000);
  });

  test('asks for as many calls again on either side, and for the same ones after a small pan', () => {
    const big = { calls: 10_000, peakTokens: 50_000 };
    const part = fitCalls({ from: 5_000, to: 5_099 }, big);
    const padded = paddedCalls(part, big);
    expect(padded.from).toBeLessThanOrEqual(4_900);
    expect(padded.to).toBeGreaterThanOrEqual(5_199);
    expect(paddedCalls(panBy(part, 3, 0, big), big)).toEqual(padded);
    expect(paddedCalls(all, extent)).toEqual({ from: 1, to: 41 });
  });

  test('has round ticks', () => {
    expect(tokenTicks(all, 290)).toEqual([0, 10_000, 20_000, 30_000, 40_000, 50_000]);
    expect(tokenTicks({ ...all, top: 6_100, bottom: 6_900 }, 290)).toEqual([6_200, 6_400, 6_600, 6_800]);
    expect(callStep(25, 22)).toBe(1);
    expect(callStep(8, 22)).toBe(5);
    expect(callStep(0.1, 40)).toBe(500);
  });
});

describe('the level of detail', () => {
  test.each([
    [25, 'labelled', true, 2],
    [12, 'labelled', true, 2],
    [5, 'parts', true, 1],
    [2, 'kinds', false, 0],
    [0.1, 'buckets', false, 0],
  ] as const)('of %s pixels a call is %s', (pixels, level, hasParts, gap) => {
    expect(detailLevel(pixels)).toBe(level);
    expect(showsParts(level)).toBe(hasParts);
    expect(columnGap(pixels)).toBe(gap);
  });

  test('leaves out parts under half a pixel, in steps of two', () => {
    expect(smallestPart(1)).toBe(0);
    expect(smallestPart(178)).toBe(64);
    expect(smallestPart(180)).toBe(64);
    expect(smallestPart(260)).toBe(128);
  });
});
