import { expect, test } from 'vitest';
import { placeAround, placeAtPointer, placeBeside } from './place.ts';

const window = { width: 1000, height: 600 };

test('a tip stands below, above where there is no room, and never over the edge', () => {
  const size = { width: 200, height: 40 };
  expect(placeBeside({ left: 10, top: 100, width: 50, height: 20 }, size, window)).toEqual({ x: 10, y: 126 });
  expect(placeBeside({ left: 10, top: 570, width: 50, height: 20 }, size, window)).toEqual({ x: 10, y: 524 });
  expect(placeBeside({ left: 950, top: 100, width: 50, height: 20 }, size, window).x).toBe(794);
});

test('a tip at the pointer changes sides at the edges', () => {
  const size = { width: 200, height: 40 };
  expect(placeAtPointer(100, 100, size, window)).toEqual({ x: 114, y: 116 });
  expect(placeAtPointer(950, 580, size, window)).toEqual({ x: 736, y: 530 });
});

test('a card stands below, beside, above, or inside of what fills the window', () => {
  const size = { width: 300, height: 150 };
  const around = (left: number, top: number, width: number, height: number): object =>
    placeAround({ left, top, width, height }, size, window);
  expect(around(0, 40, 1000, 96)).toEqual({ x: 6, y: 142 });
  expect(around(700, 140, 300, 440)).toEqual({ x: 394, y: 140 });
  expect(around(0, 140, 300, 440)).toEqual({ x: 306, y: 140 });
  expect(around(0, 300, 1000, 280)).toEqual({ x: 6, y: 144 });
  expect(around(0, 0, 1000, 600)).toEqual({ x: 6, y: 444 });
});
