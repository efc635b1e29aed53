import type { Basis, Bill, SummaryBill } from '@/api/gen/api.ts';
import { formatCounted, formatInteger, formatUsd } from './format.ts';

/**
 * All that was sent, by the measure of single events: our count of what is known, with the context that is hidden. What
 * providers reported is less where our count is too high, and no measure for an event.
 */
export function sentTokens({ countedTokens, hiddenTokens }: Bill): number {
  return countedTokens + hiddenTokens;
}

/** Prompts that somebody is known to have paid for. */
export function paidTokens({ promptTokens, unpaidTokens }: Bill): number {
  return promptTokens - unpaidTokens;
}

/** What all of it cost, or what is known of that: the amount, and what it lacks. */
export function costInWords({ cost, partialCost, unpricedCalls }: Bill): readonly [string, string] {
  if (cost !== null) return [formatUsd(cost), ''];
  if (partialCost === null) return ['no price known', ''];
  return [formatUsd(partialCost), `and ${formatCounted(unpricedCalls, 'call')} without a price`];
}

/** What the tokens of these rest on: what failed is counted by us, where all else may be reported. */
export function paidBasis({ calls, reportedCalls, unpaidCalls, basis }: Bill): Basis {
  return reportedCalls + unpaidCalls === calls ? 'reported' : basis;
}

/** What is to be said of summaries, whose writing is no call of the session. */
export function summariesInWords({ summaries, reported, unbilled, cost }: SummaryBill): string[] {
  const said: string[] = [];
  if (summaries > 0) {
    const share = cost === null ? 'without a price' : `${formatUsd(cost)} of it`;
    const basis = reported === summaries ? 'as reported' : 'estimated';
    said.push(`${share} for writing ${formatCounted(summaries, 'summary', 'summaries')}, ${basis}`);
  }
  if (unbilled > 0) {
    said.push(
      `without writing ${formatCounted(unbilled, 'summary', 'summaries')}, of which nothing is known`,
    );
  }
  return said;
}

/** What is known of what calls read from caches: `reported`; `reported for 3, predicted for 2`. */
export function cacheBasis(bill: Bill): string {
  const { calls, unpaidCalls, cacheReportedCalls: reported, cacheUnsaidCalls: unsaid } = bill;
  const known = [
    { of: reported, all: 'reported', some: 'reported for' },
    { of: calls - unpaidCalls - reported - unsaid, all: 'predicted', some: 'predicted for' },
    { of: unsaid, all: 'nothing is reported of it', some: 'nothing reported for' },
  ].filter(({ of }) => of > 0);
  if (known.length < 2) return known[0]?.all ?? 'predicted';
  return known.map(({ of, some }) => `${some} ${formatInteger(of)}`).join(', ');
}

/** What the number of a call's cached tokens rests on. */
export function explainCached(isReported: boolean, isUnsaid: boolean): string {
  if (isReported) return 'Reported by the provider, of the input it reported';
  return isUnsaid
    ? 'The report of this call says nothing of a cache: all of its prompt is taken as paid in full'
    : 'Predicted by the rules of the provider';
}
