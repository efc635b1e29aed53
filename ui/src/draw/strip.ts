import type { CallRange } from '@/api/gen/api.ts';
import { cachedTokens, callsOfColumn, hasFlag, isCacheKnown, type CallColumns } from '@/model/columns.ts';
import {
  clusterMarkers,
  countLabel,
  GLYPH_WIDTH,
  countWidth,
  clusterWidth,
  type MarkerType,
} from '@/model/markers.ts';
import { fitText, type Surface, type TextStyle } from './surface.ts';
import type { DrawTheme } from './theme.ts';

export interface StripLayout {
  readonly width: number;
  readonly calls: number;
}

export const STRIP_HEIGHT = 96;
const PADDING = 10;
const BAR_TOP = 20;
const BAR_HEIGHT = 42;
const BASELINE = BAR_TOP + BAR_HEIGHT;
const MARKER_MIDDLE = 70;
const ERROR_TOP = 75;
const BAND_TOP = 78;
const BAND_HEIGHT = 14;
const FLAG_HEIGHT = 14;

/** Left edge of a call. */
export function stripX(layout: StripLayout, call: number): number {
  return PADDING + ((call - 1) * (layout.width - 2 * PADDING)) / Math.max(1, layout.calls);
}

/** The call at a horizontal position, the nearest one beyond the ends. */
export function callAtX(layout: StripLayout, x: number): number {
  const call = 1 + Math.floor(((x - PADDING) * layout.calls) / Math.max(1, layout.width - 2 * PADDING));
  return Math.min(layout.calls, Math.max(1, call));
}

/** Columns that fit: one pixel each, at most. */
export function stripColumns(width: number): number {
  return Math.max(1, Math.floor(width - 2 * PADDING));
}

interface Span {
  readonly x: number;
  readonly width: number;
}

function columnSpan(layout: StripLayout, columns: CallColumns, index: number): Span {
  const { from, to } = callsOfColumn(columns, index);
  const left = stripX(layout, from);
  const width = stripX(layout, to + 1) - left;
  const gap = width >= 6 ? 2 : width >= 3 ? 1 : 0;
  return { x: left + gap / 2, width: Math.max(width - gap, Math.min(width, 1)) };
}

/** Bars, a line for the limit, markers and the band of agents: everything that changes only with the data. */
export function drawStripBase(
  surface: Surface,
  theme: DrawTheme,
  layout: StripLayout,
  columns: CallColumns,
  agents: readonly string[],
  limit: number | undefined,
): void {
  drawBars(surface, theme, layout, columns, limit);
  surface.rect(PADDING, BASELINE, layout.width - 2 * PADDING, 1, theme.lineStrong);
  drawMarkers(surface, theme, layout, columns);
  drawAgents(surface, theme, layout, columns, agents);
}

function drawBars(
  surface: Surface,
  theme: DrawTheme,
  layout: StripLayout,
  columns: CallColumns,
  limit: number | undefined,
): void {
  const peak = columns.tokens.reduce((most, tokens) => Math.max(most, tokens), limit ?? 1);
  if (limit !== undefined) {
    const y = BASELINE - (limit / peak) * BAR_HEIGHT;
    surface.path([PADDING, y, layout.width - PADDING, y], { stroke: theme.textLow, dash: [4, 3] });
  }
  for (let i = 0; i < columns.length; i += 1) {
    const { x, width } = columnSpan(layout, columns, i);
    if (hasFlag(columns, i, 'notCompiled')) {
      surface.roundRect(x + 0.5, BASELINE - 8, Math.max(1, width - 1), 7.5, 0, {
        stroke: theme.lineStrong,
        dash: [2, 2],
      });
      continue;
    }
    const height = ((columns.tokens[i] ?? 0) / peak) * BAR_HEIGHT;
    const dim = (cachedTokens(columns, i) / peak) * BAR_HEIGHT;
    drawCached(surface, theme, columns, i, { x, width }, dim);
    surface.rect(x, BASELINE - height, width, height - dim, theme.paid);
    drawHidden(surface, theme, { x, width }, ((columns.hidden[i] ?? 0) / peak) * BAR_HEIGHT);
  }
}

