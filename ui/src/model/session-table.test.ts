import { describe, expect, test } from 'vitest';
import type { ReportedCalls, SessionRow } from '@/api/gen/api.ts';
import {
  SESSION_ORDERS,
  cachedShare,
  findSessions,
  groupSessions,
  isWhole,
  projectOf,
  runBefore,
  sortSessions,
  sumSessions,
  unusedSince,
} from './session-table.ts';

function row(session: string, about: Partial<SessionRow> = {}): SessionRow {
  return {
    session,
    title: session,
    format: 'Codex rollout',
    source: `/sessions/${session}.jsonl`,
    events: 10,
    calls: 4,
    lastEventMs: 1_000,
    openedMs: null,
    isSample: false,
    folder: null,
    compactions: 0,
    reported: null,
    ...about,
  };
}

function reported(about: Partial<ReportedCalls> = {}): ReportedCalls {
  return {
    calls: 4,
    unpaidCalls: 0,
    promptTokens: 1_000,
    cachedTokens: 800,
    outputTokens: 50,
    largestPrompt: 400,
    models: ['gpt-5.5'],
    cost: 0.5,
    caveat: null,
    ...about,
  };
}

const ids = (rows: readonly SessionRow[]): readonly string[] => rows.map(({ session }) => session);

const ROWS = [
  row('silent', { format: 'ADK session', lastEventMs: null }),
  row('dear', { reported: reported({ cost: 9, promptTokens: 100 }), folder: '/home/ada/web-shop', calls: 8 }),
  row('cheap', { reported: reported({ cost: 1 }), folder: '/home/ada/infra/', lastEventMs: 3_000 }),
  row('unpriced', { reported: reported({ cost: null, models: ['nobody'] }), lastEventMs: 2_000 }),
] as const;

describe('sorting', () => {
  test.each([
    ['cost', false, ['dear', 'cheap', 'silent', 'unpriced']],
    ['cost', true, ['cheap', 'dear', 'silent', 'unpriced']],
    ['when', false, ['cheap', 'unpriced', 'dear', 'silent']],
    ['title', false, ['cheap', 'dear', 'silent', 'unpriced']],
    ['title', true, ['unpriced', 'silent', 'dear', 'cheap']],
    ['calls', false, ['dear', 'silent', 'cheap', 'unpriced']],
  ] as const)('by %s, reversed: %s', (order, isReversed, expected) => {
    expect(ids(sortSessions(ROWS, order, isReversed))).toEqual(expected);
  });

  test.each(SESSION_ORDERS)('by %s keeps every row, and what is not known last', (order) => {
    for (const isReversed of [false, true]) {
      const sorted = sortSessions(ROWS, order, isReversed);
      expect(new Set(sorted)).toEqual(new Set(ROWS));
      if (order !== 'title' && order !== 'calls') expect(ids(sorted).slice(-2)).toContain('silent');
    }
  });
});

describe('what is known', () => {
  test('a share of nothing is none', () => {
    expect(cachedShare(row('a', { reported: reported() }))).toBe(0.8);
    expect(cachedShare(row('a', { reported: reported({ cachedTokens: null }) }))).toBeUndefined();
    expect(
      cachedShare(row('a', { reported: reported({ promptTokens: 0, cachedTokens: 0 }) })),
    ).toBeUndefined();
    expect(cachedShare(row('a'))).toBeUndefined();
  });

  test('reports are whole when no call is left that somebody may have paid for', () => {
    expect(isWhole(row('a', { reported: reported() }))).toBe(true);
    expect(isWhole(row('a', { reported: reported({ calls: 3, unpaidCalls: 1 }) }))).toBe(true);
    expect(isWhole(row('a', { reported: reported({ calls: 3 }) }))).toBe(false);
    expect(isWhole(row('a'))).toBe(false);
  });

  test.each([
    ['/home/ada/web-shop', 'web-shop'],
    ['/home/ada/web-shop/', 'web-shop'],
    ['C:\\work\\infra', 'infra'],
    [null, undefined],
  ])('the project of %s', (folder, project) => {
    expect(projectOf(row('a', { folder }))).toBe(project);
  });
});

