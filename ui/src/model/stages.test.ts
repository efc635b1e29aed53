import { expect, test } from 'vitest';
import type { StageRow } from '@/api/gen/api.ts';
import { mostTelling, nextChanged, recordedIndex, stageNames, stageTitle } from './stages.ts';

function row(processor: string, added: number): StageRow {
  return {
    number: 1,
    processor,
    note: '',
    isChanged: added > 0,
    isReused: false,
    isEnabled: true,
    inserted: null,
    script: null,
    tokensBefore: 0,
    tokensAfter: added,
    added: [{ kind: 'system', tokens: added }],
    removedTokens: 0,
    diagnostics: [],
    orderWarning: null,
    isInferred: false,
    isRecorded: false,
  };
}

const rows = [row('basic', 0), row('plugin', 10), row('contents', 900), row('plugin', 0), row('tools', 40)];

test('a processor that runs twice has two names', () => {
  expect(stageNames(rows)).toEqual(['basic', 'plugin', 'contents', 'plugin~2', 'tools']);
});

test('the stage that added most is looked at first', () => {
  expect(mostTelling(rows)).toBe(2);
  expect(mostTelling([])).toBe(0);
});

test('what was really sent is looked at first', () => {
  const withSent = [...rows, { ...row('recorded', 0), isRecorded: true }];
  expect(recordedIndex(withSent)).toBe(5);
  expect(mostTelling(withSent)).toBe(5);
  expect(recordedIndex(rows)).toBeUndefined();
});

test('unchanged stages are stepped over', () => {
  expect(nextChanged(rows, 2, 1)).toBe(4);
  expect(nextChanged(rows, 1, -1)).toBeUndefined();
});

test('the stages of another client are not called by the names of google-adk', () => {
  const parts = ['basic', 'instructions', 'contents', 'agent_tools', 'model_call', 'recorded'].map((name) =>
    row(name, 1),
  );
  expect(parts.map((part) => stageTitle(part, false))).toEqual([
    'model and settings',
    'system prompt',
    'messages',
    'tools',
    'request',
    'recorded',
  ]);
  expect(parts.map((part) => stageTitle(part, true))).toEqual(parts.map(({ processor }) => processor));
  const script = {
    ...row('contents', 1),
    inserted: { kind: 'script', params: {} },
  } satisfies StageRow;
  expect(stageTitle(script, false)).toBe('contents');
});