/** What the session does not show stands first, so at the foot: lines over the bar, with its end marked. */
function drawHidden(surface: Surface, theme: DrawTheme, { x, width }: Span, height: number): void {
  if (height < 1) return;
  for (let y = BASELINE - 2; y > BASELINE - height; y -= 3) surface.rect(x, y, width, 1, theme.panel);
  surface.rect(x, BASELINE - height, width, 1, theme.hidden);
}

/** The cached part is hollow where the provider reported nothing and the split is predicted. */
function drawCached(
  surface: Surface,
  theme: DrawTheme,
  columns: CallColumns,
  index: number,
  { x, width }: Span,
  height: number,
): void {
  if (height <= 0 || !isCacheKnown(columns, index)) return;
  const isReported = hasFlag(columns, index, 'reportedCache');
  if (isReported || width < 4 || height < 3) surface.rect(x, BASELINE - height, width, height, theme.cached);
  else
    surface.roundRect(x + 0.5, BASELINE - height + 0.5, width - 1, height - 1, 0, {
      fill: theme.hover,
      stroke: theme.cached,
    });
}

const MARKER_TEXT = { size: 10, weight: 600 } as const;

function drawMarkers(surface: Surface, theme: DrawTheme, layout: StripLayout, columns: CallColumns): void {
  const centre = (index: number): number => {
    const { from, to } = callsOfColumn(columns, index);
    return (stripX(layout, from) + stripX(layout, to + 1)) / 2;
  };
  for (const cluster of clusterMarkers(columns, centre)) {
    let x = cluster.x - clusterWidth(cluster.counts) / 2;
    for (const count of cluster.counts) {
      const label = countLabel(count);
      surface.text(x, MARKER_MIDDLE + 3.5, label, { ...MARKER_TEXT, color: theme.textMid });
      drawGlyph(surface, theme, count.type, x + countWidth(count) - GLYPH_WIDTH / 2);
      x += countWidth(count) + 3;
    }
  }
  for (let i = 0; i < columns.length; i += 1) {
    if (!hasFlag(columns, i, 'error')) continue;
    const { x, width } = columnSpan(layout, columns, i);
    const tick = Math.max(2, Math.min(12, width));
    surface.rect(x + (width - tick) / 2, ERROR_TOP, tick, 2, theme.break);
  }
}

function drawGlyph(surface: Surface, theme: DrawTheme, type: MarkerType, x: number): void {
  const y = MARKER_MIDDLE;
  if (type === 'compaction')
    surface.path([x - 5, y - 3.5, x + 5, y - 3.5, x, y + 3.5], { fill: theme.summary });
  else if (type === 'providerBreak')
    surface.roundRect(x - 3.5, y - 3.5, 7, 7, 3.5, { stroke: theme.break, fill: theme.panel });
  else
    surface.path([x, y - 4, x + 4, y, x, y + 4, x - 4, y], {
      stroke: theme.break,
      fill: type === 'avoidableBreak' ? theme.break : theme.panel,
    });
}

function drawAgents(
  surface: Surface,
  theme: DrawTheme,
  layout: StripLayout,
  columns: CallColumns,
  agents: readonly string[],
): void {
  const style: TextStyle = { color: theme.textMid, size: 10, weight: 500 };
  for (let first = 0; first < columns.length;) {
    let last = first;
    while (last + 1 < columns.length && columns.agent[last + 1] === columns.agent[first]) last += 1;
    const left = stripX(layout, callsOfColumn(columns, first).from);
    const width = stripX(layout, callsOfColumn(columns, last).to + 1) - left;
    const inset = width >= 4 ? 1 : 0;
    surface.roundRect(left + inset, BAND_TOP, width - 2 * inset, BAND_HEIGHT, width >= 8 ? 2 : 0, {
      fill: theme.hover,
    });
    const name = agents[columns.agent[first] ?? 0] ?? '';
    surface.text(left + 6, BAND_TOP + 10.5, fitText(surface, name, style, width - 12), style);
    first = last + 1;
  }
}

export interface StripOverlay {
  readonly cursor: number;
  readonly hoveredCall: number | undefined;
  /** Calls that carry what is hovered or selected. */
  readonly ticks: readonly CallRange[];
  readonly committed: CallRange | undefined;
  readonly preview: CallRange | undefined;
  /** What is said of the limit; empty where it is not known. */
  readonly limit: string;
}

