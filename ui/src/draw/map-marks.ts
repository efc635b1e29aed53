import type { StratumRun } from '@/api/gen/api.ts';
import { cachedTokens, callsOfColumn, hasFlag, type CallColumns } from '@/model/columns.ts';
import { columnGap } from '@/model/detail-level.ts';
import { formatAxis, formatCompact } from '@/model/format.ts';
import { callStep, tokenTicks } from '@/model/viewport.ts';
import { MAP_INSETS } from './map-base.ts';
import { pixelsPerCall, plotHeight, plotWidth, xOfCall, yOfToken, type MapLayout } from './map-layout.ts';
import { drawNotes, type MapNote } from './map-notes.ts';
import type { Surface, TextStyle } from './surface.ts';
import type { DrawTheme } from './theme.ts';

export interface MapMarks {
  readonly columns: CallColumns;
  readonly cursor: number;
  /** Where the selected event lies: runs of calls that have it at the same place. */
  readonly stratum: readonly StratumRun[];
  readonly notes: readonly MapNote[];
  /** Tokens at which a prompt is full, where that is drawn. */
  readonly limit: number | undefined;
}

/** Axes, notches, the stratum of the selection and the notes. */
export function drawMapMarks(surface: Surface, theme: DrawTheme, layout: MapLayout, marks: MapMarks): void {
  drawTokenAxis(surface, theme, layout);
  drawCallAxis(surface, theme, layout, marks);
  drawNotches(surface, theme, layout, marks.columns);
  if (marks.limit !== undefined) drawLimit(surface, theme, layout, marks.limit);
  for (const outline of outlinesOf(marks.stratum)) drawStratum(surface, theme, layout, outline);
  drawNotes(surface, theme, layout, marks.columns, marks.cursor, marks.notes);
}

function drawTokenAxis(surface: Surface, theme: DrawTheme, layout: MapLayout): void {
  for (const tick of tokenTicks(layout.viewport, plotHeight(layout))) {
    const y = yOfToken(layout, tick);
    surface.text(MAP_INSETS.left - 7, y + 4, formatAxis(tick), {
      color: theme.textLow,
      size: 10.5,
      align: 'right',
    });
  }
}

const LABEL_WIDTH = 22;

function drawCallAxis(surface: Surface, theme: DrawTheme, layout: MapLayout, marks: MapMarks): void {
  const { cursor } = marks;
  if (marks.columns.length === 0) return;
  const { from, to } = layout.viewport;
  const digits = String(Math.floor(to)).length;
  const step = callStep(pixelsPerCall(layout), digits <= 2 ? LABEL_WIDTH : digits * 7 + 14);
  const label = (call: number, isCursor: boolean): void => {
    const style: TextStyle = {
      color: isCursor ? theme.textHi : theme.textLow,
      size: 10,
      weight: isCursor ? 700 : 400,
      align: 'center',
    };
    const half = surface.measure(String(call), style) / 2;
    const x = Math.min(layout.width - half - 2, xOfCall(layout, call + 0.5));
    surface.text(x, 13, String(call), style);
  };
  const isCursorSeen = cursor >= from && cursor + 1 <= to;
  for (
    let call = Math.max(step === 1 ? 1 : step, Math.ceil(from / step) * step);
    call + 1 <= to;
    call += step
  )
    if (!isCursorSeen || Math.abs(call - cursor) >= step || step === 1) label(call, call === cursor);
  if (isCursorSeen && step > 1) label(cursor, true);
}

function drawLimit(surface: Surface, theme: DrawTheme, layout: MapLayout, limit: number): void {
  const y = yOfToken(layout, limit);
  if (y < MAP_INSETS.top || y > layout.height - MAP_INSETS.bottom + 1) return;
  const right = layout.width - MAP_INSETS.right;
  surface.path([MAP_INSETS.left, y, right, y], { stroke: theme.textMid, dash: [4, 3] });
  const style: TextStyle = { color: theme.textMid, size: 10.5, align: 'right' };
  surface.text(right, y - 4, `limit ${formatCompact(limit)}`, style);
}

/** Below this width there is no room for a line; a tick above the column says that there is a break. */
const NARROW = 3;

