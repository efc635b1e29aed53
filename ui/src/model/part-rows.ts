import type { PartChange, PartRow } from '@/api/gen/api.ts';
import { formatCounted, formatInteger, formatSigned } from './format.ts';

const SIGNS: Readonly<Record<PartChange, string>> = {
  added: '+',
  leftOut: '−',
  rewritten: '~',
  moved: '↕',
  unchanged: '',
};

export function changeSign(change: PartChange): string {
  return SIGNS[change];
}

const WORDS: Readonly<Record<PartChange, string>> = {
  added: 'added',
  leftOut: 'left out',
  rewritten: 'rewritten',
  moved: 'moved',
  unchanged: 'unchanged',
};

export function changeWord(change: PartChange): string {
  return WORDS[change];
}

/** `+684`, `−46,434`, `284 → 303`, `1,204`. */
export function partTokens({ change, tokensBefore, tokensAfter }: PartRow): string {
  switch (change) {
    case 'added':
      return formatSigned(tokensAfter);
    case 'leftOut':
      return formatSigned(-tokensBefore);
    case 'rewritten':
      return `${formatInteger(tokensBefore)} → ${formatInteger(tokensAfter)}`;
    case 'moved':
    case 'unchanged':
      return formatInteger(tokensAfter);
  }
}

/** What a row stands for that has no kind of its own. */
export function countedRow({ change, count }: PartRow): string {
  return formatCounted(count, change === 'leftOut' ? 'event' : 'part');
}

/** `4.0`, `sys.1`, `tool`, `request`: the name of a tool or of a setting stands beside it. */
export function shortPath(path: string): string {
  return /^(tool|request)\./.exec(path)?.[1] ?? path;
}
