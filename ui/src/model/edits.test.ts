import { describe, expect, test } from 'vitest';
import { indexOfGap, placeFor } from './edits.ts';

const names = ['a', 'b', 'c', 'd'];

/** What a list is after a move, as the compiler understands it. */
function moved(from: number, to: number): readonly string[] {
  const place = placeFor(names, from, to);
  if (place === undefined) return names;
  const others = names.filter((_, index) => index !== from);
  const at = place.before === undefined ? others.length : others.indexOf(place.before);
  return [...others.slice(0, at), names[from] ?? '', ...others.slice(at)];
}

describe('a moved processor', () => {
  test('has the index it was moved to, from and to everywhere', () => {
    for (let from = 0; from < 4; from += 1)
      for (let to = 0; to < 4; to += 1) expect(moved(from, to)[to]).toBe(names[from]);
  });

  test('that stays makes no edit', () => {
    expect(placeFor(names, 2, 2)).toBeUndefined();
    expect(placeFor(names, 9, 0)).toBeUndefined();
  });

  test('goes into the gap it is let go over', () => {
    expect(indexOfGap(1, 0)).toBe(0);
    expect(indexOfGap(1, 1)).toBe(1);
    expect(indexOfGap(1, 2)).toBe(1);
    expect(indexOfGap(1, 4)).toBe(3);
  });
});
