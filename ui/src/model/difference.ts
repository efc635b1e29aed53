import type { DifferenceKind, PromptDifference } from '@/api/gen/api.ts';
import { formatInteger } from './format.ts';

const KINDS: Readonly<Record<DifferenceKind, string>> = {
  rewritten: 'difference',
  replaced: 'other parts in the place of some',
  leftOut: 'parts left out',
  inserted: 'parts inserted',
  continued: 'what is new at the end',
};

/** "First difference, token 3,803". */
export function differenceTitle(found: PromptDifference | undefined): string {
  const shown = found?.shown ?? null;
  if (found === undefined || shown === null) return 'First difference';
  const at = `token ${formatInteger(shown.atToken)}`;
  if (shown.kind === 'continued' && found.total === 1) return `No difference before the end, ${at}`;
  return shown.number === 1 ? `First difference, ${at}` : `Difference ${formatInteger(shown.number)}, ${at}`;
}

/** "C16 against C17, in system_instruction[0], state.hits". */
export function differenceWords(found: PromptDifference | undefined): string {
  const shown = found?.shown ?? null;
  if (found === undefined || shown === null || found.previousCall === null) return '';
  const places = [
    `in ${shown.place}`,
    shown.source,
    ...(shown.kind === 'rewritten' ? [] : [KINDS[shown.kind]]),
  ];
  return `C${String(found.previousCall)} against C${String(found.call)}, ${places.filter((place) => place !== '').join(', ')}`;
}

/** A token as it can be seen: line breaks and blanks have signs of their own. */
export function visibleToken(text: string): string {
  return text.replaceAll('\n', '⏎').replaceAll('\t', '⇥').replaceAll('\r', '␍').replace(/^ +$/, '␣');
}
