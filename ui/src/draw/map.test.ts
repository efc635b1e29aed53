import { describe, expect, test } from 'vitest';
import { recorded, recordedBytes } from '../../tests/recorded.ts';
import { repeatColumns } from '../../tests/columns.ts';
import { decodeColumns, NO_COLUMNS } from '@/model/columns.ts';
import { decodeMap, NO_MAP } from '@/model/map-columns.ts';
import { fitAll, fitCalls, type Viewport } from '@/model/viewport.ts';
import { drawMapBase, type MapBase } from './map-base.ts';
import { callAt, isOnCallAxis, tokenAt, xOfCall, yOfToken, type MapLayout } from './map-layout.ts';
import { drawMapMarks, drawMapOverlay } from './map-marks.ts';
import { NAMED_THEME } from './named-theme.ts';
import { mixPixels, pixelSurface, toPixel } from './pixels.ts';
import { recordingBlocks, recordingSurface } from './recorder.ts';
import type { DrawTheme } from './theme.ts';

const session = 'invoice-triage';
const all41 = { session, from: 1, to: 41, maxColumns: 41 };
const columns = decodeColumns(await recordedBytes('call/columns', all41), 41);
const map = decodeMap(await recordedBytes('call/map', { ...all41, minTokens: 64 }));
const { runs: stratum } = await recorded('event/stratum', { session, event: 7, calls: { from: 1, to: 41 } });
const extent = { calls: 41, peakTokens: Math.max(...columns.tokens) };
const all = fitAll(extent);

/** Blocks are drawn in numbers, so here the colours are numbers that are easy to tell apart. */
const PIXEL_THEME: DrawTheme = {
  ...NAMED_THEME,
  panel: '#000000',
  line: '#0000ff',
  kinds: ['#101010', '#202020', '#303030', '#404040', '#505050', '#606060', '#707070'],
  dim: 0.5,
};

function base(viewport: Viewport, more: Partial<MapBase> = {}): string {
  const surface = recordingBlocks(1048, 290);
  drawMapBase(
    surface,
    PIXEL_THEME,
    { viewport, columns, map, selectedEvent: 0, hasPatterns: false, ...more },
    1,
  );
  return surface.lines.join('\n');
}

describe('the base of the map', () => {
  test('draws parts, paid and cached, with hatches and gaps', async () => {
    const some = fitCalls({ from: 3, to: 5 }, extent);
    await expect(base(some)).toMatchFileSnapshot('map-parts.golden.txt');
  });

  test('makes the selected event less dim', () => {
    expect(base(all, { selectedEvent: 7 })).not.toBe(base(all));
  });

  test('draws patterns when they are wanted', () => {
    expect(base(all)).not.toContain('pattern');
    expect(base(all, { hasPatterns: true })).toContain('pattern');
  });

  test('waits for the columns, because paid and cached are not known without', () => {
    expect(base(all, { columns: NO_COLUMNS })).not.toContain('ff707070');
  });

  test('draws kinds where columns are too narrow for parts', () => {
    const many = repeatColumns(columns, 1048, 10_000);
    const peakTokens = Math.max(...many.tokens);
    const lines = base(fitAll({ calls: 10_000, peakTokens }), { columns: many, map: NO_MAP }).split('\n');
    expect(lines.length).toBeGreaterThan(1048 * 7);
    expect(lines.length).toBeLessThan(1048 * 14 + 20);
  });
});

const layout: MapLayout = { width: 1104, height: 316, viewport: all };

describe('the marks of the map', () => {
  test('are axes, notches, the stratum and the notes', async () => {
    const { title } = await recorded('event/get', { session, event: 7 });
    const surface = recordingSurface();
    drawMapMarks(surface, NAMED_THEME, layout, {
      columns,
      cursor: 17,
      stratum,
      notes: [
        {
          tone: 'break',
          lines: ['C17 misses the cache at token 3,803', 'state.hits changed', '46,336 tokens billed again'],
          call: 17,
          fromToken: 3803,
          toToken: 3803,
        },
        {
          tone: 'selection',
          lines: [`E7 ${title}`, 'sent in 14 calls'],
          call: 4,
          fromToken: 6544,
          toToken: 18_488,
        },
      ],
      limit: 20_000,
    });
    await expect(surface.lines.join('\n')).toMatchFileSnapshot('map-marks.golden.txt');
  });

  test('stay inside the plot when the map is zoomed', () => {
    const surface = recordingSurface();
    const zoomed = { ...layout, viewport: { from: 10, to: 12, top: 8_000, bottom: 12_000 } };
    drawMapMarks(surface, NAMED_THEME, zoomed, {
      columns,
      cursor: 10,
      stratum,
      notes: [],
      limit: undefined,
    });
    const path = surface.lines.find((line) => line.startsWith('path')) ?? '';
    const points = path.slice('path '.length, path.indexOf(' stroke')).split(' ').map(Number);
    const xs = points.filter((_, i) => i % 2 === 0);
    expect(xs.length).toBeGreaterThanOrEqual(4);
    expect(Math.min(...xs)).toBeGreaterThanOrEqual(45);
    expect(Math.max(...xs)).toBeLessThanOrEqual(1095);
  });

  test('of cursor and hover are drawn apart', async () => {
    const surface = recordingSurface();
    drawMapOverlay(surface, NAMED_THEME, layout, {
      cursor: 17,
      hoveredCall: 20,
      hovered: [
        { from: 4, to: 4, fromToken: 0, tokens: 1000 },
        { from: 5, to: 5, fromToken: 0, tokens: 1000 },
        { from: 9, to: 9, fromToken: 0, tokens: 1000 },
      ],
    });
    await expect(surface.lines.join('\n')).toMatchFileSnapshot('map-overlay.golden.txt');
  });
});

test('pixels lead to calls and tokens and back', () => {
  expect(callAt(layout, xOfCall(layout, 17.25))).toBeCloseTo(17.25);
  expect(tokenAt(layout, yOfToken(layout, 3803))).toBeCloseTo(3803);
  expect(isOnCallAxis(5)).toBe(true);
});

describe('pixels', () => {
  function image(width: number, height: number): ImageData {
    return { width, height, data: new Uint8ClampedArray(width * height * 4), colorSpace: 'srgb' };
  }

  test('are written as ImageData holds them', () => {
    const picture = image(4, 2);
    const surface = pixelSurface(picture, 1);
    surface.block(1, 0, 3, 1, toPixel('#f35907'));
    expect([...picture.data.slice(4, 8)]).toEqual([0xf3, 0x59, 0x07, 0xff]);
    expect([...picture.data.slice(0, 4)]).toEqual([0, 0, 0, 0]);
    surface.block(-5, -5, 50, 50, toPixel('#010203'));
    expect([...picture.data.slice(28, 32)]).toEqual([1, 2, 3, 0xff]);
  });

  test('mix', () => {
    expect(mixPixels(toPixel('#ffffff'), toPixel('#000000'), 0.5)).toBe(toPixel('#808080'));
  });

  test('of patterns differ from kind to kind', () => {
    const drawn = [0, 1, 2, 3, 4, 5, 6].map((kind) => {
      const picture = image(16, 16);
      pixelSurface(picture, 1).pattern(0, 0, 16, 16, toPixel('#ffffff'), kind);
      return picture.data.join('');
    });
    expect(new Set(drawn).size).toBe(7);
  });
});
