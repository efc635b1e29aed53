import { describe, expect, test } from 'vitest';
import { MAX_HEIGHT_PX, pageRows, scrollTopToShow, virtualWindow } from './virtual.ts';

const layout = { rows: 1000, rowHeight: 22, viewportHeight: 440 };

describe('a window of rows', () => {
  test('begins a few rows above what is seen', () => {
    expect(virtualWindow(layout, 2200)).toEqual({ first: 96, count: 29, height: 22_000, offset: 2112 });
  });

  test('ends with the list', () => {
    expect(virtualWindow(layout, 22_000 - 440)).toMatchObject({ first: 976, count: 24 });
  });

  test('is empty for an empty list', () => {
    expect(virtualWindow({ ...layout, rows: 0 }, 0)).toMatchObject({ count: 0, height: 0 });
  });

  test('reaches the last of a million rows though the element is not as tall', () => {
    const long = { rows: 1_000_000, rowHeight: 22, viewportHeight: 440 };
    const bottom = virtualWindow(long, MAX_HEIGHT_PX - 440);
    expect(bottom.height).toBe(MAX_HEIGHT_PX);
    expect(bottom.first + bottom.count).toBe(1_000_000);
    expect(bottom.offset + bottom.count * 22).toBe(MAX_HEIGHT_PX);
  });
});

describe('showing a row', () => {
  test('leaves the list alone when the row is in view', () => {
    expect(scrollTopToShow(layout, 2200, 105)).toBe(2200);
  });

  test('moves by one row for a neighbour', () => {
    expect(scrollTopToShow(layout, 2200, 120)).toBe(2222);
    expect(scrollTopToShow(layout, 2200, 99)).toBe(2178);
  });

  test('centres after a jump', () => {
    expect(scrollTopToShow(layout, 0, 500)).toBe(500 * 22 - 209);
  });

  test('comes back to the same row in a scaled list', () => {
    const long = { rows: 1_000_000, rowHeight: 22, viewportHeight: 440 };
    const top = scrollTopToShow(long, 0, 654_321);
    const shown = virtualWindow(long, top);
    expect(shown.first).toBeLessThanOrEqual(654_321);
    expect(shown.first + shown.count).toBeGreaterThan(654_321);
  });
});

test('a page leaves a row of what was seen', () => {
  expect(pageRows(layout)).toBe(19);
});
