import { expect, test } from 'vitest';
import { COLUMN_FLAGS } from '@/api/gen/api.ts';
import { NO_COLUMNS, type CallColumns } from './columns.ts';
import { contextWindow } from './context-windows.ts';
import { callsLeft, growthOf } from './fullness.ts';

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

test('a window is that of the model, unless a prompt was larger', () => {
  expect(contextWindow('claude-opus-4-5-20251101', 150_000)?.tokens).toBe(200_000);
  expect(contextWindow('claude-sonnet-4-5[1m]', 150_000)?.tokens).toBe(1_000_000);
  expect(contextWindow('claude-opus-4-5', 250_000)).toBeUndefined();
  expect(contextWindow('openai/gpt-4o-mini', 1)?.tokens).toBe(128_000);
  expect(contextWindow('gpt-5.1-codex', 1)?.tokens).toBe(400_000);
  expect(contextWindow('gpt-5-chat-something', 1)).toBeUndefined();
  expect(contextWindow('gemini-3.5-flash', 1)?.tokens).toBe(1_048_576);
  expect(contextWindow('tiny', 1)).toBeUndefined();
});
