/** Fails when a value that must be there is not. `why` says who promised it. */
export function ensureExists<T>(value: T | null | undefined, why: string): T {
  if (value === undefined || value === null) throw new Error(`Missing: ${why}`);
  return value;
}

/** Makes the compiler prove that a union was handled in full. */
export function assertExhaustive(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
