import { expect, test } from 'vitest';
import { continuationText, holdRows, holdText, spentShare, spentText } from './run.ts';

test('conditions that are on stand among all there are', () => {
  const rows = holdRows(['tokens=20000', 'agent=a', 'agent=b'], { cost: '0.2' });
  expect(rows.filter((row) => row.isOn).map((row) => `${row.kind} ${row.value}`)).toEqual([
    'tokens 20000',
    'agent a',
    'agent b',
  ]);
  expect(rows.find((row) => row.kind === 'cost')).toMatchObject({ isOn: false, value: '0.2' });
  expect(rows.map((row) => holdText(row, row.value))).toEqual([
    'break',
    'tokens=20000',
    'result=8000',
    'cost=0.2',
    'agent=a',
    'agent=b',
    'always',
  ]);
  expect(holdText({ kind: 'agent', unit: 'name' }, ' ')).toBeUndefined();
});

test('a held call says how it continues the one before', () => {
  const held = {
    agent: 'a',
    nodePath: '',
    reasons: [],
    promptTokens: 10,
    basis: 'exact' as const,
    promptCost: null,
    before: null,
    model: 'm',
    system: null,
    parts: [],
    isEdited: false,
  };
  expect(continuationText(held)).toBe('It is the first call of this agent here.');
  const before = { tokens: 1200, sharedTokens: 300, differsIn: 'instruction' };
  expect(continuationText({ ...held, before })).toBe(
    'It begins with 300 of the 1,200 tokens of the agent’s call before; then its instruction is another.',
  );
  expect(continuationText({ ...held, before: { ...before, differsIn: null } })).toContain('all 1,200 tokens');
});

test('what is spent stands beside its limit, where there is one', () => {
  expect(spentText(1240, 2_000_000, 'tokens')).toBe('1,240 of 2,000,000');
  expect(spentText(0.5, 5, 'dollars')).toBe('$0.50 of $5.00');
  expect(spentText(3, 0, 'calls')).toBe('3 calls');
  expect([spentShare(1, 4), spentShare(9, 4), spentShare(9, 0)]).toEqual([0.25, 1, 0]);
});
