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

/** What is laid side by side of a session whose own steps are not recorded, by the processor that does it here. */
const PARTS: Readonly<Record<string, string>> = {
  basic: 'model and settings',
  instructions: 'system prompt',
  contents: 'messages',
  agent_tools: 'tools',
  model_call: 'request',
};

/**
 * What a stage is called. Only google-adk has processors: the request of another client is put together here, of parts.
 */
export function stageTitle(row: StageRow, isAdk: boolean): string {
  return isAdk || row.inserted !== null ? row.processor : (PARTS[row.processor] ?? row.processor);
}

export function addedTokens(row: StageRow): number {
  return row.added.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** What is shown of a call whose request is recorded: what was sent, what is compiled, or how they differ. */
export type RequestLook = 'recorded' | 'recompiled' | 'difference';

/** Index of the stage that is what was really sent, if that is recorded. The stage before it is what is compiled. */
export function recordedIndex(rows: readonly StageRow[]): number | undefined {
  const index = rows.findIndex(({ isRecorded }) => isRecorded);
  return index < 0 ? undefined : index;
}

/** Index of the stage to look at before one was chosen: what was really sent, or else the one that added most. */
export function mostTelling(rows: readonly StageRow[]): number {
  const recorded = recordedIndex(rows);
  if (recorded !== undefined) return recorded;
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
