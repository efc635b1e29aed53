import { describe, expect, test } from 'vitest';
import { columnBytes } from '@/host/fake/bytes.ts';
import type { FakeSession } from '@/host/fake/session.ts';
import { FakeStore } from '@/host/fake/store.ts';
import { decodeColumns, type CallColumns } from '@/model/columns.ts';
import { recordingSurface } from './recorder.ts';
import { callAtX, drawStripBase, drawStripOverlay, stripColumns, stripX } from './strip.ts';
import { NAMED_THEME } from './named-theme.ts';

const store = new FakeStore();

function columnsOf(session: FakeSession, maxColumns: number, compiled = session.calls.length): CallColumns {
  const to = session.calls.length;
  return decodeColumns(columnBytes(session, compiled, { from: 1, to, maxColumns }), to);
}

function drawn(session: FakeSession, width: number, compiled?: number): string {
  const surface = recordingSurface();
  const layout = { width, calls: session.calls.length };
  const agents = session.agents.map(({ name }) => name);
  drawStripBase(surface, NAMED_THEME, layout, columnsOf(session, stripColumns(width), compiled), agents);
  return surface.lines.join('\n');
}

describe('the strip', () => {
  test('draws the sample', async () => {
    await expect(drawn(store.session('invoice-triage'), 1316)).toMatchFileSnapshot('strip-sample.golden.txt');
  });

  test('draws hollow bars, errors and calls that are not compiled', async () => {
    await expect(drawn(store.session('support-desk'), 600, 90)).toMatchFileSnapshot(
      'strip-unreported.golden.txt',
    );
  });

  test('draws ten thousand calls as one bar a pixel, with the peak of each', () => {
    const lines = drawn(store.session('big'), 1316).split('\n');
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
        ticks: [4, 5, 6, 9],
        committed: { from: 4, to: 30 },
        preview: { from: 8, to: 17 },
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
