import { expect, test } from 'vitest';
import { Latest } from './latest.ts';

test('runs the first and the last of what was asked, one at a time', async () => {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const latest = new Latest<string>((text) => {
    started.push(text);
    return new Promise((resolve) => ends.push(resolve));
  });
  latest.ask('s');
  latest.ask('sq');
  latest.ask('sql');
  expect(started).toEqual(['s']);
  expect(latest.isSuperseded).toBe(true);
  ends[0]?.();
  await Promise.resolve();
  await Promise.resolve();
  expect(started).toEqual(['s', 'sql']);
  expect(latest.isSuperseded).toBe(false);
});
