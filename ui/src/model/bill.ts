import type { Bill } from '@/api/gen/api.ts';

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