/** A red line where the prefix ended though it need not have. */
function drawNotches(surface: Surface, theme: DrawTheme, layout: MapLayout, columns: CallColumns): void {
  for (let i = 0; i < columns.length; i += 1) {
    if (!hasFlag(columns, i, 'avoidableBreak')) continue;
    const { from, to } = callsOfColumn(columns, i);
    if (to < layout.viewport.from || from >= layout.viewport.to) continue;
    const left = Math.max(MAP_INSETS.left, xOfCall(layout, from));
    if (pixelsPerCall(layout) < NARROW) {
      surface.rect(left, MAP_INSETS.top - 4, 1, 3, theme.break);
      continue;
    }
    const y = yOfToken(layout, cachedTokens(columns, i));
    if (y < MAP_INSETS.top) continue;
    surface.rect(left, y - 1, xOfCall(layout, to + 1) - left, 2.4, theme.break);
    surface.path([left, y, left - 4.5, y - 4, left - 4.5, y + 4], { fill: theme.break });
  }
}

type Outline = readonly StratumRun[];

/** Neighbouring runs become one outline. */
function outlinesOf(stratum: readonly StratumRun[]): readonly Outline[] {
  const outlines: StratumRun[][] = [];
  for (const run of stratum) {
    const outline = outlines.at(-1);
    if (outline?.at(-1)?.to === run.from - 1) outline.push(run);
    else outlines.push([run]);
  }
  return outlines;
}

function drawStratum(surface: Surface, theme: DrawTheme, layout: MapLayout, outline: Outline): void {
  const gap = columnGap(pixelsPerCall(layout)) / 2;
  const across = (x: number): number =>
    Math.min(layout.width - MAP_INSETS.right + 1, Math.max(MAP_INSETS.left - 1, x));
  const down = (y: number): number =>
    Math.min(layout.height - MAP_INSETS.bottom, Math.max(MAP_INSETS.top - 1, y));
  const upper: number[] = [];
  const lower: number[] = [];
  for (const { from, to, fromToken, tokens } of outline) {
    if (to + 1 <= layout.viewport.from || from >= layout.viewport.to) continue;
    const left = across(xOfCall(layout, from) + gap - 1);
    const right = across(xOfCall(layout, to + 1) - gap + 1);
    const top = down(yOfToken(layout, fromToken) - 0.5);
    const bottom = Math.max(top + 1, down(yOfToken(layout, fromToken + tokens)));
    upper.push(left, top, right, top);
    lower.unshift(right, bottom, left, bottom);
  }
  const [x, y] = upper;
  if (x === undefined || y === undefined) return;
  surface.path([...upper, ...lower, x, y], { stroke: theme.textHi, width: 1.5 });
}

export interface MapOverlay {
  readonly cursor: number;
  readonly hoveredCall: number | undefined;
  /** Where what is hovered lies. */
  readonly hovered: readonly StratumRun[];
}

/** Cursor and hover: redrawn with every move. */
export function drawMapOverlay(
  surface: Surface,
  theme: DrawTheme,
  layout: MapLayout,
  overlay: MapOverlay,
): void {
  for (const outline of outlinesOf(overlay.hovered))
    drawStratum(surface, { ...theme, textHi: theme.textMid }, layout, outline);
  if (overlay.hoveredCall !== undefined && overlay.hoveredCall !== overlay.cursor)
    drawFrame(surface, layout, overlay.hoveredCall, theme.lineStrong);
  if (overlay.cursor > 0) drawFrame(surface, layout, overlay.cursor, theme.textHi);
}

function drawFrame(surface: Surface, layout: MapLayout, call: number, stroke: string): void {
  const left = Math.max(MAP_INSETS.left, xOfCall(layout, call));
  const right = Math.min(layout.width - MAP_INSETS.right, xOfCall(layout, call + 1));
  if (right < MAP_INSETS.left || left > MAP_INSETS.left + plotWidth(layout)) return;
  const widen = Math.max(0, 6 - (right - left)) / 2;
  surface.roundRect(
    left - 1 - widen,
    MAP_INSETS.top - 1,
    right - left + 2 + 2 * widen,
    layout.height - MAP_INSETS.top - MAP_INSETS.bottom + 3,
    2,
    { stroke, width: 1.4 },
  );
}
