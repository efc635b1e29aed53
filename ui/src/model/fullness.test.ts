import { expect, test } from 'vitest';
import { COLUMN_FLAGS, type AgentSummary } from '@/api/gen/api.ts';
import { NO_COLUMNS, type CallColumns } from './columns.ts';
import { callsLeft, drawnLimit, growthOf, nearestLimit } from './fullness.ts';

function columns(
  tokens: readonly number[],
  agent: readonly number[],
  flags: readonly number[] = [],
): CallColumns {
  const numbers = Uint32Array.from(tokens.keys(), (at) => at + 1);
  return {
    ...NO_COLUMNS,
    length: tokens.length,
    firstCall: numbers,
    peakCall: numbers,
    tokens: Uint32Array.from(tokens),
    cached: new Uint32Array(tokens.length),
    agent: Uint16Array.from(agent),
    flags: Uint16Array.from(tokens, (_, at) => flags[at] ?? 0),
    lastCall: tokens.length,
  };
}

test('growth is that of the agent that answered last, since its prompt was made shorter', () => {
  expect(growthOf(columns([10, 20, 30], [0, 0, 0]))).toEqual({ perCall: 10, calls: 2 });
  expect(growthOf(columns([10, 900, 30], [0, 1, 0]))).toEqual({ perCall: 20, calls: 1 });
  expect(growthOf(columns([100, 20, 26, 32], [0, 0, 0, 0]))).toEqual({ perCall: 6, calls: 2 });
  const summarised = columns([10, 20, 26], [0, 0, 0], [0, COLUMN_FLAGS.compaction, 0]);
  expect(growthOf(summarised)).toEqual({ perCall: 6, calls: 1 });
  expect(growthOf(columns([10], [0]))).toBeUndefined();
  expect(growthOf(NO_COLUMNS)).toBeUndefined();
});

test('calls that are left end at the limit, and never below none', () => {
  expect(callsLeft(150_000, 1_000, 200_000)).toBe(50);
  expect(callsLeft(210_000, 1_000, 200_000)).toBe(0);
  expect(callsLeft(150_000, 0, 200_000)).toBeUndefined();
});

test('the limit is the one that prompts came nearest to', () => {
  const agent = (name: string, tokens: number | undefined): AgentSummary => ({
    name,
    model: 'm',
    calls: 1,
    events: 1,
    isInferred: false,
    contextWindow: tokens === undefined ? null : { model: 'm', tokens, source: 'its maker' },
  });
  const prompts = columns([60, 90, 300], [0, 1, 2]);
  const agents = [agent('small', 100), agent('large', 1000), agent('unknown', undefined)];
  expect(nearestLimit(agents, prompts)).toMatchObject({ agent: 'small', tokens: 100, share: 0.6 });
  expect(drawnLimit(nearestLimit(agents, prompts))).toBe(100);
  expect(drawnLimit(nearestLimit(agents.slice(1), prompts))).toBeUndefined();
  expect(nearestLimit([agent('unknown', undefined)], prompts)).toBeUndefined();
});
