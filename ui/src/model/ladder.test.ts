import { describe, expect, test } from 'vitest';
import { recorded, recordedBytes } from '../../tests/recorded.ts';
import { decodeLadder, nextBreak, rungAt, rungsOf } from './ladder.ts';

const session = 'invoice-triage';
const ladder = decodeLadder(await recordedBytes('cache/ladder', { session, from: 1, to: 41 }));

describe('the ladder', () => {
  test('has a rung for every call', async () => {
    const { bill } = await recorded('cache/why', { session, call: 17 });
    expect(ladder).toHaveLength(41);
    expect(rungAt(ladder, 16)).toMatchObject({
      call: 17,
      tokens: bill.promptTokens,
      endsAt: bill.cachedTokens,
      isAvoidable: true,
      isBroken: true,
    });
    expect(rungAt(ladder, 15)).toMatchObject({ call: 16, endsAt: undefined, isBroken: false });
    expect(rungAt(ladder, 41)).toBeUndefined();
  });

  test('can be that of one agent', () => {
    const agent = ladder.agent[16] ?? 0;
    const rungs = rungsOf(ladder, agent).map((index) => rungAt(ladder, index));
    expect(rungs.length).toBeGreaterThan(5);
    expect(rungs.every((rung) => rung?.agent === agent)).toBe(true);
    expect(rungsOf(ladder, undefined)).toHaveLength(41);
  });

  test('knows the breaks before and behind a call, and where there is none', () => {
    const broken = Array.from({ length: 41 }, (_, i) => rungAt(ladder, i)).filter(
      (rung) => rung?.isBroken === true,
    );
    const calls = broken.map((rung) => rung?.call ?? 0);
    const walked: number[] = [];
    for (let at: number | undefined = 0; ;) {
      at = nextBreak(ladder, at, 1);
      if (at === undefined) break;
      walked.push(at);
    }
    expect(walked).toEqual(calls);
    expect(nextBreak(ladder, 41, -1)).toBe(calls.filter((call) => call < 41).at(-1));
    expect(nextBreak(ladder, calls[0] ?? 0, -1)).toBeUndefined();
  });

  test('of another version is refused', () => {
    const bytes = new ArrayBuffer(8);
    new Uint32Array(bytes).set([2, 0]);
    expect(() => decodeLadder(bytes)).toThrow('version 2');
  });
});
