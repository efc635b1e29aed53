import { SEGMENT_FLAGS, type MapColumns } from '@/model/map-columns.ts';
import type { Rung } from '@/model/ladder.ts';
import { ladderTicks, xOfToken, type LadderScale } from '@/model/ladder-scale.ts';
import { mixPixels, toPixel, type BlockSurface, type Pixel } from './pixels.ts';
import type { DrawTheme } from './theme.ts';

/** A prompt as one bar: found in the cache dim, billed in full bright, sent before and billed all the same hollow. */
export interface LadderBar {
  readonly rung: Rung;
  /** The parts of the prompt, where they are known. */
  readonly map: MapColumns;
  readonly column: number | undefined;
  readonly hasPatterns: boolean;
}

/** Pixels above and below a bar. */
const MARGIN = 3;

export function drawLadderBar(
  surface: BlockSurface,
  theme: DrawTheme,
  scale: LadderScale,
  bar: LadderBar,
  dpr: number,
): void {
  const panel = toPixel(theme.panel);
  const x = (token: number): number => Math.round(xOfToken(scale, token) * dpr);
  const top = Math.round(MARGIN * dpr);
  const bottom = surface.height - Math.round((MARGIN - 1) * dpr);
  const line = toPixel(theme.line);
  for (const tick of ladderTicks(scale))
    surface.block(x(tick), 0, x(tick) + Math.max(1, Math.round(dpr)), surface.height, line);
  drawParts(surface, theme, bar, { panel, x, top, bottom, dpr });
  drawEnd(surface, theme, bar.rung, { x, top, bottom, dpr });
}

interface Place {
  readonly x: (token: number) => number;
  readonly top: number;
  readonly bottom: number;
  readonly dpr: number;
}

function drawParts(
  surface: BlockSurface,
  theme: DrawTheme,
  { rung, map, column, hasPatterns }: LadderBar,
  { panel, x, top, bottom, dpr }: Place & { readonly panel: Pixel },
): void {
  const first = column === undefined ? 0 : (map.segmentStart[column] ?? 0);
  const last = column === undefined ? 0 : (map.segmentStart[column + 1] ?? 0);
  if (first === last) {
    // Until the parts are here, the sizes are.
    surface.block(x(0), top, x(rung.cached), bottom, mixPixels(toPixel(theme.cached), panel, 0.5));
    surface.block(x(rung.cached), top, x(rung.tokens), bottom, toPixel(theme.cached));
    return;
  }
  // Framing belongs to no part; the parts are drawn as wide as the whole prompt.
  let sum = 0;
  for (let i = first; i < last; i += 1) sum += map.tokens[i] ?? 0;
  const stretch = rung.tokens / Math.max(1, sum);
  const cached = x(rung.cached);
  const hollow = x(Math.max(rung.cached, rung.isAvoidable ? rung.cached : rung.sentBefore));
  let token = 0;
  for (let i = first; i < last; i += 1) {
    const left = x(token);
    token += (map.tokens[i] ?? 0) * stretch;
    const right = x(token);
    if (right <= left) continue;
    const isHidden = ((map.flags[i] ?? 0) & SEGMENT_FLAGS.hidden) !== 0;
    const kind = map.kind[i] ?? 0;
    const full = toPixel((isHidden ? theme.hidden : theme.kinds[kind]) ?? theme.panel);
    const dim = mixPixels(full, panel, theme.dim);
    const within = (at: number): number => Math.min(right, Math.max(left, at));
    surface.block(left, top, within(cached), bottom, dim);
    surface.block(within(cached), top, within(hollow), bottom, full);
    const edge = Math.max(1, Math.round(1.5 * dpr));
    surface.block(within(cached), top + edge, within(hollow), bottom - edge, mixPixels(full, panel, 0.12));
    surface.block(within(hollow), top, right, bottom, full);
    if (hasPatterns && !isHidden) surface.pattern(left, top, right, bottom, panel, kind);
    const isWide = right - left >= 3.4 * dpr;
    if (isWide && (isHidden || ((map.flags[i] ?? 0) & SEGMENT_FLAGS.reframed) !== 0))
      surface.hatch(left, top, right, bottom, panel);
    if (isWide)
      surface.block(
        right - Math.max(1, Math.round(0.7 * dpr)),
        top,
        right,
        bottom,
        mixPixels(full, panel, 0.12),
      );
  }
}

/** Where the prefix ends: a red notch when it need not have, else a dashed line. */
function drawEnd(
  surface: BlockSurface,
  theme: DrawTheme,
  { endsAt, isAvoidable }: Rung,
  { x, top, bottom, dpr }: Place,
): void {
  if (endsAt === undefined) return;
  const at = x(endsAt);
  const half = Math.max(1, Math.round(0.9 * dpr));
  if (!isAvoidable) {
    const dash = Math.max(2, Math.round(2 * dpr));
    const color = toPixel(theme.textHi);
    for (let y = top; y < bottom; y += 2 * dash)
      surface.block(at, y, at + half, Math.min(bottom, y + dash), color);
    return;
  }
  const color = toPixel(theme.break);
  surface.block(at - half, 0, at + half, bottom, color);
  const size = Math.round(4.5 * dpr);
  for (let y = 0; y < size; y += 1) surface.block(at - size + y, y, at + size - y, y + 1, color);
}
