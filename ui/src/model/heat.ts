import type { LabFamily, LabRow, LabSweep } from '@/api/gen/api.ts';
import { formatAxis, formatCompact } from './format.ts';
import { changeOf, formatMetric, rowTitle, type Metric } from './lab-bill.ts';

/** The two numbers of a family: across, and down. */
export const AXES: Readonly<Record<LabFamily, readonly [string, string]>> = {
  off: ['', ''],
  slidingWindow: ['interval', 'overlap'],
  tokenThreshold: ['threshold', 'keep'],
  both: ['interval', 'threshold'],
  steps: ['limit', 'keep'],
};

export interface HeatCell {
  /** The row of the sweep. */
  readonly row: number;
  readonly title: string;
  readonly detail: string;
  /** How much better than the recording, from 0 to 1, relative to the best cell. */
  readonly strength: number;
  readonly isRecommended: boolean;
  readonly isOnFront: boolean;
  readonly isFlagged: boolean;
}

/** A sweep as a table of two numbers. */
export interface HeatMap {
  readonly family: LabFamily;
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  /** Row by row; nothing where the sweep has no such configuration. */
  readonly cells: readonly (HeatCell | undefined)[];
}

export const NO_HEAT: HeatMap = { family: 'off', xs: [], ys: [], cells: [] };

export function heatMap(sweep: LabSweep, metric: Metric, family: LabFamily): HeatMap {
  const rows = sweep.rows.map((row, at) => ({ row, at })).filter(({ row }) => row.family === family);
  const xs = sorted(rows.map(({ row }) => row.x));
  const ys = sorted(rows.map(({ row }) => row.y));
  const mostRegret = Math.max(1, ...rows.map(({ row }) => row.regret));
  const change = (row: LabRow): number =>
    metric === 'regret' ? row.regret / mostRegret - 1 : (changeOf(row.bill, sweep.recorded, metric) ?? 0);
  const best = Math.max(0.01, ...rows.map(({ row }) => -change(row)));
  const front = new Set(sweep.front);
  const columnOf = new Map(xs.map((x, column) => [x, column]));
  const rowOf = new Map(ys.map((y, line) => [y, line]));
  const cells: (HeatCell | undefined)[] = new Array<undefined>(xs.length * ys.length).fill(undefined);
  for (const { row, at } of rows) {
    const place = (rowOf.get(row.y) ?? 0) * xs.length + (columnOf.get(row.x) ?? 0);
    // Configurations that differ in a third number share a cell: the first one stands.
    cells[place] ??= {
      row: at,
      title: rowTitle(row, sweep.recorded, metric),
      detail: metric === 'peak' ? formatMetric(row.bill, 'billed') : formatCompact(row.bill.peakTokens),
      strength: Math.min(1, Math.max(0, -change(row) / best)),
      isRecommended: sweep.recommended === row.place,
      isOnFront: front.has(row.place),
      isFlagged: row.flags.length > 0,
    };
  }
  return { family, xs, ys, cells };
}

/** Families that a sweep has rows of, in the order of its rows. */
export function familiesOf(sweep: LabSweep): readonly LabFamily[] {
  return [...new Set(sweep.rows.map(({ family }) => family))].filter((family) => family !== 'off');
}

export function axisLabel(value: number): string {
  return value >= 1000 ? formatAxis(value) : String(value);
}

/** The place of a row of the sweep among the cells. */
export function placeOf(heat: HeatMap, row: number | undefined): number | undefined {
  const place = heat.cells.findIndex((cell) => cell !== undefined && cell.row === row);
  return place < 0 ? undefined : place;
}

/** The next filled cell that way; none at the edge. */
export function neighbour(heat: HeatMap, place: number, dx: number, dy: number): number | undefined {
  const columns = heat.xs.length;
  let column = place % columns;
  let line = Math.floor(place / columns);
  for (;;) {
    column += dx;
    line += dy;
    if (column < 0 || column >= columns || line < 0 || line >= heat.ys.length) return undefined;
    const next = line * columns + column;
    if (heat.cells[next] !== undefined) return next;
  }
}

function sorted(values: readonly number[]): readonly number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}
