import type { CarriedBy } from '@/api/gen/api.ts';
import type { Surface } from './surface.ts';
import type { DrawTheme } from './theme.ts';

export interface ByCallLayout {
  readonly width: number;
  readonly height: number;
  readonly calls: number;
}

/** What an event cost call by call: bright is billed in full, dim is cached, a line stands for calls without it. */
export function drawByCall(
  surface: Surface,
  theme: DrawTheme,
  layout: ByCallLayout,
  carried: readonly CarriedBy[],
): void {
  const { width, height, calls } = layout;
  const step = width / Math.max(1, calls);
  const gap = step >= 4 ? 1 : 0;
  const most = carried.reduce((max, { tokens }) => Math.max(max, tokens), 1);
  surface.rect(0, height - 1, width, 1, theme.lineStrong);
  for (const { from, to, tokens, cachedTokens } of carried) {
    const full = (tokens / most) * (height - 3);
    const dim = (cachedTokens / most) * (height - 3);
    // Bars that stand apart are drawn one by one.
    const calls = gap === 0 ? to - from + 1 : 1;
    const barWidth = Math.max(1, calls * step - gap);
    for (let call = from; call <= to; call += calls) {
      const x = (call - 1) * step;
      surface.rect(x, height - dim, barWidth, dim, theme.cached);
      surface.rect(x, height - full, barWidth, full - dim, theme.paid);
    }
  }
}
