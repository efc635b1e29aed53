import { describe, expect, test } from 'vitest';
import type { StateValueRow } from '@/api/gen/api.ts';
import { keptCharacters, mapEdits } from './state-maps.ts';

const hits: StateValueRow = {
  key: 'hits',
  characters: 900,
  sentCharacters: 900,
  entries: 3,
  fields: [
    { name: 'id', entries: 3, characters: 30 },
    { name: 'body', entries: 3, characters: 800 },
  ],
  shown: [],
};

describe('a state map', () => {
  test('is an edit when fields are left out', () => {
    expect(mapEdits([hits], new Map([['hits', ['id']]]))).toEqual([
      { edit: 'set_state_map', key: 'hits', fields: ['id'] },
    ]);
  });

  test('with all fields takes the map away, and is nothing where there is none', () => {
    const all = new Map([['hits', ['id', 'body']]]);
    expect(mapEdits([hits], all)).toEqual([]);
    expect(mapEdits([{ ...hits, shown: ['id'] }], all)).toEqual([
      { edit: 'set_state_map', key: 'hits', fields: [] },
    ]);
  });

  test('that is there already makes no edit', () => {
    expect(mapEdits([{ ...hits, shown: ['id'] }], new Map([['hits', ['id']]]))).toEqual([]);
    expect(mapEdits([hits], new Map())).toEqual([]);
  });

  test('keeps the characters of its fields', () => {
    expect(keptCharacters(hits, ['id'])).toBe(30);
    expect(keptCharacters(hits, ['id', 'body'])).toBe(900);
  });
});
