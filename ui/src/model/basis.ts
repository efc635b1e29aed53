import type { Basis, SessionHeader, TokenCount } from '@/api/gen/api.ts';
import { formatInteger } from './format.ts';

/** What stands in front of a number that is not exact. */
export function basisMark(basis: Basis): string {
  if (basis === 'estimated') return '≈ ';
  return basis === 'calibrated' ? 'about ' : '';
}

const EXPLANATIONS: Readonly<Record<Basis, string>> = {
  reported: 'Reported by the provider',
  exact: 'Exact: counted with the vocabulary and format of the model',
  calibrated: 'Our count, corrected by what the provider reported for earlier calls of this model',
  estimated:
    'Estimate: counted with a vocabulary that is not the model’s, or of a format that is not published',
};

const WORDS: Readonly<Record<Basis, string>> = {
  reported: 'reported',
  exact: 'exact',
  calibrated: 'calibrated',
  estimated: 'estimate',
};

export function basisWord(basis: Basis): string {
  return WORDS[basis];
}

/** Key of the glossary. */
export function basisTerm(basis: Basis): string {
  return WORDS[basis];
}

export function explainBasis(basis: Basis): string {
  return EXPLANATIONS[basis];
}

/** The basis of a count, with its bounds where it has any. */
export function explainCount(count: TokenCount): string {
  if (count.low === count.high) return EXPLANATIONS[count.basis];
  return `${EXPLANATIONS[count.basis]}. Between ${formatInteger(count.low)} and ${formatInteger(count.high)}`;
}

/** Why something is marked as inferred. */
export function inferredWhy(header: SessionHeader | undefined): string {
  return ['Rests on an inferred configuration.', ...(header?.app.notes ?? [])].join(' ');
}
