import type { ShapeStyle, Surface, TextStyle } from './surface.ts';

/** Draws on a canvas whose context is already scaled to CSS pixels. */
export function canvasSurface(context: CanvasRenderingContext2D, font: string): Surface {
  // Setting a font is slow even when it is the same one.
  let present = '';
  const setFont = (style: TextStyle): void => {
    const wanted = `${String(style.weight ?? 400)} ${String(style.size)}px ${font}`;
    if (wanted !== present) context.font = wanted;
    present = wanted;
  };
  return {
    rect: (x, y, width, height, fill) => {
      context.fillStyle = fill;
      context.fillRect(x, y, width, height);
    },
    roundRect: (x, y, width, height, radius, style) => {
      context.beginPath();
      context.roundRect(x, y, width, height, radius);
      paint(context, style);
    },
    path: (points, style) => {
      context.beginPath();
      for (let i = 0; i + 1 < points.length; i += 2) context.lineTo(points[i] ?? 0, points[i + 1] ?? 0);
      if (style.fill !== undefined) context.closePath();
      paint(context, style);
    },
    text: (x, baseline, text, style) => {
      setFont(style);
      context.textAlign = style.align ?? 'left';
      context.fillStyle = style.color;
      context.fillText(text, x, baseline);
    },
    measure: (text, style) => {
      setFont(style);
      return context.measureText(text).width;
    },
  };
}

function paint(context: CanvasRenderingContext2D, style: ShapeStyle): void {
  if (style.fill !== undefined) {
    context.fillStyle = style.fill;
    context.fill();
  }
  if (style.stroke === undefined) return;
  context.strokeStyle = style.stroke;
  context.lineWidth = style.width ?? 1;
  context.setLineDash(style.dash === undefined ? [] : [...style.dash]);
  context.stroke();
}
