export interface TextStyle {
  readonly color: string;
  readonly size: number;
  readonly weight?: 400 | 500 | 600 | 700;
  readonly align?: 'left' | 'center' | 'right';
}

export interface ShapeStyle {
  readonly fill?: string;
  readonly stroke?: string;
  readonly width?: number;
  readonly dash?: readonly number[];
}

/** Where marks are drawn: a canvas, or a list of what was drawn. Lengths are CSS pixels. */
export interface Surface {
  rect(x: number, y: number, width: number, height: number, fill: string): void;
  roundRect(x: number, y: number, width: number, height: number, radius: number, style: ShapeStyle): void;
  /** Straight lines through points `[x, y, x, y, …]`, closed when the style fills it. */
  path(points: readonly number[], style: ShapeStyle): void;
  text(x: number, baseline: number, text: string, style: TextStyle): void;
  measure(text: string, style: TextStyle): number;
}

/** The text, shortened with an ellipsis until it fits; nothing when not even three letters do. */
export function fitText(surface: Surface, text: string, style: TextStyle, width: number): string {
  // Most runs of a long session are too short for any word, and measuring takes time.
  if (width < style.size * 2) return '';
  if (surface.measure(text, style) <= width) return text;
  for (let length = text.length - 1; length >= 3; length -= 1) {
    const shorter = `${text.slice(0, length).trimEnd()}…`;
    if (surface.measure(shorter, style) <= width) return shorter;
  }
  return '';
}
