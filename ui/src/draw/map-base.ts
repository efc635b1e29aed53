import { cachedTokens, columnOfCall, type CallColumns } from '@/model/columns.ts';
import { columnGap, detailLevel, showsParts } from '@/model/detail-level.ts';
import { SEGMENT_FLAGS, type MapColumns } from '@/model/map-columns.ts';
import { tokenTicks, type Viewport } from '@/model/viewport.ts';
import { mixPixels, toPixel, type BlockSurface, type Pixel } from './pixels.ts';
import type { DrawTheme } from './theme.ts';

/** The part of the chart that the axes surround. */
export const MAP_INSETS = { left: 46, right: 10, top: 20, bottom: 6 } as const;

export interface MapBase {
  readonly viewport: Viewport;
  readonly columns: CallColumns;
  readonly map: MapColumns;
  /** Patterns beside colours. */
  readonly hasPatterns: boolean;
  /** The event whose cached parts are less dim, or 0. */
  readonly selectedEvent: number;
}

interface Paint {
  readonly panel: Pixel;
  readonly paid: readonly Pixel[];
  readonly cached: readonly Pixel[];
  readonly selected: readonly Pixel[];
  /** For the line between two parts, by kind: a quarter of the colour is left. */
  readonly edge: readonly Pixel[];
  readonly hidden: Pixel;
}

function mixPaint(theme: DrawTheme): Paint {
  const panel = toPixel(theme.panel);
  const paid = theme.kinds.map(toPixel);
  const mix = (share: number): readonly Pixel[] => paid.map((color) => mixPixels(color, panel, share));
  return {
    panel,
    paid,
    cached: mix(theme.dim),
    selected: mix(theme.dimSelected),
    edge: mix(0.12),
    hidden: mixPixels(toPixel(theme.hidden), panel, 0.5),
  };
}

interface Scale {
  /** Device pixels per call and per token. */
  readonly perCall: number;
  readonly perToken: number;
  readonly dpr: number;
}

/** Draws the columns of the visible calls. The surface is the plot without the axes. */
export function drawMapBase(surface: BlockSurface, theme: DrawTheme, base: MapBase, dpr: number): void {
  const { viewport } = base;
  const scale: Scale = {
    perCall: surface.width / (viewport.to - viewport.from),
    perToken: surface.height / (viewport.bottom - viewport.top),
    dpr,
  };
  const paint = mixPaint(theme);
  surface.block(0, 0, surface.width, surface.height, paint.panel);
  drawGrid(surface, toPixel(theme.line), viewport, scale);
  if (showsParts(detailLevel(scale.perCall / dpr))) drawParts(surface, paint, base, scale);
  else drawKinds(surface, paint, base, scale);
}

/** Lines at the ticks of the token axis, under the columns. */
function drawGrid(surface: BlockSurface, color: Pixel, viewport: Viewport, scale: Scale): void {
  for (const tick of tokenTicks(viewport, surface.height / scale.dpr)) {
    const y = Math.round((tick - viewport.top) * scale.perToken);
    surface.block(0, y, surface.width, y + Math.max(1, Math.round(scale.dpr)), color);
  }
}

function drawParts(surface: BlockSurface, paint: Paint, base: MapBase, scale: Scale): void {
  const { map, viewport, columns } = base;
  // What is paid and what is cached is not known without the columns.
  if (columns.length === 0) return;
  const gap = columnGap(scale.perCall / scale.dpr) * scale.dpr;
  for (let c = 0; c < map.length; c += 1) {
    const call = map.call[c] ?? 0;
    if (call + 1 <= viewport.from || call >= viewport.to) continue;
    const left = Math.round((call - viewport.from) * scale.perCall + gap / 2);
    const right = Math.max(left + 1, Math.round((call + 1 - viewport.from) * scale.perCall - gap / 2));
    const cached = cachedTokens(columns, columnOfCall(columns, call));
    drawColumn(surface, paint, base, { column: c, left, right, cached, scale });
  }
}

interface ColumnSpot {
  readonly column: number;
  readonly left: number;
  readonly right: number;
  readonly cached: number;
  readonly scale: Scale;
}

