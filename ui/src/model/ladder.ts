import { LADDER_FLAGS } from '@/api/gen/api.ts';

const VERSION = 1;
const NOWHERE = 0xffffffff;

/** `cache/ladder`, decoded: arrays of equal length, one entry a call. */
export interface Ladder {
  readonly length: number;
  readonly call: Uint32Array;
  readonly tokens: Uint32Array;
  /** Reported where the provider reports, else predicted. */
  readonly cached: Uint32Array;
  readonly predicted: Uint32Array;
  /** Tokens from the beginning on that were ever sent before. */
  readonly sentBefore: Uint32Array;
  readonly endsAt: Uint32Array;
  readonly agent: Uint16Array;
  readonly flags: Uint16Array;
}

/** One call of it. */
export interface Rung {
  readonly call: number;
  readonly tokens: number;
  readonly cached: number;
  readonly predicted: number;
  readonly sentBefore: number;
  /** The token at which the prefix ends though it could go on. */
  readonly endsAt: number | undefined;
  readonly agent: number;
  readonly isAvoidable: boolean;
  readonly isBroken: boolean;
  readonly isReported: boolean;
  /** Report and prediction are more than a block apart. */
  readonly differs: boolean;
}

export const NO_LADDER: Ladder = {
  length: 0,
  call: new Uint32Array(),
  tokens: new Uint32Array(),
  cached: new Uint32Array(),
  predicted: new Uint32Array(),
  sentBefore: new Uint32Array(),
  endsAt: new Uint32Array(),
  agent: new Uint16Array(),
  flags: new Uint16Array(),
};

/** Decodes the bytes of `cache/ladder` without copying them. */
export function decodeLadder(bytes: ArrayBuffer): Ladder {
  const [version, length] = new Uint32Array(bytes, 0, 2);
  if (version !== VERSION || length === undefined)
    throw new Error(`Ladder of version ${String(version)}, this window reads ${String(VERSION)}`);
  const words = (index: number): Uint32Array => new Uint32Array(bytes, 8 + index * length * 4, length);
  const halves = (index: number): Uint16Array =>
    new Uint16Array(bytes, 8 + 6 * length * 4 + index * length * 2, length);
  return {
    length,
    call: words(0),
    tokens: words(1),
    cached: words(2),
    predicted: words(3),
    sentBefore: words(4),
    endsAt: words(5),
    agent: halves(0),
    flags: halves(1),
  };
}

export function rungAt(ladder: Ladder, index: number): Rung | undefined {
  const call = ladder.call[index];
  if (call === undefined) return undefined;
  const flags = ladder.flags[index] ?? 0;
  const endsAt = ladder.endsAt[index] ?? NOWHERE;
  return {
    call,
    tokens: ladder.tokens[index] ?? 0,
    cached: ladder.cached[index] ?? 0,
    predicted: ladder.predicted[index] ?? 0,
    sentBefore: ladder.sentBefore[index] ?? 0,
    endsAt: endsAt === NOWHERE ? undefined : endsAt,
    agent: ladder.agent[index] ?? 0,
    isAvoidable: (flags & LADDER_FLAGS.avoidableBreak) !== 0,
    isBroken: isBroken(flags),
    isReported: (flags & LADDER_FLAGS.reported) !== 0,
    differs: (flags & LADDER_FLAGS.differs) !== 0,
  };
}

const BREAKS = LADDER_FLAGS.avoidableBreak | LADDER_FLAGS.structuralBreak | LADDER_FLAGS.providerBreak;

function isBroken(flags: number): boolean {
  return (flags & BREAKS) !== 0;
}

/** Indices of the rows that are shown: all, or those of one agent. */
export function rungsOf(ladder: Ladder, agent: number | undefined): readonly number[] {
  const all = Array.from({ length: ladder.length }, (_, index) => index);
  return agent === undefined ? all : all.filter((index) => ladder.agent[index] === agent);
}

/** The next call before or behind one that lost something. */
export function nextBreak(ladder: Ladder, call: number, direction: 1 | -1): number | undefined {
  const start = ladder.call.findIndex((other) => other >= call);
  for (
    let index = start < 0 ? ladder.length - 1 : start;
    index >= 0 && index < ladder.length;
    index += direction
  ) {
    const other = ladder.call[index] ?? 0;
    if ((direction === 1 ? other > call : other < call) && isBroken(ladder.flags[index] ?? 0)) return other;
  }
  return undefined;
}
