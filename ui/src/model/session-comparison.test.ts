import { expect, test } from 'vitest';
import type { Bill, ComparedSide, DifferenceCause, SessionRow } from '@/api/gen/api.ts';
import {
  breakWords,
  causeCost,
  causeShare,
  causeTokens,
  compareSessions,
  differenceInWords,
  formatPlace,
  type ComparedSession,
} from './session-comparison.ts';

const BILL: Bill = {
  calls: 4,
  reportedCalls: 4,
  unpaidCalls: 0,
  unpaidTokens: 0,
  summaries: {
    summaries: 0,
    reported: 0,
    unbilled: 0,
    inputTokens: 0,
    cachedTokens: 0,
    outputTokens: 0,
    cost: 0,
  },
  promptTokens: 1_000,
  basis: 'reported',
  countedTokens: 1_000,
  countedBasis: 'exact',
  hiddenTokens: 0,
  overcountedTokens: 0,
  cachedTokens: 800,
  cacheReportedCalls: 4,
  cacheUnsaidCalls: 0,
  writtenTokens: 0,
  writtenLongTokens: 0,
  outputTokens: 50,
  cost: 1,
  unpricedCalls: 0,
  partialCost: null,
  hiddenCost: 0,
  outputCost: 0,
};

const ROW: SessionRow = {
  session: 's',
  title: 's',
  format: 'Codex rollout',
  source: '/sessions/s.jsonl',
  events: 10,
  calls: 4,
  lastEventMs: 1_000,
  openedMs: null,
  isSample: false,
  folder: null,
  compactions: 0,
  reported: null,
};

function session(about: Partial<Bill> = {}): ComparedSession {
  const side: ComparedSide = { session: 's', title: 's', format: '', bill: { ...BILL, ...about }, breaks: 2 };
  return { row: ROW, side };
}

test('two sessions side by side', () => {
  const of = (label: string, a: ComparedSession, b: ComparedSession): readonly string[] => {
    const figure = compareSessions(a, b).find((candidate) => candidate.label === label);
    return figure === undefined ? [] : [figure.a, figure.b, figure.difference];
  };
  const [cheap, dear] = [session(), session({ cost: 9, promptTokens: 100, cachedTokens: 0 })];
  expect(of('Cost', dear, cheap)).toEqual(['$9.00', '$1.00', '−89%']);
  expect(of('Prompt tokens', dear, cheap)).toEqual(['100', '1,000', '+900%']);
  expect(of('Cost', session({ cost: null }), cheap)).toEqual(['not known', '$1.00', '']);
  expect(of('Events', dear, cheap)).toEqual(['10', '10', 'the same']);
  expect(of('Cached', cheap, session({ cachedTokens: 500 }))).toEqual(['80.0%', '50.0%', '−30.0 points']);
  expect(of('Prompt tokens', cheap, session({ basis: 'estimated' }))[1]).toBe('≈ 1,000');
});

const CAUSE: DifferenceCause = {
  kind: 'tool_results',
  what: 'search',
  turn: null,
  title: 'Results of search',
  calls: 0,
  tokens: -1_200,
  cachedTokens: 0,
  outputTokens: 0,
  cost: -0.02,
  basis: 'exact',
  side: 'b',
  call: 7,
  breaks: [],
  totalBreaks: 0,
};

test('a cause in numbers', () => {
  expect([causeTokens(CAUSE), causeCost(CAUSE), formatPlace(CAUSE)]).toEqual(['−1,200', '−$0.020', 'B C7']);
  expect(causeTokens({ ...CAUSE, basis: 'estimated' })).toBe('≈ −1,200');
  expect(causeTokens({ ...CAUSE, tokens: 0, outputTokens: 5 })).toBe('+5 answered');
  expect(causeTokens({ ...CAUSE, tokens: 0, cachedTokens: 9 })).toBe('+9 cached');
  expect(causeCost({ ...CAUSE, cost: null })).toBe('–');
  const greater = { ...CAUSE, tokens: 4_800 };
  expect(causeShare(CAUSE, [greater, CAUSE], 'tokens')).toBe(0.25);
  expect(causeShare({ ...CAUSE, cost: null }, [{ ...CAUSE, cost: null }], 'cost')).toBe(0);
  const broken = { side: 'a', call: 3, cause: 'It expired.', tokens: 1_500, cost: 0.25 } as const;
  expect(breakWords(broken)).toBe('1,500 tokens, $0.25: It expired.');
});

test('a difference in one line', () => {
  const [before, after] = [session(), session({ promptTokens: 3_000, basis: 'estimated', cost: 1.5 })];
  const row = { ...ROW, title: 'Fix the queue', lastEventMs: Date.UTC(2026, 10, 20, 12) };
  const sides = { a: before.side, b: after.side, promise: null, notes: [], calls: [], total: 0 };
  const causes = [CAUSE, { ...CAUSE, title: 'Results of read_file', tokens: 3_200 }];
  expect(differenceInWords(row, { ...sides, causes })).toBe(
    'Against Fix the queue of 20 Nov 2026: +2,000 prompt tokens (1.0k → ≈ 3.0k), $1.00 → $1.50; most of it: Results of read_file, +3,200',
  );
  expect(
    differenceInWords(
      { ...row, lastEventMs: null },
      { ...sides, b: session({ cost: null }).side, causes: [] },
    ),
  ).toBe('Against Fix the queue: 0 prompt tokens (1.0k → 1.0k)');
});
