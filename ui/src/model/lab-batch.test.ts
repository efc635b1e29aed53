import { describe, expect, it } from 'vitest';
import type { BatchCell, LabBatch } from '@/api/gen/api.ts';
import { batchChange, batchCsv, batchMark, batchState, batchWriter, sortedBatch } from './lab-batch.ts';

const CELL: BatchCell = {
  config: 'interval=6,overlap=1',
  writer: 'here',
  model: 'tiny',
  state: 'done',
  note: null,
  keptMs: null,
  run: 'run-1',
  need: null,
  written: 2,
  expected: 2,
  fromBefore: 0,
  tokens: 1200,
  costUsd: 0.5,
  tokensPerS: null,
  seconds: 3,
  kept: 8,
  dropped: 2,
  regret: 1,
  answers: null,
  bill: null,
};

const cells: readonly BatchCell[] = [
  CELL,
  { ...CELL, regret: null, run: null, state: 'leftOut', note: 'Left out: needs ≈ 41k tokens, 12k are left.' },
  { ...CELL, regret: 0, costUsd: null },
  { ...CELL, regret: 1 },
];

describe('a batch', () => {
  it('is sorted both ways, and what has no number stands last in both', () => {
    expect(sortedBatch(cells, 'regret', false)).toEqual([2, 0, 3, 1]);
    expect(sortedBatch(cells, 'regret', true)).toEqual([0, 3, 2, 1]);
    expect(sortedBatch(cells, 'place', true)).toEqual([3, 2, 1, 0]);
  });

  it('tells models of one name apart by their servers', () => {
    expect(batchWriter({ ...CELL, writer: 'there' })).toBe('tiny, there');
    expect(batchWriter({ writer: 'extractive', model: null })).toBe('extractive');
  });

  it('says why a cell has no result', () => {
    expect(cells.map(batchState)).toEqual([
      'done',
      'Left out: needs ≈ 41k tokens, 12k are left.',
      'done',
      'done',
    ]);
  });

  it('says how far a run is, and how fast its summary comes', () => {
    const running: BatchCell = { ...CELL, state: 'running', written: 1, expected: 3, tokensPerS: 41.6 };
    expect(batchState(running)).toBe('1 of 3 summaries, 42 tokens/s');
    expect(batchState({ ...running, tokensPerS: null })).toBe('1 of 3 summaries');
    const states = ['waiting', 'running', 'done', 'leftOut', 'stopped', 'failed'] as const;
    const marks = states.map((state) => batchMark({ ...CELL, state }));
    expect(new Set(marks).size).toBe(states.length);
  });

  it('is set against the recording', () => {
    expect(batchChange(79, 100)).toBe('−21%');
    expect(batchChange(100.2, 100)).toBe('');
    expect(batchChange(1.5, 1)).toBe('+50%');
    expect(batchChange(null, 1)).toBe('');
    expect(batchChange(1, null)).toBe('');
    expect(batchChange(1, 0)).toBe('');
  });

  it('is a table whose fields stay fields', () => {
    const batch: LabBatch = {
      batch: 'batch-1',
      session: 'session-1',
      state: 'done',
      job: null,
      prompt: null,
      probes: null,
      budget: { usd: null, tokens: null },
      spentTokens: 1200,
      spentUsd: 0.5,
      cells: [{ ...CELL, note: '=1+1, "quoted"' }],
      recorded: null,
      recommended: 0,
      reason: '',
      canResume: false,
      failure: null,
      startedMs: 0,
    };
    const [head = '', row = ''] = batchCsv(batch).split('\n');
    expect(head.split(',')).toHaveLength(17);
    expect(row).toBe(`yes,"interval=6,overlap=1",here,tiny,done,,,,2,8,1,,,1200,0.5,3,"'=1+1, ""quoted"""`);
  });
});
