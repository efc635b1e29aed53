/**
 * Journeys wait for what happens, however long a busy machine takes. This only ends a wait for what never does, so that a
 * test that fails says where; it is shorter than the limit of a whole test in `package.json`.
 */
export const NEVER_MS = 120_000;
