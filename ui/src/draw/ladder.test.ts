import { describe, expect, test } from 'vitest';
import { recordedBytes } from '../../tests/recorded.ts';
import { decodeLadder, rungAt, type Rung } from '@/model/ladder.ts';
import { ladderScale } from '@/model/ladder-scale.ts';
import { decodeMap, NO_MAP } from '@/model/map-columns.ts';
import { drawLadderBar } from './ladder.ts';
import { NAMED_THEME } from './named-theme.ts';
import { recordingBlocks } from './recorder.ts';
import type { DrawTheme } from './theme.ts';

const session = 'invoice-triage';
const ladder = decodeLadder(await recordedBytes('cache/ladder', { session, from: 1, to: 41 }));
const rows = await recordedBytes('cache/rows', { session, calls: [16, 17, 19], minTokens: 200 });
const map = decodeMap(rows);
const peak = Math.max(...ladder.tokens);
const breakAt = rungAt(ladder, 16)?.endsAt ?? 0;

/** Colours that are easy to tell apart as numbers. */
const THEME: DrawTheme = {
  ...NAMED_THEME,
  panel: '#000000',
  line: '#0000ff',
  textHi: '#00ff00',
  break: '#ff0000',
  cached: '#808080',
  kinds: ['#101010', '#202020', '#303030', '#404040', '#505050', '#606060', '#707070'],
  dim: 0.5,
};
const RED = 'ff0000ff';

function drawn(
  call: number,
  change: Partial<Rung> = {},
  options: { zoomAt?: number; isBare?: true } = {},
): string {
  const surface = recordingBlocks(600, 18);
  const rung = rungAt(ladder, call - 1);
  if (rung === undefined) throw new Error(`no C${String(call)}`);
  const column = options.isBare === true ? -1 : map.call.indexOf(call);
  drawLadderBar(
    surface,
    THEME,
    ladderScale(600, peak, options.zoomAt),
    {
      rung: { ...rung, ...change },
      map: column < 0 ? NO_MAP : map,
      column: column < 0 ? undefined : column,
      hasPatterns: false,
    },
    1,
  );
  return surface.lines.join('\n');
}

describe('a bar of the ladder', () => {
  test('shows the parts, paid and cached, and a notch where an avoidable break is', async () => {
    await expect(drawn(17)).toMatchFileSnapshot('ladder-broken.golden.txt');
  });

  test('has no notch where the prompt before was continued', () => {
    expect(drawn(16)).not.toContain(RED);
  });

  test('is dashed where the break follows from the session', () => {
    expect(drawn(17, { isAvoidable: false })).not.toContain(RED);
    expect(drawn(17, { isAvoidable: false })).toContain('ff00ff00');
  });

  test('is hollow where what was sent before is billed all the same', () => {
    const hollow = drawn(19, { cached: 0, sentBefore: 2_000, isAvoidable: false });
    expect(hollow).not.toBe(drawn(19, { cached: 0, sentBefore: 0, isAvoidable: false }));
  });

  test('shows sizes until its parts are there', () => {
    expect(drawn(16, {}, { isBare: true })).toContain('ff808080');
  });

  test('is larger around the break when that is magnified', () => {
    expect(drawn(17, {}, { zoomAt: breakAt })).not.toBe(drawn(17));
  });
});
