import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Turns } from './in-turn.ts';

let turns: Turns;
const asked: string[] = [];
const answers = new Map<string, () => void>();

const ask = (name: string): void =>
  void turns.take(name, () => {
    asked.push(name);
    return new Promise<void>((answer) => answers.set(name, answer));
  });
const passes = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
  turns = new Turns();
  asked.length = 0;
  answers.clear();
});
afterEach(() => vi.useRealTimers());

test('what is looked at goes before what was asked in the same moment', async () => {
  ask('call/get');
  ask('call/stages');
  await passes(0);
  expect(asked).toEqual(['call/stages']);
  answers.get('call/stages')?.();
  await passes(0);
  expect(asked).toEqual(['call/stages', 'call/get']);
});

test('nothing waits long for an answer that does not come', async () => {
  ask('call/stages');
  ask('call/get');
  await passes(149);
  expect(asked).toEqual(['call/stages']);
  await passes(1);
  expect(asked).toEqual(['call/stages', 'call/get']);
});

test('what changes something never waits', async () => {
  ask('call/stages');
  ask('experiment/undo');
  ask('experiment/edit');
  await passes(0);
  expect(asked).toEqual(['call/stages', 'experiment/undo', 'experiment/edit']);
});

test('where nothing is on its way, all is asked at once', async () => {
  ask('call/get');
  ask('session/header');
  await passes(0);
  expect(asked).toEqual(['call/get', 'session/header']);
});
