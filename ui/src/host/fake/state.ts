import type { StateValues } from '@/api/gen/api.ts';

/** The state of the made-up session: what its agents found so far. */
export function stateValues(): StateValues {
  return {
    rows: [
      {
        key: 'hits',
        characters: 4_812,
        sentCharacters: 4_812,
        entries: 12,
        fields: [
          { name: 'id', entries: 12, characters: 96 },
          { name: 'host', entries: 12, characters: 84 },
          { name: 'message', entries: 11, characters: 4_402 },
        ],
        shown: [],
      },
    ],
  };
}
