import type { BloatRow, Effect, FindingList, FindingRow, FixRow, Remedy } from '@/api/gen/api.ts';
import { formatCounted, formatInteger, formatSigned, formatUsd } from './format.ts';

/** One number before and after, and what to call its change. */
export interface Change {
  readonly label: string;
  readonly before: number;
  readonly after: number;
  readonly unit: 'tokens' | 'usd' | 'losses';
  /** Key of the glossary, where the label is a word of it. */
  readonly term?: string;
  /** Whether more of it is welcome. */
  readonly isGain?: true;
}

/** What an effect changes over a session, without what stays as it is. */
export function changesOf(effect: Effect): readonly Change[] {
  const { costBeforeUsd, costAfterUsd } = effect;
  const all: readonly Change[] = [
    { label: 'Prompts', before: effect.tokensBefore, after: effect.tokensAfter, unit: 'tokens' },
    {
      label: 'From cache',
      term: 'cached',
      before: effect.cachedBefore,
      after: effect.cachedAfter,
      unit: 'tokens',
      isGain: true,
    },
    ...(costBeforeUsd === null || costAfterUsd === null
      ? []
      : [{ label: 'Cost', before: costBeforeUsd, after: costAfterUsd, unit: 'usd' } as const]),
    // Prompts below the provider's minimum are not among them: nothing of those could be lost.
    {
      label: 'Cache losses',
      before: effect.breaksBefore,
      after: effect.breaksAfter,
      unit: 'losses',
      term: 'cacheLoss',
    },
  ];
  return all.filter(({ label, before, after }) => before !== after || label === 'Prompts');
}

/** `+$0.12`, `−$0.076`, `−$0.0004`, `$0.00`. */
export function formatUsdChange(before: number, after: number): string {
  const change = after - before;
  const size = Math.abs(change);
  if (size < 5e-5) return '$0.00';
  return `${change > 0 ? '+' : '−'}${size < 0.001 ? `$${size.toFixed(4)}` : formatUsd(size)}`;
}

export function formatChange({ before, after, unit }: Change): string {
  return unit === 'usd' ? formatUsdChange(before, after) : formatSigned(after - before);
}

/** `all 41 calls`, or `12 of 41 calls` where time ran out. */
export function comparedCalls({ callsCompared, calls }: Effect): string {
  return callsCompared === calls
    ? `all ${formatCounted(calls, 'call')}`
    : `${String(callsCompared)} of ${formatCounted(calls, 'call')}`;
}

/** A thing that costs tokens, with what would help. */
export interface Finding {
  /** Names it in the address. */
  readonly id: string;
  readonly title: string;
  /** What it is about: an address, if it is one place. */
  readonly address: string | undefined;
  readonly isError: boolean;
  /** "11,407 tokens in each of 14 calls", "state-in-instruction, C17, C31". */
  readonly where: string;
  /** Over the session; 0 where it cannot be told in tokens. */
  readonly tokens: number;
  readonly costUsd: number | undefined;
  readonly message: string;
  readonly advice: string;
  /** The same as one writes it in the tool that wrote the session. */
  readonly remedy: Remedy | undefined;
  readonly fixes: readonly FixRow[];
}

function ofFinding(finding: FindingRow, fixes: readonly FixRow[]): Finding {
  return {
    id: `${finding.code} ${finding.calls}`,
    title: finding.title,
    address: undefined,
    isError: finding.severity === 'error',
    where: `${finding.code}, ${finding.calls}`,
    tokens: finding.tokens,
    costUsd: finding.costUsd ?? undefined,
    message: finding.message,
    advice: finding.advice,
    remedy: finding.remedy ?? undefined,
    fixes,
  };
}

function ofBloat(row: BloatRow): Finding {
  return {
    id: row.address,
    title: row.name,
    address: row.address,
    isError: false,
    where: `${formatInteger(row.tokens)} tokens in ${row.calls === 1 ? 'one call' : `each of ${formatCounted(row.calls, 'call')}`}`,
    tokens: row.lifetimeTokens,
    costUsd: row.costUsd ?? undefined,
    message: '',
    advice: '',
    remedy: undefined,
    fixes: row.fixes,
  };
}

/** Findings and sources of bloat in one list, the dearest first. */
export function rankFindings(list: FindingList): readonly Finding[] {
  const all = [
    ...list.rows.map(({ finding, fixes }) => ofFinding(finding, fixes)),
    ...list.bloat.map(ofBloat),
  ];
  return all.sort((a, b) => b.tokens - a.tokens);
}

/** What a fix is worth: money where a price is known, tokens where none is. */
function worth({ savesUsd, savesTokens }: FixRow): number {
  return savesUsd ?? savesTokens;
}

/** The fix that one key applies: the one that saves most, if any saves something. */
export function bestFix(finding: Finding): FixRow | undefined {
  return savingFixes(finding.fixes)[0];
}

/** Fixes that save something, the one that saves most first. */
function savingFixes(fixes: readonly FixRow[]): readonly FixRow[] {
  return fixes.filter((fix) => worth(fix) > 0).sort((a, b) => worth(b) - worth(a));
}

/** Whether a fix is about the results of a tool. */
function isAbout({ edits }: FixRow, tool: string): boolean {
  return edits.some((edit) => {
    const tools = edit.edit === 'insert_processor' ? edit.params?.['tools'] : undefined;
    return Array.isArray(tools) && tools.includes(tool);
  });
}

/** What would help with an event: fixes of itself, and of all results of its tool, which are found with one of them. */
export function fixesOfEvent(
  findings: readonly Finding[],
  address: string,
  tool: string | undefined,
): readonly FixRow[] {
  const fixes = findings.flatMap((finding) =>
    finding.fixes.filter((fix) => finding.address === address || (tool !== undefined && isAbout(fix, tool))),
  );
  return savingFixes([...new Map(fixes.map((fix) => [fix.title, fix])).values()]);
}

/** `−$0.028`, `+$0.001`; empty where no price is known. */
export function savedUsd({ savesUsd }: FixRow): string {
  return savesUsd === null ? '' : formatUsdChange(savesUsd, 0);
}
