import type { BlockSurface } from './pixels.ts';
import type { ShapeStyle, Surface } from './surface.ts';

/** Average advance of the interface's face, so that recordings do not depend on installed fonts. */
const ADVANCE = 0.55;

export interface Recording extends Surface {
  /** One line a mark, in the order drawn. */
  readonly lines: readonly string[];
}

/** A surface that writes down what is drawn, for comparing drawings as text. */
export function recordingSurface(): Recording {
  const lines: string[] = [];
  return {
    lines,
    rect: (x, y, width, height, fill) => {
      lines.push(`rect ${numbers(x, y, width, height)} ${fill}`);
    },
    roundRect: (x, y, width, height, radius, style) => {
      lines.push(`roundRect ${numbers(x, y, width, height, radius)} ${shape(style)}`);
    },
    path: (points, style) => {
      lines.push(`path ${numbers(...points)} ${shape(style)}`);
    },
    text: (x, baseline, text, style) => {
      const weight = style.weight ?? 400;
      lines.push(
        `text ${numbers(x, baseline)} "${text}" ${style.color} ${String(weight)} ${String(style.size)} ${style.align ?? 'left'}`,
      );
    },
    measure: (text, style) => text.length * style.size * ADVANCE,
  };
}

/** The same for the base layer of the map. */
export function recordingBlocks(
  width: number,
  height: number,
): BlockSurface & { readonly lines: readonly string[] } {
  const lines: string[] = [];
  return {
    width,
    height,
    lines,
    block: (left, top, right, bottom, color) => {
      lines.push(`block ${numbers(left, top, right, bottom)} ${color.toString(16)}`);
    },
    hatch: (left, top, right, bottom, color) => {
      lines.push(`hatch ${numbers(left, top, right, bottom)} ${color.toString(16)}`);
    },
    pattern: (left, top, right, bottom, color, kind) => {
      lines.push(`pattern ${numbers(left, top, right, bottom)} ${color.toString(16)} ${String(kind)}`);
    },
  };
}

function numbers(...values: readonly number[]): string {
  return values.map((value) => String(Number(value.toFixed(2)))).join(' ');
}

function shape(style: ShapeStyle): string {
  const parts = [];
  if (style.fill !== undefined) parts.push(`fill ${style.fill}`);
  if (style.stroke !== undefined) parts.push(`stroke ${style.stroke} ${String(style.width ?? 1)}`);
  if (style.dash !== undefined) parts.push(`dash ${style.dash.join(' ')}`);
  return parts.join(' ');
}
