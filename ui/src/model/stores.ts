import type { CallRange, Carried, Fate, HandOffVia, KeyScope, VersionRow } from '@/api/gen/api.ts';
import { formatCalls, formatCounted } from './format.ts';

export const SCOPE_WORDS: Readonly<Record<KeyScope, string>> = {
  session: 'this session',
  user: 'all sessions of one user',
  app: 'everyone',
  temp: 'one turn',
};

export const VIA_WORDS: Readonly<Record<HandOffVia, string>> = {
  transfer: 'transfer',
  started: 'started',
  returned: 'returned',
  flow: 'next in the flow',
};

export const FATES: Readonly<Record<Fate, { readonly sign: string; readonly title: string }>> = {
  kept: { sign: '→', title: 'kept' },
  reframed: { sign: '⇢', title: 'reframed' },
  dropped: { sign: '−', title: 'dropped' },
  added: { sign: '+', title: 'added' },
};

/** The first call that a version is there for. What the answer of the last call wrote is there for none. */
export function callOfVersion({ call }: VersionRow, calls: number): number {
  return Math.min(calls, call + 1);
}

/** The nearest version before or after a call. Of several that one call wrote, the last one held. */
export function versionBeside(
  versions: readonly VersionRow[],
  cursor: number,
  calls: number,
  direction: 1 | -1,
): VersionRow | undefined {
  const held = [
    ...new Map(
      versions.filter(({ call }) => call < calls).map((version) => [callOfVersion(version, calls), version]),
    ),
  ];
  const at = held.findLastIndex(([call]) => call <= cursor);
  return held[at + direction]?.[1];
}

/** A number of where something stood: a bound where some of the prompts that may have held it are not known. */
export function knownPart({ calls, unknownCalls }: Carried, number: string): string {
  if (unknownCalls === 0) return number;
  return calls === 0 ? 'not known' : `≥ ${number}`;
}

/** Why the numbers are bounds. */
export function unknownSentence({ calls, unknownCalls }: Carried): string {
  const prompts = formatCounted(unknownCalls, 'prompt');
  const where = calls === 0 ? 'It may have stood in' : 'It may have stood, besides, in';
  return `${where} ${prompts} of which it is not known what they held.`;
}

/** "C3..C18, C24" */
export function rangesText(ranges: readonly CallRange[]): string {
  return ranges.map(({ from, to }) => formatCalls(from, to)).join(', ');
}

/** Splits `user:name` so that the scope can be set apart. */
export function splitKey(key: string): { readonly prefix: string; readonly name: string } {
  const match = /^(?:user|app|temp):/.exec(key);
  const prefix = match?.[0] ?? '';
  return { prefix, name: key.slice(prefix.length) };
}