test('every word has to be somewhere', () => {
  expect(ids(findSessions(ROWS, ''))).toEqual(ids(ROWS));
  expect(ids(findSessions(ROWS, 'ADK'))).toEqual(['silent']);
  expect(ids(findSessions(ROWS, 'codex shop'))).toEqual(['dear']);
  expect(ids(findSessions(ROWS, 'nobody'))).toEqual(['unpriced']);
  expect(ids(findSessions(ROWS, 'nobody shop'))).toEqual([]);
});

test('groups hold every row once, and their sums say what they lack', () => {
  const lines = groupSessions(sortSessions(ROWS, 'cost', false), 'tool');
  expect(lines.map((line) => (line.type === 'group' ? `# ${line.name}` : line.row.session))).toEqual([
    '# Codex rollout',
    'dear',
    'cheap',
    'unpriced',
    '# ADK session',
    'silent',
  ]);
  expect(groupSessions(ROWS, 'project').filter(({ type }) => type === 'group')).toHaveLength(3);
  expect(groupSessions(ROWS, 'none')).toHaveLength(ROWS.length);
  expect(sumSessions(ROWS)).toEqual({
    sessions: 4,
    calls: 20,
    tokens: 2_100,
    cost: 10,
    // The silent one, and the one with reports on half of its calls.
    withoutTokens: 2,
    // The silent one, and the one whose model has no price.
    withoutCost: 2,
  });
});

describe('the run before', () => {
  const task = { title: 'Fix the upload queue', folder: '/home/ada/infra' };
  const now = row('now', { ...task, lastEventMs: 9_000 });

  test.each([
    ['the newest earlier one of the same task', row('a', { ...task, lastEventMs: 8_000 }), 'a'],
    ['the same task in another folder', row('a', { ...task, folder: '/tmp/ada', lastEventMs: 8_000 }), 'a'],
    ['else the newest of the folder', row('a', { ...task, title: 'Other', lastEventMs: 8_000 }), 'a'],
    ['none of another tool', row('a', { ...task, format: 'ADK session', lastEventMs: 8_000 }), undefined],
    ['none that came later', row('a', { ...task, lastEventMs: 9_500 }), undefined],
    ['none without a time', row('a', { ...task, lastEventMs: null }), undefined],
    ['none without a call', row('a', { ...task, calls: 0, lastEventMs: 8_000 }), undefined],
    ['none of which nothing is known', row('a', { lastEventMs: 8_000 }), undefined],
  ])('%s', (_, other, expected) => {
    const older = row('b', { ...other, session: 'b', lastEventMs: 1_000, calls: 0 });
    expect(runBefore([older, now, other], now)?.session).toBe(expected);
  });

  test('a task goes before a newer run in its folder', () => {
    const rows = [
      row('a', { ...task, lastEventMs: 1 }),
      row('b', { ...task, title: 'Other', lastEventMs: 2 }),
    ];
    expect(runBefore([...rows, now], now)?.session).toBe('a');
  });

  test('folders that are not known are not the same folder', () => {
    const nowhere = row('now', { lastEventMs: 9_000 });
    expect(runBefore([row('a'), nowhere], nowhere)).toBeUndefined();
  });
});

test('sessions that are not used can be read again before they go', () => {
  const old = { lastEventMs: 1_000, openedMs: 2_000 };
  const rows = [
    row('old', old),
    row('windows', { ...old, source: 'C:\\sessions\\a.jsonl' }),
    row('opened', { ...old, openedMs: 9_000 }),
    row('written', { ...old, lastEventMs: 9_000 }),
    row('never', { ...old, openedMs: null }),
    row('timeless', { openedMs: null, lastEventMs: null }),
    row('sample', { ...old, isSample: true }),
    row('run here', { ...old, source: '' }),
    row('sent', { ...old, source: 'chat.jsonl' }),
  ];
  expect(ids(unusedSince(rows, 5_000))).toEqual(['old', 'windows', 'never']);
});
