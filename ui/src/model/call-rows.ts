import { cachedTokens, callsOfColumn, hasFlag, isCacheKnown, type CallColumns } from './columns.ts';
import { formatCalls } from './format.ts';

export const CALL_ORDERS = ['inOrder', 'bySize', 'inFull'] as const;
export type CallOrder = (typeof CALL_ORDERS)[number];

/** A call, or several neighbours where a session has too many: then the numbers are those of the largest of them. */
export interface CallTableRow {
  readonly column: number;
  /** `C17`, or `C17–C20`. */
  readonly name: string;
  readonly peakCall: number;
  /** Index of its agent among those of the session. */
  readonly agent: number;
  readonly tokens: number;
  /** Nothing where no cache is known of. */
  readonly cached: number | undefined;
  readonly inFull: number;
  readonly hidden: number;
  /** In the order of `KINDS`. */
  readonly byKind: readonly number[];
  /** What the marks at it say: a cache loss, a compaction, a hand-off, a failed step. */
  readonly marks: readonly string[];
}

const MARKS = [
  ['avoidableBreak', 'avoidable cache loss'],
  ['structuralBreak', 'cache loss by what the session does'],
  ['providerBreak', 'cache loss by a rule of the provider'],
  ['compaction', 'first call after a compaction'],
  ['handoff', 'hand-off'],
  ['error', 'a step failed'],
  ['notCompiled', 'not compiled yet'],
] as const;

export function callRows(columns: CallColumns): readonly CallTableRow[] {
  return Array.from({ length: columns.length }, (_, column) => {
    const { from, to } = callsOfColumn(columns, column);
    const tokens = columns.tokens[column] ?? 0;
    const cached = isCacheKnown(columns, column) ? cachedTokens(columns, column) : undefined;
    return {
      column,
      name: formatCalls(from, to),
      peakCall: columns.peakCall[column] ?? from,
      agent: columns.agent[column] ?? 0,
      tokens,
      cached,
      inFull: tokens - (cached ?? 0),
      hidden: columns.hidden[column] ?? 0,
      byKind: columns.byKind.map((kind) => kind[column] ?? 0),
      marks: MARKS.filter(([flag]) => hasFlag(columns, column, flag)).map(([, words]) => words),
    };
  });
}

/** In order, or the greatest first. */
export function sortCallRows(rows: readonly CallTableRow[], order: CallOrder): readonly CallTableRow[] {
  if (order === 'inOrder') return rows;
  const value = (row: CallTableRow): number => (order === 'bySize' ? row.tokens : row.inFull);
  return rows.toSorted((a, b) => value(b) - value(a));
}
