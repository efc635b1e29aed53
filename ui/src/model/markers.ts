import { callsOfColumn, hasFlag, type CallColumns } from './columns.ts';

const MARKER_TYPES = ['avoidableBreak', 'structuralBreak', 'providerBreak', 'compaction'] as const;
export type MarkerType = (typeof MARKER_TYPES)[number];

export interface MarkerCount {
  readonly type: MarkerType;
  readonly count: number;
  /** The columns hold more than one call each and say only that there is one. */
  readonly isAtLeast: boolean;
}

/** Markers of neighbouring calls that would overlap, drawn as one. */
export interface MarkerCluster {
  readonly x: number;
  readonly counts: readonly MarkerCount[];
}

interface Draft {
  readonly from: number;
  readonly to: number;
  readonly counts: readonly MarkerCount[];
}

export const GLYPH_WIDTH = 10;
const DIGIT_WIDTH = 6.5;
const SPACE = 3;

/** Width of a cluster when it is drawn. */
export function clusterWidth(counts: readonly MarkerCount[]): number {
  return counts.reduce((sum, count) => sum + countWidth(count), SPACE * (counts.length - 1));
}

export function countWidth(count: MarkerCount): number {
  return GLYPH_WIDTH + countLabel(count).length * DIGIT_WIDTH;
}

/** `5`, `5+`, or nothing for a single marker: a mark alone says that there is one, not that there is only one. */
export function countLabel(count: MarkerCount): string {
  if (count.count === 1) return '';
  return `${String(count.count)}${count.isAtLeast ? '+' : ''}`;
}

/** Groups the markers of all columns so that no two groups overlap. `centre` gives the middle of a column in pixels. */
export function clusterMarkers(
  columns: CallColumns,
  centre: (column: number) => number,
): readonly MarkerCluster[] {
  const drafts: Draft[] = [];
  for (let i = 0; i < columns.length; i += 1) {
    const counts = countsOf(columns, i);
    if (counts.length === 0) continue;
    const x = centre(i);
    let draft: Draft = { from: x, to: x, counts };
    for (let last = drafts.at(-1); last !== undefined && overlap(last, draft); last = drafts.at(-1)) {
      drafts.pop();
      draft = { from: last.from, to: draft.to, counts: mergeCounts(last.counts, draft.counts) };
    }
    drafts.push(draft);
  }
  return drafts.map(({ from, to, counts }) => ({ x: (from + to) / 2, counts }));
}

function countsOf(columns: CallColumns, index: number): readonly MarkerCount[] {
  const calls = callsOfColumn(columns, index);
  const isAtLeast = calls.to > calls.from;
  return MARKER_TYPES.filter((type) => hasFlag(columns, index, type))
    .filter((type, _, all) => type !== 'structuralBreak' || !all.includes('compaction') || isAtLeast)
    .map((type) => ({ type, count: 1, isAtLeast }));
}

function overlap(left: Draft, right: Draft): boolean {
  const distance = (right.from + right.to) / 2 - (left.from + left.to) / 2;
  return distance < (clusterWidth(left.counts) + clusterWidth(right.counts)) / 2 + 1;
}

function mergeCounts(left: readonly MarkerCount[], right: readonly MarkerCount[]): readonly MarkerCount[] {
  return MARKER_TYPES.flatMap((type) => {
    const same = [...left, ...right].filter((entry) => entry.type === type);
    if (same.length === 0) return [];
    const count = same.reduce((sum, entry) => sum + entry.count, 0);
    return [{ type, count, isAtLeast: same.some((entry) => entry.isAtLeast) }];
  });
}
