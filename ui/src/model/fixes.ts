import type { BreakRow, CacheFix, FixRow, Saving } from '@/api/gen/api.ts';

/** Remedies for a break, the most useful first. */
export function fixesFor(fixes: readonly CacheFix[], row: BreakRow): readonly CacheFix[] {
  return fixes.filter(({ agent, causes }) => agent === row.agent && causes.includes(row.cause));
}

/** What a fix promises. */
export function promiseOf(fix: FixRow | CacheFix): Saving {
  return 'causes' in fix
    ? { of: 'fullPrice', tokens: fix.savesTokens, costUsd: fix.savesCostUsd }
    : { of: 'prompt', tokens: fix.savesTokens, costUsd: fix.savesUsd };
}

/** Why there is none. */
export function noFixSentence({ nature, rebilledTokens }: BreakRow): string {
  if (rebilledTokens === 0) return 'Nothing was billed again, so there is nothing to save.';
  switch (nature) {
    case 'structural':
      return 'It comes with what the session does. No change that was tried saves anything here.';
    case 'provider':
      return 'The prompt is fine; the provider’s rule says no.';
    case 'avoidable':
      return 'Strata knows no change of the pipeline that would save something here.';
  }
}
