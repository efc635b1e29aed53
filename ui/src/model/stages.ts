import type { StageRow } from '@/api/gen/api.ts';

/**
 * Names of the stages for addresses: the processor, with `~2` behind it when it runs a second time. The number of a
 * stage would not do, because flows of different agents differ.
 */
export function stageNames(rows: readonly StageRow[]): readonly string[] {
  const seen = new Map<string, number>();
  return rows.map(({ processor }) => {
    const times = (seen.get(processor) ?? 0) + 1;
    seen.set(processor, times);
    return times === 1 ? processor : `${processor}~${String(times)}`;
  });
}

export function addedTokens(row: StageRow): number {
  return row.added.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Index of the stage to look at before one was chosen: the one that added most. */
export function mostTelling(rows: readonly StageRow[]): number {
  let best = 0;
  rows.forEach((row, index) => {
    const champion = rows[best];
    if (champion !== undefined && addedTokens(row) > addedTokens(champion)) best = index;
  });
  return best;
}

/** Index of the next changed stage from `index`, going down or up. */
export function nextChanged(rows: readonly StageRow[], index: number, direction: 1 | -1): number | undefined {
  for (let i = index + direction; i >= 0 && i < rows.length; i += direction)
    if (rows[i]?.isChanged === true) return i;
  return undefined;
}
