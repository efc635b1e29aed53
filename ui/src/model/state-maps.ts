import type { Edit, StateValueRow } from '@/api/gen/api.ts';

/** Fields that are wanted of state values, by key. */
export type StateMaps = ReadonlyMap<string, readonly string[]>;

/** Characters of a value's fields that are kept; of all of it where every field is. */
export function keptCharacters({ fields, characters }: StateValueRow, kept: readonly string[]): number {
  if (kept.length === fields.length) return characters;
  return fields.reduce((sum, field) => sum + (kept.includes(field.name) ? field.characters : 0), 0);
}

/** The edits that give values the wanted fields: none for a value that has them already. */
export function mapEdits(values: readonly StateValueRow[], wanted: StateMaps): readonly Edit[] {
  return values.flatMap(({ key, fields, shown }) => {
    const names = wanted.get(key);
    if (names === undefined) return [];
    // All fields are no map.
    const now = names.length === fields.length ? [] : [...names];
    const isSame = now.length === shown.length && now.every((name) => shown.includes(name));
    return isSame ? [] : [{ edit: 'set_state_map', key, fields: now } as const];
  });
}
