import { expect, test } from 'vitest';
import type { Bill } from '@/api/gen/api.ts';
import { cacheBasis, costInWords, paidBasis, paidTokens, sentTokens, summariesInWords } from './bill.ts';

/** Of a session whose provider reported less for some prompts than we count, and more for others. */
const bill: Bill = {
  calls: 9,
  reportedCalls: 8,
  unpaidCalls: 1,
  unpaidTokens: 47_343,
  summaries: {
    summaries: 0,
    reported: 0,
    unbilled: 0,
    inputTokens: 0,
    cachedTokens: 0,
    outputTokens: 0,
    cost: 0,
  },
  promptTokens: 291_805,
  basis: 'estimated',
  countedTokens: 336_602,
  countedBasis: 'estimated',
  hiddenTokens: 52_474,
  overcountedTokens: 97_271,
  cachedTokens: 182_016,
  cacheReportedCalls: 5,
  cacheUnsaidCalls: 0,
  writtenTokens: 0,
  writtenLongTokens: 0,
  outputTokens: 162,
  cost: null,
  unpricedCalls: 0,
  partialCost: null,
  hiddenCost: null,
  outputCost: null,
};

test('what is counted is never more than what was sent', () => {
  expect(bill.promptTokens).toBeLessThan(bill.countedTokens);
  expect(sentTokens(bill)).toBe(389_076);
});

test('without a report both are what is counted', () => {
  const counted = { ...bill, promptTokens: 100, countedTokens: 100, hiddenTokens: 0, overcountedTokens: 0 };
  expect(sentTokens(counted)).toBe(counted.promptTokens);
});

test('nobody paid for what failed', () => {
  expect(paidTokens(bill)).toBe(244_462);
  expect(paidBasis(bill)).toBe('reported');
  expect(paidBasis({ ...bill, reportedCalls: 7 })).toBe('estimated');
});

test('where some calls have no price, what the others cost is said', () => {
  expect(costInWords(bill)).toEqual(['no price known', '']);
  expect(costInWords({ ...bill, cost: 1.5 })).toEqual(['$1.50', '']);
  expect(costInWords({ ...bill, partialCost: 0.0207, unpricedCalls: 2 })).toEqual([
    '$0.021',
    'and 2 calls without a price',
  ]);
});

test('summaries are said with what writing them took, and what is not known of it', () => {
  const { summaries } = bill;
  expect(summariesInWords(summaries)).toEqual([]);
  expect(summariesInWords({ ...summaries, summaries: 2, reported: 1, cost: 0.0412 })).toEqual([
    '$0.041 of it for writing 2 summaries, estimated',
  ]);
  expect(summariesInWords({ ...summaries, summaries: 1, reported: 1, unbilled: 1, cost: null })).toEqual([
    'without a price for writing 1 summary, as reported',
    'without writing 1 summary, of which nothing is known',
  ]);
});

test('what was read from caches is reported, predicted, or nothing is said of it', () => {
  const calls = { calls: 5, unpaidCalls: 1 };
  const said = (cacheReportedCalls: number, cacheUnsaidCalls: number): string =>
    cacheBasis({ ...bill, ...calls, cacheReportedCalls, cacheUnsaidCalls });
  expect(said(4, 0)).toBe('reported');
  expect(said(0, 0)).toBe('predicted');
  expect(said(0, 4)).toBe('nothing is reported of it');
  expect(said(2, 1)).toBe('reported for 2, predicted for 1, nothing reported for 1');
});
