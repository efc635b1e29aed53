import { axisTop, bucketMaxima, type Series, type SeriesRole } from '@/model/curves.ts';
import { formatAxis } from '@/model/format.ts';
import type { ShapeStyle, Surface } from './surface.ts';
import type { DrawTheme } from './theme.ts';

export interface CurveLayout {
  readonly width: number;
  readonly height: number;
  readonly calls: number;
}

const LEFT = 48;
const RIGHT = 14;
const TOP = 12;
const BOTTOM = 30;

/** The call under a point, counted from 1. */
export function curveCallAt(layout: CurveLayout, x: number): number | undefined {
  const share = (x - LEFT) / Math.max(1, layout.width - LEFT - RIGHT);
  if (layout.calls === 0 || share < 0 || share >= 1) return undefined;
  return Math.floor(share * layout.calls) + 1;
}

/** Where a call begins. */
export function curveXOf(layout: CurveLayout, call: number): number {
  return LEFT + ((call - 1) / Math.max(1, layout.calls)) * (layout.width - LEFT - RIGHT);
}

/** Lines in the order given, the chosen one on a soft ground, and a mark at each call that first sees a summary. */
export function drawCurves(
  surface: Surface,
  theme: DrawTheme,
  layout: CurveLayout,
  series: readonly Series[],
  marks: readonly number[],
): void {
  const bottom = layout.height - BOTTOM;
  const top = axisTop(mostOf(series));
  const y = (value: number): number => bottom - (value / top) * (bottom - TOP);
  for (let step = 0; step <= 3; step += 1) {
    const at = Math.round(y((top * step) / 3));
    surface.rect(LEFT, at, layout.width - LEFT - RIGHT, 1, theme.line);
    const value = Math.round((top * step) / 3);
    surface.text(LEFT - 7, at + 4, formatAxis(value), { color: theme.textLow, size: 11, align: 'right' });
  }
  drawCallLabels(surface, theme, layout);
  for (const one of series) drawLine(surface, theme, layout, one, y);
  for (const call of new Set(marks)) {
    const x = curveXOf(layout, call) + callWidth(layout) / 2;
    surface.path([x - 4.5, bottom + 10, x + 4.5, bottom + 10, x, bottom + 3], { fill: theme.summary });
  }
}

function callWidth(layout: CurveLayout): number {
  return (layout.width - LEFT - RIGHT) / Math.max(1, layout.calls);
}

function mostOf(series: readonly Series[]): number {
  return series.reduce((most, { values }) => values.reduce((a, b) => Math.max(a, b), most), 1);
}

function drawCallLabels(surface: Surface, theme: DrawTheme, layout: CurveLayout): void {
  const wanted = Math.max(1, Math.min(8, Math.floor((layout.width - LEFT) / 90)));
  const step = Math.max(1, niceStep(layout.calls / wanted));
  const labels = new Set([1]);
  for (let call = step; call <= layout.calls; call += step) labels.add(call);
  for (const call of labels) {
    const x = curveXOf(layout, call) + callWidth(layout) / 2;
    if (x > layout.width - RIGHT - 4) continue;
    surface.text(x, layout.height - 6, `C${String(call)}`, {
      color: theme.textLow,
      size: 11,
      align: 'center',
    });
  }
}

function niceStep(rough: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  return unit * ([1, 2, 5, 10].find((step) => step * unit >= rough) ?? 10);
}

function styleOf(theme: DrawTheme, role: SeriesRole): ShapeStyle {
  if (role === 'none') return { stroke: theme.textLow, width: 1 };
  if (role === 'recorded') return { stroke: theme.textMid, width: 1.25, dash: [4, 3] };
  return { stroke: theme.focus, width: 2 };
}

function drawLine(
  surface: Surface,
  theme: DrawTheme,
  layout: CurveLayout,
  series: Series,
  y: (value: number) => number,
): void {
  const room = layout.width - LEFT - RIGHT;
  const values = bucketMaxima(series.values, Math.floor(room));
  const width = room / Math.max(1, values.length);
  const points = values.flatMap((value, i) => [LEFT + i * width, y(value), LEFT + (i + 1) * width, y(value)]);
  if (points.length === 0) return;
  if (series.role === 'chosen') {
    const ground = [LEFT, y(0), ...points, LEFT + values.length * width, y(0)];
    surface.path(ground, { fill: `${theme.focus}1c` });
  }
  surface.path(points, styleOf(theme, series.role));
}

export interface CurveOverlay {
  readonly cursor: number;
  readonly hovered: number | undefined;
}

export function drawCurveOverlay(
  surface: Surface,
  theme: DrawTheme,
  layout: CurveLayout,
  { cursor, hovered }: CurveOverlay,
): void {
  const height = layout.height - BOTTOM - TOP;
  const width = Math.max(1, callWidth(layout));
  if (hovered !== undefined)
    surface.rect(curveXOf(layout, hovered), TOP, width, height, `${theme.textMid}2e`);
  if (cursor > 0)
    surface.roundRect(curveXOf(layout, cursor) + 0.5, TOP, Math.max(3, width - 1), height, 2, {
      stroke: theme.textHi,
      width: 1,
    });
}
