/** Tokens to pixels, from the beginning of a prompt on the left. A stretch of tokens may be magnified. */
export interface LadderScale {
  readonly width: number;
  /** Tokens that the width shows. */
  readonly extent: number;
  readonly focus?: { readonly from: number; readonly to: number };
}

/** How much larger tokens in the focus are than the others. */
const MAGNIFICATION = 8;
/** Half the focus, as a share of all tokens. */
const FOCUS_SHARE = 1 / 20;
/** Air behind the largest prompt. */
const HEADROOM = 1.02;

export function ladderScale(width: number, peakTokens: number, zoomAt: number | undefined): LadderScale {
  const extent = Math.max(100, peakTokens * HEADROOM);
  if (zoomAt === undefined) return { width, extent };
  const half = extent * FOCUS_SHARE;
  const middle = Math.min(extent - half, Math.max(half, zoomAt));
  return { width, extent, focus: { from: middle - half, to: middle + half } };
}

/** Pixels of one token outside the focus. */
export function pixelsPerToken({ width, extent, focus }: LadderScale): number {
  const inFocus = focus === undefined ? 0 : focus.to - focus.from;
  return width / (extent + inFocus * (MAGNIFICATION - 1));
}

export function xOfToken(scale: LadderScale, token: number): number {
  const { focus } = scale;
  const inFocus = focus === undefined ? 0 : Math.min(focus.to, Math.max(focus.from, token)) - focus.from;
  return (token + inFocus * (MAGNIFICATION - 1)) * pixelsPerToken(scale);
}

export function tokenAtX(scale: LadderScale, x: number): number {
  const { focus } = scale;
  const units = x / pixelsPerToken(scale);
  if (focus === undefined || units <= focus.from) return units;
  const end = focus.from + (focus.to - focus.from) * MAGNIFICATION;
  if (units >= end) return units - (focus.to - focus.from) * (MAGNIFICATION - 1);
  return focus.from + (units - focus.from) / MAGNIFICATION;
}

const LABEL_PIXELS = 62;

/** Round tokens for the axis, with room for a label each. */
export function ladderTicks(scale: LadderScale): readonly number[] {
  const { focus, extent, width } = scale;
  if (width <= 0) return [];
  const perToken = pixelsPerToken(scale);
  const isBeside = (a: number, b: number): boolean =>
    a === b || Math.abs(xOfToken(scale, a) - xOfToken(scale, b)) >= LABEL_PIXELS * 0.7;
  const outside = multiples(roundStep(LABEL_PIXELS / perToken), 0, extent);
  if (focus === undefined) return outside;
  const inside = multiples(roundStep(LABEL_PIXELS / (perToken * MAGNIFICATION)), focus.from, focus.to).filter(
    (tick) => tick === 0 || xOfToken(scale, tick) >= LABEL_PIXELS,
  );
  const isFree = (tick: number): boolean =>
    (tick < focus.from || tick > focus.to) && inside.every((other) => isBeside(other, tick));
  return [...outside.filter(isFree), ...inside].sort((a, b) => a - b);
}

function multiples(step: number, from: number, to: number): readonly number[] {
  const first = Math.ceil(from / step);
  const count = Math.floor(to / step) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, i) => (first + i) * step);
}

/** The next of 1, 2, 5, 10, 20, 50, … */
function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough) ?? power;
}
