import { describe, expect, test } from 'vitest';
import { COLUMN_FLAGS } from '@/api/gen/api.ts';
import { decodeColumns, type CallColumns } from '@/model/columns.ts';
import { recorded, recordedBytes } from '../../tests/recorded.ts';
import { compiledTo, repeatColumns } from '../../tests/columns.ts';
import { recordingSurface } from './recorder.ts';
import { callAtX, drawStripBase, drawStripOverlay, stripColumns, stripX } from './strip.ts';
import { NAMED_THEME } from './named-theme.ts';

const session = 'invoice-triage';
const { agents } = await recorded('session/header', { session });
const sample = decodeColumns(
  await recordedBytes('call/columns', { session, from: 1, to: 41, maxColumns: 41 }),
  41,
);

function drawn(columns: CallColumns, width: number, calls: number, limit?: number): string {
  const surface = recordingSurface();
  const names = agents.map(({ name }) => name);
  drawStripBase(surface, NAMED_THEME, { width, calls }, columns, names, limit);
  return surface.lines.join('\n');
}

describe('the strip', () => {
  test('draws the sample', async () => {
    await expect(drawn(sample, 1316, 41)).toMatchFileSnapshot('strip-sample.golden.txt');
  });

  test('leaves room up to the limit, which is a line', () => {
    const peak = Math.max(...sample.tokens);
    const line = /path.*dash/;
    expect(drawn(sample, 600, 41)).not.toMatch(line);
    expect(drawn(sample, 600, 41, peak * 1.5)).toMatch(line);
    expect(drawn(sample, 600, 41, peak * 1.5)).not.toBe(drawn(sample, 600, 41, peak * 1.2));
  });

  test('draws what was reported full, errors and calls that are not compiled', async () => {
    const half = compiledTo(sample, 35);
    const flags = half.flags.map((flag, at) => {
      if (at >= 20) return flag;
      return flag | COLUMN_FLAGS.reportedCache | (at % 7 === 3 ? COLUMN_FLAGS.error : 0);
    });
    await expect(drawn({ ...half, flags }, 600, 41)).toMatchFileSnapshot('strip-reported.golden.txt');
  });

  test('draws ten thousand calls as one bar a pixel, with the peak of each', () => {
    const lines = drawn(repeatColumns(sample, stripColumns(1316), 10_000), 1316, 10_000).split('\n');
    const bars = lines.filter((line) => line.endsWith('paid'));
    expect(bars).toHaveLength(1296);
    expect(bars.filter((bar) => bar.includes(' 20 '))).not.toHaveLength(0);
    expect(lines.length).toBeLessThan(4500);
  });

  test('draws cursor, ranges and ticks', async () => {
    const surface = recordingSurface();
    drawStripOverlay(
      surface,
      NAMED_THEME,
      { width: 1316, calls: 41 },
      {
        cursor: 17,
        hoveredCall: 20,
        ticks: [
          { from: 4, to: 5 },
          { from: 6, to: 6 },
          { from: 9, to: 9 },
        ],
        committed: { from: 4, to: 30 },
        preview: { from: 8, to: 17 },
        limit: 'limit 128k',
      },
    );
    await expect(surface.lines.join('\n')).toMatchFileSnapshot('strip-overlay.golden.txt');
  });

  test('finds the call under every pixel of its bar', () => {
    for (const calls of [1, 2, 41, 1296, 10_000]) {
      const layout = { width: 1316, calls };
      for (const call of [1, Math.ceil(calls / 2), calls]) {
        const middle = (stripX(layout, call) + stripX(layout, call + 1)) / 2;
        expect(callAtX(layout, middle)).toBe(call);
      }
      expect(callAtX(layout, -50)).toBe(1);
      expect(callAtX(layout, 2000)).toBe(calls);
    }
  });
});
