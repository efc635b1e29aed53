import type { Viewport } from '@/model/viewport.ts';
import { MAP_INSETS } from './map-base.ts';

/** Size of the chart with its axes, in CSS pixels, and what it shows. */
export interface MapLayout {
  readonly width: number;
  readonly height: number;
  readonly viewport: Viewport;
}

export function plotWidth(layout: MapLayout): number {
  return Math.max(1, layout.width - MAP_INSETS.left - MAP_INSETS.right);
}

export function plotHeight(layout: MapLayout): number {
  return Math.max(1, layout.height - MAP_INSETS.top - MAP_INSETS.bottom);
}

export function pixelsPerCall(layout: MapLayout): number {
  return plotWidth(layout) / (layout.viewport.to - layout.viewport.from);
}

export function xOfCall(layout: MapLayout, call: number): number {
  return MAP_INSETS.left + (call - layout.viewport.from) * pixelsPerCall(layout);
}

export function yOfToken(layout: MapLayout, token: number): number {
  const { top, bottom } = layout.viewport;
  return MAP_INSETS.top + ((token - top) / (bottom - top)) * plotHeight(layout);
}

/** The call axis at a position, with its fraction. */
export function callAt(layout: MapLayout, x: number): number {
  return layout.viewport.from + (x - MAP_INSETS.left) / pixelsPerCall(layout);
}

export function tokenAt(layout: MapLayout, y: number): number {
  const { top, bottom } = layout.viewport;
  return top + ((y - MAP_INSETS.top) / plotHeight(layout)) * (bottom - top);
}

/** Whether a position is above the plot, on the numbers of the calls. */
export function isOnCallAxis(y: number): boolean {
  return y < MAP_INSETS.top;
}
