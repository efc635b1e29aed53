import type { KeyColumns } from '@/api/gen/api.ts';

const TOP = 9;
const BASE = 27;

/** Outlines of what a key's chart shows, as paths of SVG. `step` is the width of a column. */
export interface KeyPaths {
  readonly stored: string;
  readonly read: string;
  readonly written: string;
  readonly broke: string;
}

/** One column a call, as high as the value is large beside the key's largest; signs above and below. */
export function keyPaths(columns: KeyColumns, step: number): KeyPaths {
  const most = columns.tokens.reduce<number>((max, tokens) => Math.max(max, tokens ?? 0), 1);
  const readIn = new Set(columns.read);
  const bar = Math.max(0.5, step - (step >= 4 ? 1 : 0));
  const bars = (isRead: boolean): string =>
    columns.tokens
      .map((tokens, at) => {
        if (tokens === null || readIn.has(at) !== isRead) return '';
        const high = Math.max(1.5, (tokens / most) * (BASE - TOP));
        return rect(at * step, BASE - high, bar, high);
      })
      .join('');
  const middle = (at: number): number => (at + 0.5) * step;
  const tick = Math.min(2, bar);
  return {
    stored: bars(false),
    read: bars(true) + columns.read.map((at) => rect(middle(at) - tick / 2, BASE + 2, tick, 5)).join(''),
    written: columns.written.map((at) => `M${place(middle(at) - 3.5)} 2h7l-3.5 5.5z`).join(''),
    broke: columns.broke.map((at) => `M${place(middle(at))} 30l4 4-4 4-4-4z`).join(''),
  };
}

function rect(x: number, y: number, width: number, height: number): string {
  return `M${place(x)} ${place(y)}h${place(width)}v${place(height)}h${place(-width)}z`;
}

function place(value: number): string {
  return String(Math.round(value * 10) / 10);
}
