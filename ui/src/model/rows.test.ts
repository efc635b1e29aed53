import { describe, expect, test } from 'vitest';
import type { DiffLine, PartRow, TextSegment } from '@/api/gen/api.ts';
import { diffRows } from './diff-rows.ts';
import { countedRow, partTokens } from './part-rows.ts';
import { growSegment, placeSegments, segmentAtPosition } from './prompt-text.ts';
import { cutTokens } from './token-runs.ts';

function lines(script: string): readonly DiffLine[] {
  return [...script].map((sign, i) => ({
    sign: sign === '+' ? 'added' : sign === '-' ? 'removed' : 'same',
    beforeLine: sign === '+' ? null : i,
    afterLine: sign === '-' ? null : i,
    runs: [{ text: String(i), isEmphasised: false }],
  }));
}

function drawn(script: string, mode: 'split' | 'unified', opened = new Set<string>()): string {
  return diffRows(lines(script), mode, opened)
    .map((row) => {
      if (row.type === 'fold') return `…${String(row.lines)}`;
      const side = (line: DiffLine | undefined): string => line?.runs[0]?.text ?? '_';
      return row.before === row.after ? side(row.before) : `${side(row.before)}|${side(row.after)}`;
    })
    .join(' ');
}

describe('rows of a difference', () => {
  test('stand side by side, or one below the other', () => {
    expect(drawn('-++ ', 'split')).toBe('0|1 _|2 3');
    expect(drawn('-++ ', 'unified')).toBe('0|_ _|1 _|2 3');
  });

  test('leave out long runs that are the same', () => {
    expect(drawn('+              -', 'split')).toBe('_|0 1 2 3 …8 12 13 14 15|_');
    expect(drawn('          +', 'unified')).toBe('…7 7 8 9 _|10');
    expect(drawn('+       -', 'split')).toBe('_|0 1 2 3 4 5 6 7 8|_');
  });

  test('show what was opened, and texts without any change', () => {
    expect(drawn('          +', 'unified', new Set(['fold 0']))).toBe('0 1 2 3 4 5 6 7 8 9 _|10');
    expect(drawn('            ', 'split')).toBe('0 1 2 3 4 5 6 7 8 9 10 11');
  });
});

test('rows of parts say what their tokens are', () => {
  const row: PartRow = {
    change: 'rewritten',
    path: '4.0',
    address: 'C25/4.0',
    kind: 'model',
    count: 1,
    isReframed: true,
    from: 'E39 coordinator',
    tokensBefore: 284,
    tokensAfter: 303,
    text: '',
    codeLength: 0,
    isInferred: false,
  };
  expect(partTokens(row)).toBe('284 → 303');
  expect(partTokens({ ...row, change: 'added' })).toBe('+303');
  expect(partTokens({ ...row, change: 'leftOut' })).toBe('−284');
  expect(partTokens({ ...row, change: 'unchanged' })).toBe('303');
  expect(countedRow({ ...row, change: 'leftOut', count: 34 })).toBe('34 events');
  expect(countedRow({ ...row, change: 'unchanged', count: 212 })).toBe('212 parts');
});

describe('the prompt as text', () => {
  const segment = (text: string): TextSegment => ({
    path: '0.0',
    address: `C1/${text}`,
    kind: 'user',
    role: 'user',
    from: 'E1',
    tokens: 3,
    isReframed: false,
    text,
    isCut: true,
  });
  const { text, placed } = placeSegments([segment('one'), segment('two\ntwo')], 10);

  test('has each segment on lines of its own', () => {
    expect(text).toBe('one\ntwo\ntwo\n');
    expect(placed.map(({ from, to }) => [from, to])).toEqual([
      [10, 13],
      [14, 21],
    ]);
  });

  test('knows the segment at a position', () => {
    expect(segmentAtPosition(placed, 13)?.from).toBe(10);
    expect(segmentAtPosition(placed, 14)?.from).toBe(14);
    expect(segmentAtPosition(placed, 30)).toBeUndefined();
    expect(segmentAtPosition([], 0)).toBeUndefined();
  });

  test('moves what is behind when a cut segment grows', () => {
    const [first] = placed;
    const grown = first === undefined ? [] : growSegment(placed, first, 100);
    expect(grown.map(({ from, to, segment: { isCut } }) => [from, to, isCut])).toEqual([
      [10, 113, false],
      [114, 121, true],
    ]);
  });
});

describe('a text token by token', () => {
  const page = { totalLength: 20, offset: 5, text: 'abcdef', tokenEnds: [2, 4, 6] };

  test('is grouped by source, in the offsets of the whole text', () => {
    const spans = [
      { from: 0, to: 7, source: 'framing', address: null },
      { from: 7, to: 20, source: 'E39', address: 'E39' },
    ];
    expect(cutTokens(page, spans)).toEqual([
      { source: 'framing', address: null, first: 0, tokens: ['ab'] },
      { source: 'E39', address: 'E39', first: 1, tokens: ['cd', 'ef'] },
    ]);
  });

  test('is one piece when nobody knows its tokens', () => {
    expect(cutTokens({ ...page, tokenEnds: [] }, [])).toEqual([
      { source: '', address: null, first: 0, tokens: ['abcdef'] },
    ]);
  });
});