/** Cursor, ranges and ticks: redrawn with every move. */
export function drawStripOverlay(
  surface: Surface,
  theme: DrawTheme,
  layout: StripLayout,
  overlay: StripOverlay,
): void {
  drawTicks(surface, theme, layout, overlay.ticks);
  if (overlay.committed !== undefined) drawOutside(surface, theme, layout, overlay.committed);
  if (overlay.preview !== undefined) drawPreview(surface, theme, layout, overlay.preview);
  if (overlay.hoveredCall !== undefined) {
    const { x, width } = frame(layout, overlay.hoveredCall);
    surface.roundRect(x, BAR_TOP - 4, width, BAND_TOP + BAND_HEIGHT + 6 - BAR_TOP, 2, {
      stroke: theme.textLow,
    });
  }
  if (layout.calls > 0 && overlay.cursor > 0) drawCursor(surface, theme, layout, overlay.cursor);
  if (overlay.limit !== '') drawLimitText(surface, theme, layout, overlay);
}

/** Over the bars, in the half of the strip where the cursor is not. */
function drawLimitText(
  surface: Surface,
  theme: DrawTheme,
  layout: StripLayout,
  { cursor, limit }: StripOverlay,
): void {
  const isLeft = stripX(layout, cursor) > layout.width / 2;
  const style: TextStyle = { color: theme.textLow, size: 10, align: isLeft ? 'left' : 'right' };
  surface.text(isLeft ? PADDING : layout.width - PADDING, BAR_TOP - 7, limit, style);
}

/** Neighbouring ticks join to one line under the bars. */
function drawTicks(
  surface: Surface,
  theme: DrawTheme,
  layout: StripLayout,
  ticks: readonly CallRange[],
): void {
  for (let i = 0; i < ticks.length;) {
    const { from, to: end } = ticks[i] ?? { from: 0, to: 0 };
    let to = end;
    for (i += 1; ticks[i]?.from === to + 1; i += 1) to = ticks[i]?.to ?? to;
    const left = stripX(layout, from);
    surface.rect(left, BASELINE + 1, Math.max(1, stripX(layout, to + 1) - left), 2, theme.textHi);
  }
}

function drawOutside(surface: Surface, theme: DrawTheme, layout: StripLayout, range: CallRange): void {
  const left = stripX(layout, range.from);
  const right = stripX(layout, range.to + 1);
  const height = BAND_TOP + BAND_HEIGHT - BAR_TOP;
  const veil = `${theme.panel}b8`;
  surface.rect(0, BAR_TOP, left, height, veil);
  surface.rect(right, BAR_TOP, layout.width - right, height, veil);
  surface.rect(left - 1, BAR_TOP, 1, height, theme.textMid);
  surface.rect(right, BAR_TOP, 1, height, theme.textMid);
}

function drawPreview(surface: Surface, theme: DrawTheme, layout: StripLayout, range: CallRange): void {
  const left = stripX(layout, range.from);
  surface.roundRect(
    left,
    BAR_TOP - 3,
    stripX(layout, range.to + 1) - left,
    BAND_TOP + BAND_HEIGHT + 5 - BAR_TOP,
    2,
    {
      fill: `${theme.focus}29`,
      stroke: theme.focus,
    },
  );
}

function frame(layout: StripLayout, call: number): Span {
  const left = stripX(layout, call);
  const width = stripX(layout, call + 1) - left;
  return width >= 6 ? { x: left - 1, width: width + 2 } : { x: left + width / 2 - 4, width: 8 };
}

function drawCursor(surface: Surface, theme: DrawTheme, layout: StripLayout, call: number): void {
  const { x, width } = frame(layout, call);
  surface.roundRect(x, BAR_TOP - 4, width, BAND_TOP + BAND_HEIGHT + 6 - BAR_TOP, 2, {
    stroke: theme.textHi,
    width: 1.5,
  });
  const style: TextStyle = { color: theme.app, size: 10.5, weight: 700, align: 'center' };
  const label = `C${String(call)}`;
  const flag = Math.max(30, surface.measure(label, style) + 10);
  const middle = Math.min(layout.width - flag / 2 - 1, Math.max(flag / 2 + 1, x + width / 2));
  surface.roundRect(middle - flag / 2, 2, flag, FLAG_HEIGHT, 3, { fill: theme.textHi });
  surface.text(middle, 12.5, label, style);
}
