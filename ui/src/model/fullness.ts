import { COLUMN_FLAGS } from '@/api/gen/api.ts';
import { isOneCallPerColumn, type CallColumns } from './columns.ts';

/** How the prompts of the agent that answered last have been growing. */
export interface Growth {
  /** Tokens a call, on average over `calls`. */
  readonly perCall: number;
  readonly calls: number;
}

/** Calls that say how fast prompts grow; what was long ago says little. */
const LOOKED_BACK = 20;

/**
 * From the last calls of the last agent, back to where its prompt was made shorter. None where that is one call only, or
 * where columns stand for several calls.
 */
export function growthOf(columns: CallColumns): Growth | undefined {
  const last = columns.length - 1;
  if (last < 0 || !isOneCallPerColumn(columns)) return undefined;
  let first = last;
  let calls = 0;
  for (let at = last - 1; at >= 0 && calls < LOOKED_BACK; at -= 1) {
    if (columns.agent[at] !== columns.agent[last]) continue;
    const isCut = (columns.tokens[at] ?? 0) > (columns.tokens[first] ?? 0);
    if (isCut || ((columns.flags[first] ?? 0) & COLUMN_FLAGS.compaction) !== 0) break;
    first = at;
    calls += 1;
  }
  if (calls === 0) return undefined;
  return { perCall: ((columns.tokens[last] ?? 0) - (columns.tokens[first] ?? 0)) / calls, calls };
}

/** How many calls fit until the limit at this rate. None where prompts do not grow. */
export function callsLeft(tokens: number, perCall: number, limit: number): number | undefined {
  return perCall < 1 ? undefined : Math.max(0, Math.floor((limit - tokens) / perCall));
}
