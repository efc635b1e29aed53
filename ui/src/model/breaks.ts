import type { BreakNature, BreakRow, CacheSummary } from '@/api/gen/api.ts';
import { formatInteger, formatPercent } from './format.ts';

const GLYPHS: Readonly<Record<BreakNature, string>> = { avoidable: '◆', structural: '◇', provider: '○' };
const WORDS: Readonly<Record<BreakNature, string>> = {
  avoidable: 'avoidable',
  structural: 'follows from the session',
  provider: 'the provider’s doing',
};

export function natureGlyph(nature: BreakNature): string {
  return GLYPHS[nature];
}

export function natureWord(nature: BreakNature): string {
  return WORDS[nature];
}

/** `C17`, `C17 and C31`, `C17, C31, C40 and 3 more`. */
export function listCalls(calls: readonly number[], total: number): string {
  const names = calls.map((call) => `C${String(call)}`);
  const rest = total - names.length;
  const all = rest > 0 ? [...names, `${formatInteger(rest)} more`] : names;
  const last = all.at(-1) ?? '';
  return all.length < 2 ? last : `${all.slice(0, -1).join(', ')} and ${last}`;
}

/** "C17 and C31 are avoidable.", or that none is. */
export function avoidableHeadline({ avoidableCalls, avoidableBreaks }: CacheSummary): string {
  if (avoidableBreaks === 0) return 'None of these is avoidable.';
  return `${listCalls(avoidableCalls, avoidableBreaks)} ${avoidableBreaks === 1 ? 'is' : 'are'} avoidable.`;
}

/** What avoidable breaks cost, and what they are a part of. */
export function avoidableSentence(summary: CacheSummary): string {
  const { avoidableBreaks, avoidableTokens, bill } = summary;
  const full = Math.max(1, bill.promptTokens - bill.unpaidTokens - bill.cachedTokens);
  if (avoidableBreaks === 0) return '';
  const they = avoidableBreaks === 1 ? 'It' : 'They';
  return `${they} re-billed ${formatInteger(avoidableTokens)} tokens, ${formatPercent(avoidableTokens / full)} of all that is billed at the full price.`;
}

/** "The other 12: below the minimum (8) and history compacted (4).", or without numbers where there is one cause. */
export function otherSentence({ otherCauses, avoidableBreaks }: CacheSummary): string {
  const count = otherCauses.reduce((sum, { breaks }) => sum + breaks, 0);
  if (count === 0) return '';
  const causes = otherCauses.map(({ title, breaks }) =>
    otherCauses.length === 1 ? title : `${title} (${formatInteger(breaks)})`,
  );
  const list =
    causes.length < 2 ? causes.join('') : `${causes.slice(0, -1).join(', ')} and ${causes.at(-1) ?? ''}`;
  const who = avoidableBreaks === 0 ? 'All' : 'The other';
  const one = avoidableBreaks === 0 ? 'The one loss' : who;
  return `${count === 1 ? one : `${who} ${formatInteger(count)}`}: ${list}.`;
}

/** What the inspector is headed with. */
export function whyTitle(call: number, row: BreakRow | undefined, previous: number | undefined): string {
  const name = `C${String(call)}`;
  if (row === undefined)
    return previous === undefined ? `${name} begins` : `${name} extends C${String(previous)}`;
  return row.rebilledTokens === 0 ? `${name} lost nothing` : `Why ${name} missed`;
}
