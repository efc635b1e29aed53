import { axisLabel, AXES, type HeatCell, type HeatMap } from '@/model/heat.ts';
import { mixHex } from './mix.ts';
import type { Surface } from './surface.ts';
import type { DrawTheme } from './theme.ts';

export interface HeatLayout {
  readonly columns: number;
  readonly rows: number;
  readonly cellWidth: number;
  readonly cellHeight: number;
  readonly width: number;
  readonly height: number;
}

/** Room for the labels beside and above the cells. */
const LEFT = 62;
const TOP = 26;
const GAP = 2;
const LEAST_WIDTH = 24;
const MOST_WIDTH = 150;
const LEAST_HEIGHT = 18;
const MOST_HEIGHT = 44;

/** Cells fill the room there is, but are never too small to be pointed at: a large sweep scrolls. */
export function heatLayout(heat: HeatMap, width: number, height: number): HeatLayout {
  const columns = Math.max(1, heat.xs.length);
  const rows = Math.max(1, heat.ys.length);
  const within = (value: number, least: number, most: number): number =>
    Math.floor(Math.min(most, Math.max(least, value)));
  const cellWidth = within((width - LEFT) / columns, LEAST_WIDTH, MOST_WIDTH);
  const cellHeight = within((height - TOP) / rows, LEAST_HEIGHT, MOST_HEIGHT);
  return {
    columns,
    rows,
    cellWidth,
    cellHeight,
    width: LEFT + columns * cellWidth,
    height: TOP + rows * cellHeight,
  };
}

/** The cell at a point of the drawing, also where it is empty. */
export function cellAt(layout: HeatLayout, x: number, y: number): number | undefined {
  const column = Math.floor((x - LEFT) / layout.cellWidth);
  const row = Math.floor((y - TOP) / layout.cellHeight);
  const isInside = column >= 0 && column < layout.columns && row >= 0 && row < layout.rows;
  return isInside ? row * layout.columns + column : undefined;
}

export function cellBox(
  layout: HeatLayout,
  place: number,
): { x: number; y: number; width: number; height: number } {
  return {
    x: LEFT + (place % layout.columns) * layout.cellWidth,
    y: TOP + Math.floor(place / layout.columns) * layout.cellHeight,
    width: layout.cellWidth - GAP,
    height: layout.cellHeight - GAP,
  };
}

/** Cells and axes: brighter saves more. */
export function drawHeatMap(surface: Surface, theme: DrawTheme, layout: HeatLayout, heat: HeatMap): void {
  drawAxes(surface, theme, layout, heat);
  heat.cells.forEach((cell, place) => {
    const { x, y, width, height } = cellBox(layout, place);
    if (cell === undefined) {
      surface.roundRect(x + 0.5, y + 0.5, width - 1, height - 1, 3, { stroke: theme.line, dash: [2, 3] });
      return;
    }
    const fill = mixHex(theme.hover, theme.cached, cell.strength * 0.9);
    surface.roundRect(x, y, width, height, 3, { fill });
    drawLabels(surface, theme, cell, { x, y, width, height });
  });
}

function drawAxes(surface: Surface, theme: DrawTheme, layout: HeatLayout, heat: HeatMap): void {
  const style = { color: theme.textLow, size: 11, align: 'right' } as const;
  const [across, down] = AXES[heat.family];
  surface.text(LEFT - 8, 11, across, style);
  surface.text(LEFT - 8, 23, down, style);
  heat.xs.forEach((x, column) => {
    const middle = LEFT + column * layout.cellWidth + (layout.cellWidth - GAP) / 2;
    surface.text(middle, 17, axisLabel(x), { color: theme.textMid, size: 11, align: 'center' });
  });
  heat.ys.forEach((y, row) => {
    const middle = TOP + row * layout.cellHeight + (layout.cellHeight - GAP) / 2;
    surface.text(LEFT - 8, middle + 4, axisLabel(y), { ...style, color: theme.textMid });
  });
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function drawLabels(surface: Surface, theme: DrawTheme, cell: HeatCell, { x, y, width, height }: Box): void {
  const title = { color: theme.textHi, size: 11.5, weight: 600 } as const;
  const isTall = height >= 31;
  const mark = marksOf(cell);
  const right = { color: theme.textHi, size: 10, weight: 600, align: 'right' } as const;
  const room = width - 12 - (mark === '' ? 0 : 12 * mark.length);
  if (surface.measure(cell.title, title) <= room)
    surface.text(x + 7, isTall ? y + 14 : y + height / 2 + 4, cell.title, title);
  if (isTall && width >= 54) surface.text(x + 7, y + 27, cell.detail, { color: theme.textHi, size: 10.5 });
  if (mark !== '' && width >= 20) surface.text(x + width - 6, y + 13, mark, right);
}

/** ★ recommended, ☆ none beats it in both cost and peak, ! something is odd. */
function marksOf(cell: HeatCell): string {
  const front = cell.isOnFront ? '☆' : '';
  return (cell.isFlagged ? '!' : '') + (cell.isRecommended ? '★' : front);
}

export interface HeatOverlay {
  readonly chosen: number | undefined;
  readonly hovered: number | undefined;
  /** Cells that were run. */
  readonly run: readonly number[];
}

export function drawHeatOverlay(
  surface: Surface,
  theme: DrawTheme,
  layout: HeatLayout,
  overlay: HeatOverlay,
): void {
  for (const place of overlay.run) {
    const { x, y, width, height } = cellBox(layout, place);
    surface.text(x + width - 6, y + height - 6, '✓', {
      color: theme.textHi,
      size: 11,
      weight: 700,
      align: 'right',
    });
  }
  outline(surface, layout, overlay.hovered, { stroke: theme.textMid, width: 1 });
  outline(surface, layout, overlay.chosen, { stroke: theme.textHi, width: 2 });
}

function outline(
  surface: Surface,
  layout: HeatLayout,
  place: number | undefined,
  style: { readonly stroke: string; readonly width: number },
): void {
  if (place === undefined) return;
  const { x, y, width, height } = cellBox(layout, place);
  surface.roundRect(x + 0.5, y + 0.5, width - 1, height - 1, 3, style);
}
