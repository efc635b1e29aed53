import { expect, test } from 'vitest';
import { FrameLoop } from './frame.ts';

function clock(): { loop: FrameLoop; frame: () => void; spend: (ms: number) => void } {
  let now = 0;
  let waiting: (() => void)[] = [];
  const loop = new FrameLoop({ now: () => now, nextFrame: (run) => waiting.push(run) });
  return {
    loop,
    frame: () => {
      const due = waiting;
      waiting = [];
      for (const run of due) run();
    },
    spend: (ms) => {
      now += ms;
    },
  };
}

test('draws a chart once a frame however often it was asked for', () => {
  const { loop, frame } = clock();
  const drawn: string[] = [];
  loop.request('strip', () => drawn.push('old'));
  loop.request('strip', () => drawn.push('new'));
  frame();
  frame();
  expect(drawn).toEqual(['new']);
});

test('leaves to the next frame what does not fit into this one', () => {
  const { loop, frame, spend } = clock();
  const drawn: string[] = [];
  loop.request('map', () => {
    drawn.push('map');
    spend(9);
  });
  loop.request('strip', () => drawn.push('strip'));
  frame();
  expect(drawn).toEqual(['map']);
  frame();
  expect(drawn).toEqual(['map', 'strip']);
});

test('forgets what was cancelled', () => {
  const { loop, frame } = clock();
  const drawn: string[] = [];
  loop.request('map', () => drawn.push('map'));
  loop.cancel('map');
  frame();
  expect(drawn).toEqual([]);
});
