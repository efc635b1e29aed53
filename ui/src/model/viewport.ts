import type { CallRange } from '@/api/gen/api.ts';

/**
 * What the map shows: calls `from..to` across and tokens `top..bottom` down. Call `c` covers `c..c + 1`, so both axes
 * are continuous and an end lies between two calls.
 */
export interface Viewport {
  readonly from: number;
  readonly to: number;
  readonly top: number;
  readonly bottom: number;
}

/** The whole session. */
export interface Extent {
  readonly calls: number;
  readonly peakTokens: number;
}

const MIN_CALLS = 2;
const MIN_TOKENS = 200;
/** Air below the largest prompt. */
const HEADROOM = 1.035;

export function fitAll(extent: Extent): Viewport {
  return { from: 1, to: Math.max(1, extent.calls) + 1, top: 0, bottom: deepest(extent) };
}

export function fitCalls(range: CallRange, extent: Extent): Viewport {
  return clamp({ ...fitAll(extent), from: range.from, to: range.to + 1 }, extent);
}

/** Shows a run of calls and tokens with a little of what is around them. */
export function fitBox(box: Viewport, extent: Extent): Viewport {
  const calls = Math.max(1, (box.to - box.from) * 0.15);
  const tokens = Math.max(MIN_TOKENS, (box.bottom - box.top) * 0.25);
  return clamp(
    { from: box.from - calls, to: box.to + calls, top: box.top - tokens, bottom: box.bottom + tokens },
    extent,
  );
}

/** Zooms the calls by a factor (above 1 shows fewer), keeping the call at `at` where it is. */
export function zoomCalls(view: Viewport, factor: number, at: number, extent: Extent): Viewport {
  return clamp({ ...view, from: at - (at - view.from) / factor, to: at + (view.to - at) / factor }, extent);
}

export function zoomTokens(view: Viewport, factor: number, at: number, extent: Extent): Viewport {
  return clamp(
    { ...view, top: at - (at - view.top) / factor, bottom: at + (view.bottom - at) / factor },
    extent,
  );
}

export function panBy(view: Viewport, calls: number, tokens: number, extent: Extent): Viewport {
  return clamp(
    { from: view.from + calls, to: view.to + calls, top: view.top + tokens, bottom: view.bottom + tokens },
    extent,
  );
}

/** Moves the view as little as possible so that a call is in it. */
export function revealCall(view: Viewport, call: number, extent: Extent): Viewport {
  if (call >= view.from && call + 1 <= view.to) return view;
  const span = view.to - view.from;
  const isNear = call >= view.from - span / 2 && call + 1 <= view.to + span / 2;
  if (!isNear) return panBy(view, call + 0.5 - (view.from + view.to) / 2, 0, extent);
  return panBy(view, call < view.from ? call - view.from : call + 1 - view.to, 0, extent);
}

export function showsAllTokens(view: Viewport, extent: Extent): boolean {
  return view.top <= 0 && view.bottom >= deepest(extent);
}

export function withAllTokens(view: Viewport, extent: Extent): Viewport {
  return { ...view, top: 0, bottom: deepest(extent) };
}

function deepest(extent: Extent): number {
  return Math.max(MIN_TOKENS, Math.round(extent.peakTokens * HEADROOM));
}

function clamp(view: Viewport, extent: Extent): Viewport {
  const [from, to] = clampSpan(view.from, view.to, 1, Math.max(1, extent.calls) + 1, MIN_CALLS);
  const [top, bottom] = clampSpan(view.top, view.bottom, 0, deepest(extent), MIN_TOKENS);
  return { from, to, top, bottom };
}

function clampSpan(low: number, high: number, min: number, max: number, shortest: number): [number, number] {
  const span = Math.min(max - min, Math.max(shortest, high - low));
  const start = Math.min(max - span, Math.max(min, (low + high - span) / 2));
  return [start, start + span];
}

/** Calls to ask for: what is seen and as much again on either side, so that panning finds them there. */
export function paddedCalls(view: Viewport, extent: Extent): CallRange {
  const span = Math.ceil(view.to - view.from);
  // Steps of half a view, so that a small pan asks for the same calls again.
  const step = Math.max(1, 2 ** Math.floor(Math.log2(Math.max(1, span / 2))));
  const from = Math.floor((view.from - span) / step) * step;
  const to = Math.ceil((view.to + span) / step) * step;
  return { from: Math.max(1, from), to: Math.max(1, Math.min(extent.calls, to)) };
}

const TICK_PIXELS = 45;

/** Round values for the token axis of a plot that is `height` pixels high. */
export function tokenTicks(view: Viewport, height: number): readonly number[] {
  const rough = ((view.bottom - view.top) * TICK_PIXELS) / Math.max(TICK_PIXELS, height);
  const step = roundStep(rough);
  const ticks: number[] = [];
  for (let tick = Math.ceil(view.top / step) * step; tick <= view.bottom; tick += step) ticks.push(tick);
  return ticks;
}

/** Calls between two labels of the call axis, so that a label has `width` pixels. */
export function callStep(pixelsPerCall: number, width: number): number {
  return roundStep(width / pixelsPerCall);
}

/** The next of 1, 2, 5, 10, 20, 50, … */
function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough) ?? power;
}
