import { expect, test } from 'vitest';
import { COLUMN_FLAGS, KINDS } from '@/api/gen/api.ts';
import { callRows, sortCallRows } from './call-rows.ts';
import type { CallColumns } from './columns.ts';

const NOT_KNOWN = 0xffffffff;

/** Four calls in three columns. */
const COLUMNS: CallColumns = {
  length: 3,
  firstCall: Uint32Array.of(1, 2, 3),
  peakCall: Uint32Array.of(1, 2, 4),
  tokens: Uint32Array.of(100, 900, 500),
  cached: Uint32Array.of(NOT_KNOWN, 800, 0),
  hidden: Uint32Array.of(0, 40, 0),
  byKind: KINDS.map((_, kind) => Uint32Array.of(kind, 10 * kind, 100 * kind)),
  agent: Uint16Array.of(0, 1, 0),
  flags: Uint16Array.of(COLUMN_FLAGS.notCompiled, COLUMN_FLAGS.error | COLUMN_FLAGS.avoidableBreak, 0),
  lastCall: 4,
};

test('columns as rows', () => {
  const rows = callRows(COLUMNS);
  expect(rows.map(({ name, peakCall }) => [name, peakCall])).toEqual([
    ['C1', 1],
    ['C2', 2],
    ['C3–C4', 4],
  ]);
  expect(rows.map(({ cached, inFull }) => [cached, inFull])).toEqual([
    [undefined, 100],
    [800, 100],
    [0, 500],
  ]);
  expect(rows[1]?.byKind).toEqual([0, 10, 20, 30, 40, 50, 60]);
  expect(rows.map(({ marks }) => marks)).toEqual([
    ['not compiled yet'],
    ['avoidable cache loss', 'a step failed'],
    [],
  ]);
});

test('rows in an order', () => {
  const names = (order: Parameters<typeof sortCallRows>[1]): readonly string[] =>
    sortCallRows(callRows(COLUMNS), order).map(({ name }) => name);
  expect(names('inOrder')).toEqual(['C1', 'C2', 'C3–C4']);
  expect(names('bySize')).toEqual(['C2', 'C3–C4', 'C1']);
  expect(names('inFull')).toEqual(['C3–C4', 'C1', 'C2']);
});