function drawColumn(surface: BlockSurface, paint: Paint, base: MapBase, spot: ColumnSpot): void {
  const { map, viewport, selectedEvent } = base;
  const { left, right, cached, scale } = spot;
  const y = (token: number): number => Math.round((token - viewport.top) * scale.perToken);
  let token = 0;
  const end = map.segmentStart[spot.column + 1] ?? 0;
  for (let i = map.segmentStart[spot.column] ?? 0; i < end; i += 1) {
    const from = token;
    token += map.tokens[i] ?? 0;
    if (token <= viewport.top || from >= viewport.bottom) continue;
    if (((map.flags[i] ?? 0) & SEGMENT_FLAGS.hidden) !== 0) {
      drawHidden(surface, paint, { left, right, top: y(from), bottom: y(token) });
      continue;
    }
    const kind = map.kind[i] ?? 0;
    const isSelected = selectedEvent !== 0 && map.event[i] === selectedEvent;
    const dim = (isSelected ? paint.selected : paint.cached)[kind] ?? paint.panel;
    const full = paint.paid[kind] ?? paint.panel;
    const top = y(from);
    const bottom = Math.max(top + (isSelected ? 1 : 0), y(token));
    const split = Math.min(bottom, Math.max(top, y(Math.min(token, cached))));
    surface.block(left, top, right, split, dim);
    surface.block(left, split, right, bottom, full);
    if (base.hasPatterns) surface.pattern(left, top, right, bottom, paint.panel, kind);
    const isHigh = bottom - top >= 3.4 * scale.dpr;
    if (isHigh && ((map.flags[i] ?? 0) & SEGMENT_FLAGS.reframed) !== 0)
      surface.hatch(left, top, right, bottom, paint.panel);
    if (isHigh)
      surface.block(
        left,
        bottom - Math.max(1, Math.round(0.7 * scale.dpr)),
        right,
        bottom,
        paint.edge[kind] ?? paint.panel,
      );
  }
}

interface Block {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** What the provider counted and the session does not show: of known size, and nothing more is known of it. */
function drawHidden(surface: BlockSurface, paint: Paint, { left, right, top, bottom }: Block): void {
  if (top === bottom) return;
  surface.block(left, top, right, bottom, paint.hidden);
  surface.hatch(left, top, right, bottom, paint.panel);
}

/** Narrow columns: one device pixel shows the largest prompt of the calls it stands for, by kind. */
function drawKinds(surface: BlockSurface, paint: Paint, base: MapBase, scale: Scale): void {
  const { columns, viewport } = base;
  if (columns.length === 0) return;
  for (let x = 0; x < surface.width; x += 1) {
    const from = columnOfCall(columns, Math.floor(viewport.from + x / scale.perCall));
    const to = columnOfCall(columns, Math.floor(viewport.from + (x + 1) / scale.perCall - 1e-6));
    let best = from;
    for (let i = from + 1; i <= to; i += 1)
      if ((columns.tokens[i] ?? 0) > (columns.tokens[best] ?? 0)) best = i;
    drawKindColumn(surface, paint, base, scale, x, best);
  }
}

function drawKindColumn(
  surface: BlockSurface,
  paint: Paint,
  { columns, viewport }: MapBase,
  scale: Scale,
  x: number,
  column: number,
): void {
  const y = (token: number): number => Math.round((token - viewport.top) * scale.perToken);
  const cached = cachedTokens(columns, column);
  let token = columns.hidden[column] ?? 0;
  drawHidden(surface, paint, { left: x, right: x + 1, top: y(0), bottom: y(token) });
  for (let kind = 0; kind < columns.byKind.length; kind += 1) {
    const from = token;
    token += columns.byKind[kind]?.[column] ?? 0;
    const split = Math.min(token, Math.max(from, cached));
    surface.block(x, y(from), x + 1, y(split), paint.cached[kind] ?? paint.panel);
    surface.block(x, y(split), x + 1, y(token), paint.paid[kind] ?? paint.panel);
  }
}
