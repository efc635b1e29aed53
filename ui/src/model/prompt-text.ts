import type { TextSegment } from '@/api/gen/api.ts';

/** A segment of a prompt and where its text is in the whole, without the line break behind it. */
export interface PlacedSegment {
  readonly segment: TextSegment;
  readonly from: number;
  readonly to: number;
}

/** Puts segments behind what is there, each on lines of its own. */
export function placeSegments(
  segments: readonly TextSegment[],
  start: number,
): { readonly text: string; readonly placed: readonly PlacedSegment[] } {
  const pieces: string[] = [];
  let at = start;
  const placed = segments.map((segment) => {
    const from = at;
    const to = from + segment.text.length;
    pieces.push(segment.text, '\n');
    at = to + 1;
    return { segment, from, to };
  });
  return { text: pieces.join(''), placed };
}

/** The segment at a position, by binary search. */
export function segmentAtPosition(
  placed: readonly PlacedSegment[],
  position: number,
): PlacedSegment | undefined {
  let low = 0;
  let high = placed.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((placed[middle]?.from ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  const found = placed[low];
  return found !== undefined && position >= found.from && position <= found.to ? found : undefined;
}

/** The segments after more text was put into one of them. */
export function growSegment(
  placed: readonly PlacedSegment[],
  grown: PlacedSegment,
  characters: number,
): readonly PlacedSegment[] {
  return placed.map((one) => {
    if (one.segment === grown.segment)
      return { ...one, to: one.to + characters, segment: { ...one.segment, isCut: false } };
    if (one.from < grown.to) return one;
    return { ...one, from: one.from + characters, to: one.to + characters };
  });
}
