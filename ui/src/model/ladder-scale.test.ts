import { describe, expect, test } from 'vitest';
import { ladderScale, ladderTicks, tokenAtX, xOfToken } from './ladder-scale.ts';

const scales = [
  ladderScale(600, 50_000, undefined),
  ladderScale(600, 50_000, 3_803),
  ladderScale(600, 50_000, 0),
  ladderScale(600, 50_000, 50_000),
  ladderScale(300, 10, undefined),
];

describe('the scale of the ladder', () => {
  test.each(scales)('is monotonous, can be read backwards, and fills the width', (scale) => {
    let before = -1;
    for (let share = 0; share <= 1; share += 0.02) {
      const token = scale.extent * share;
      const x = xOfToken(scale, token);
      expect(x).toBeGreaterThan(before);
      expect(tokenAtX(scale, x)).toBeCloseTo(token, 4);
      before = x;
    }
    expect(xOfToken(scale, 0)).toBe(0);
    expect(xOfToken(scale, scale.extent)).toBeCloseTo(scale.width, 6);
  });

  test('has no ticks before there is room for any', () => {
    expect(ladderTicks(ladderScale(0, 50_000, undefined))).toEqual([]);
  });

  test('magnifies what is around the break eight times', () => {
    const scale = ladderScale(600, 50_000, 20_000);
    const near = xOfToken(scale, 20_100) - xOfToken(scale, 20_000);
    const far = xOfToken(scale, 40_100) - xOfToken(scale, 40_000);
    expect(near / far).toBeCloseTo(8, 6);
  });

  test.each(scales)('has round ticks with room for a label', (scale) => {
    const ticks = ladderTicks(scale);
    expect(ticks[0]).toBe(0);
    const places = ticks.map((tick) => xOfToken(scale, tick));
    places.slice(1).forEach((x, i) => expect(x - (places[i] ?? 0)).toBeGreaterThan(40));
    expect(ticks.every((tick) => Number.isInteger(tick))).toBe(true);
  });
});
