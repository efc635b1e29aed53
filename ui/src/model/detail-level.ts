/** How much a column of the map can show, by its width in pixels. */
export type DetailLevel = 'labelled' | 'parts' | 'kinds' | 'buckets';

export function detailLevel(pixelsPerCall: number): DetailLevel {
  if (pixelsPerCall >= 12) return 'labelled';
  if (pixelsPerCall >= 3) return 'parts';
  return pixelsPerCall >= 1 ? 'kinds' : 'buckets';
}

/** Whether a level draws parts, which come from `call/map`; the others draw kinds, from `call/columns`. */
export function showsParts(level: DetailLevel): boolean {
  return level === 'labelled' || level === 'parts';
}

/** Space between neighbouring columns in pixels. */
export function columnGap(pixelsPerCall: number): number {
  if (pixelsPerCall >= 12) return 2;
  return pixelsPerCall >= 3 ? 1 : 0;
}

/** Parts smaller than half a pixel merge with their neighbour. */
export function smallestPart(tokensPerPixel: number): number {
  const half = tokensPerPixel / 2;
  // A power of two, so that a small change of height asks for the same parts again.
  return half <= 1 ? 0 : 2 ** Math.floor(Math.log2(half));
}
