import { COLUMN_FLAGS, type AgentSummary, type ContextWindow } from '@/api/gen/api.ts';
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

/** How long a prompt an agent's model takes, and how much of that its largest prompt takes. */
export interface Limit extends ContextWindow {
  readonly agent: string;
  /** Of the limit: 0.5 is half full. */
  readonly share: number;
}

/** The limit that prompts have come nearest to. None where no model's is known. */
export function nearestLimit(agents: readonly AgentSummary[], columns: CallColumns): Limit | undefined {
  let nearest: Limit | undefined;
  for (const [at, { name, contextWindow }] of agents.entries()) {
    if (contextWindow === null) continue;
    const peak = columns.tokens.reduce(
      (most, tokens, column) => (columns.agent[column] === at ? Math.max(most, tokens) : most),
      0,
    );
    const share = peak / contextWindow.tokens;
    if (peak > 0 && share > (nearest?.share ?? 0)) nearest = { ...contextWindow, agent: name, share };
  }
  return nearest;
}

/** Below this share a line for the limit would leave the prompts too little room. */
const LEAST_SHARE = 0.5;

/** The limit in tokens, where charts have room for it. */
export function drawnLimit(limit: Limit | undefined): number | undefined {
  return limit !== undefined && limit.share >= LEAST_SHARE ? limit.tokens : undefined;
}
