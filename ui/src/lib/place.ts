/** A box on the screen. */
export interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const GAP = 6;
const EDGE = 6;

/** Where to put something next to a box: below it, above it where there is no room, never over the edge. */
export function placeBeside(
  box: Place,
  size: Size,
  window: Size,
): { readonly x: number; readonly y: number } {
  const below = box.top + box.height + GAP;
  const above = box.top - GAP - size.height;
  const y = below + size.height <= window.height - EDGE || above < EDGE ? below : above;
  const x = Math.min(box.left, window.width - EDGE - size.width);
  return { x: Math.max(EDGE, x), y };
}

/** Where to put something beside a box that may be as high or as wide as the window: inside of it where all else is full. */
export function placeAround(
  box: Place,
  size: Size,
  window: Size,
): { readonly x: number; readonly y: number } {
  const [wide, high] = [size.width + GAP + EDGE, size.height + GAP + EDGE];
  const x = Math.max(EDGE, Math.min(box.left, window.width - EDGE - size.width));
  const y = Math.max(EDGE, Math.min(box.top, window.height - EDGE - size.height));
  if (box.top + box.height + high <= window.height) return { x, y: box.top + box.height + GAP };
  if (box.left >= wide) return { x: box.left - GAP - size.width, y };
  if (box.left + box.width + wide <= window.width) return { x: box.left + box.width + GAP, y };
  if (box.top >= high) return { x, y: box.top - GAP - size.height };
  return { x, y: window.height - EDGE - size.height };
}

/** Where to put something next to the pointer, on the side with more room. */
export function placeAtPointer(
  x: number,
  y: number,
  size: Size,
  area: Size,
): { readonly x: number; readonly y: number } {
  const left = x + 14 + size.width <= area.width ? x + 14 : x - 14 - size.width;
  const top = y + 16 + size.height <= area.height ? y + 16 : y - 10 - size.height;
  return { x: Math.max(0, left), y: Math.max(0, top) };
}
