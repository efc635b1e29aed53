import { describe, expect, test } from 'vitest';
import type { BreakRow, CacheSummary } from '@/api/gen/api.ts';
import { avoidableHeadline, avoidableSentence, listCalls, otherSentence, whyTitle } from './breaks.ts';
import { ruleSentence } from './cache-rule.ts';
import { fixesFor, noFixSentence } from './fixes.ts';

const summary: CacheSummary = {
  calls: 41,
  ofCalls: 41,
  bill: {
    calls: 41,
    reportedCalls: 0,
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
    promptTokens: 789_000,
    basis: 'estimated',
    countedTokens: 789_000,
    countedBasis: 'estimated',
    hiddenTokens: 0,
    overcountedTokens: 0,
    cachedTokens: 612_000,
    cacheReportedCalls: 0,
    cacheUnsaidCalls: 0,
    writtenTokens: 0,
    writtenLongTokens: 0,
    outputTokens: 0,
    cost: null,
    unpricedCalls: 0,
    partialCost: null,
    hiddenCost: null,
    outputCost: null,
  },
  predictedTokens: 612_000,
  lostTokens: 80_000,
  mostRebilledTokens: 46_336,
  avoidableBreaks: 2,
  avoidableCalls: [17, 31],
  avoidableTokens: 68_480,
  avoidableCostUsd: 0.12,
  otherCauses: [
    { title: 'hand-off', breaks: 6 },
    { title: 'history compacted', breaks: 2 },
  ],
  reported: null,
  rules: ['OpenAI, automatic'],
  isRuleKnown: true,
};

const row: BreakRow = {
  call: 17,
  agent: 'log_analyst',
  cause: 'state_in_instruction',
  title: 'state in the instruction',
  detail: 'hits 41 → 2,318',
  nature: 'avoidable',
  atToken: 3_803,
  rebilledTokens: 46_336,
  isReported: false,
  predictedTokens: 46_336,
  costUsd: 0.083,
  previousCall: 16,
};

describe('breaks in words', () => {
  test('name the avoidable ones and what they cost', () => {
    expect(avoidableHeadline(summary)).toBe('C17 and C31 are avoidable.');
    expect(avoidableSentence(summary)).toBe(
      'They re-billed 68,480 tokens, 38.7% of all that is billed at the full price.',
    );
    expect(otherSentence(summary)).toBe('The other 8: hand-off (6) and history compacted (2).');
  });

  test('say when none is', () => {
    const none = { ...summary, avoidableBreaks: 0, avoidableCalls: [], avoidableTokens: 0 };
    expect(avoidableHeadline(none)).toBe('None of these is avoidable.');
    expect(avoidableSentence(none)).toBe('');
    expect(otherSentence(none)).toBe('All 8: hand-off (6) and history compacted (2).');
  });

  test('count a single cause once, and a single loss not at all', () => {
    const of = (breaks: number, avoidableBreaks: number): string =>
      otherSentence({ ...summary, avoidableBreaks, otherCauses: [{ title: 'expired', breaks }] });
    expect(of(3, 0)).toBe('All 3: expired.');
    expect(of(1, 0)).toBe('The one loss: expired.');
    expect(of(1, 4)).toBe('The other: expired.');
  });

  test.each([
    [[17], 1, 'C17'],
    [[17, 31], 2, 'C17 and C31'],
    [[1, 2, 3, 4], 9, 'C1, C2, C3, C4 and 5 more'],
  ])('list %j of %i calls', (calls, total, expected) => {
    expect(listCalls(calls, total)).toBe(expected);
  });

  test('head the inspector', () => {
    expect(whyTitle(17, row, 16)).toBe('Why C17 missed');
    expect(whyTitle(17, { ...row, rebilledTokens: 0 }, 16)).toBe('C17 lost nothing');
    expect(whyTitle(17, undefined, 16)).toBe('C17 extends C16');
    expect(whyTitle(1, undefined, undefined)).toBe('C1 begins');
  });
});

describe('fixes', () => {
  const fix = {
    kind: 'drop_value',
    agent: 'log_analyst',
    title: 'Leave {hits} out',
    causes: ['state_in_instruction'],
    savesTokens: 68_480,
    savesCostUsd: 0.12,
    changedPrompts: 28,
    edits: [],
  };

  test('are those of the agent and the cause', () => {
    expect(fixesFor([fix], row)).toEqual([fix]);
    expect(fixesFor([fix], { ...row, agent: 'coordinator' })).toEqual([]);
    expect(fixesFor([fix], { ...row, cause: 'compaction' })).toEqual([]);
  });

  test('where there is none, there is a reason', () => {
    const reasons = [
      noFixSentence(row),
      noFixSentence({ ...row, nature: 'structural' }),
      noFixSentence({ ...row, nature: 'provider' }),
      noFixSentence({ ...row, rebilledTokens: 0 }),
    ];
    expect(new Set(reasons).size).toBe(4);
  });
});

test('a rule is said in a sentence', () => {
  const rule = {
    name: 'r',
    isKnown: true,
    isBestEffort: true,
    minimumTokens: 1024,
    blockTokens: 128,
    lifetimeS: 600,
    source: '',
    seenOn: '',
    note: null,
  };
  expect(ruleSentence(rule)).toBe(
    'From 1,024 tokens, in blocks of 128, kept for 10 minutes; nothing is promised.',
  );
  expect(
    ruleSentence({ ...rule, minimumTokens: 1, blockTokens: 1, lifetimeS: null, isBestEffort: false }),
  ).toBe('From 1 token, no lifetime known.');
});
