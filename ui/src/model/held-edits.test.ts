import { expect, test } from 'vitest';
import type { HeldCall } from '@/api/gen/api.ts';
import { heldEdits } from './held-edits.ts';

const held: HeldCall = {
  agent: 'a',
  nodePath: '',
  reasons: [],
  promptTokens: 1,
  basis: 'exact' as const,
  promptCost: null,
  before: null,
  model: 'm',
  system: 'Help.',
  isEdited: false,
  parts: [
    { content: 0, part: 0, role: 'user', kind: 'text', text: 'Go.', isText: true },
    { content: 1, part: 0, role: 'model', kind: 'call of look', text: '{}', isText: false },
    { content: 2, part: 0, role: 'user', kind: 'text', text: 'Now.', isText: true },
  ],
};
const nothing = { model: undefined, system: undefined, texts: {}, leftOut: [] };

test('what is as it was is no edit', () => {
  expect(heldEdits(held, nothing)).toEqual([]);
  expect(heldEdits(held, { ...nothing, model: ' m ', system: 'Help.', texts: { '0.0': 'Go.' } })).toEqual([]);
});

test('what is left out goes last, and its text is not edited', () => {
  const draft = {
    model: 'n',
    system: '',
    texts: { '0.0': 'Stay.', '2.0': 'Later.' },
    leftOut: ['0.0', '2.0'],
  };
  expect(heldEdits(held, draft)).toEqual([
    { kind: 'system', text: '' },
    { kind: 'model', name: 'n' },
    {
      kind: 'leaveOut',
      parts: [
        { content: 0, part: 0 },
        { content: 2, part: 0 },
      ],
    },
  ]);
  expect(heldEdits(held, { ...nothing, texts: { '2.0': 'Later.' } })).toEqual([
    { kind: 'text', content: 2, part: 0, text: 'Later.' },
  ]);
});
