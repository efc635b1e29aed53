import type { ContextLine, NodeState } from '@/api/gen/api.ts';
import { formatClock, formatDay } from './format.ts';
import type { StoreName } from './view-url.ts';

/** The stores whose rows are listed one by one, without a call they hold for. */
const KEPT_STORES = ['artifacts', 'memory', 'nodes', 'contexts'] as const;
export type KeptStore = (typeof KEPT_STORES)[number];

export function isKept(store: StoreName): store is KeptStore {
  return KEPT_STORES.some((kept) => kept === store);
}

export const NODE_STATES: Readonly<Record<NodeState, { readonly glyph: string; readonly word: string }>> = {
  done: { glyph: '✓', word: 'done' },
  waits: { glyph: '‖', word: 'waits' },
  failed: { glyph: '!', word: 'failed' },
};

/** Marks of a context's state: a shape each, so that none rests on colour. */
export const CONTEXT_GLYPHS: Readonly<Record<string, string>> = {
  active: '▶',
  idle: '‖',
  archived: '✓',
  expired: '○',
  seen: '◇',
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `41 min`, `3 h`, `6 days`. */
export function formatSpan(ms: number): string {
  if (ms < MINUTE) return `${String(Math.max(0, Math.round(ms / 1000)))} s`;
  if (ms < HOUR) return `${String(Math.round(ms / MINUTE))} min`;
  if (ms < 2 * DAY) return `${String(Math.round(ms / HOUR))} h`;
  return `${String(Math.round(ms / DAY))} days`;
}

/** When a context ends, in words. */
export function expiryText(row: ContextLine, now: number): string {
  if (row.expiredMs !== null) return `expired ${formatDay(row.expiredMs)} ${formatClock(row.expiredMs)}`;
  if (row.state === 'seen') return 'not known';
  if (row.openTasks > 0) return 'stopped by open tasks';
  if (row.expiresMs === null) return 'not by the clock';
  return row.expiresMs <= now ? 'due' : `in ${formatSpan(row.expiresMs - now)}`;
}
