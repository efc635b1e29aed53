import type {
  Bill,
  CauseBreak,
  ComparedSide,
  DifferenceCause,
  EditsPromise,
  SessionComparison,
  SessionRow,
  SideName,
} from '@/api/gen/api.ts';
import { basisMark } from './basis.ts';
import { formatUsdChange } from './effects.ts';
import { formatCompact, formatDay, formatInteger, formatPercent, formatSigned, formatUsd } from './format.ts';

/** What a session's calls come to, and its row of the list. */
export interface ComparedSession {
  /** Nothing for an experiment, which is not in the list. */
  readonly row: SessionRow | undefined;
  readonly side: ComparedSide;
}

/** A figure of two sessions, side by side. */
interface ComparedFigure {
  readonly label: string;
  readonly a: string;
  readonly b: string;
  /** Of B against A; empty where one of them is not known, or where a difference says nothing. */
  readonly difference: string;
}

interface Figure {
  readonly label: string;
  readonly of: (session: ComparedSession) => number | undefined;
  readonly format: (value: number, session: ComparedSession) => string;
  /** How a difference is said, where not as a share of A. */
  readonly change?: (a: number, b: number) => string;
}

const points = (a: number, b: number): string => {
  const change = (b - a) * 100;
  return `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(1)} points`;
};

const FIGURES: readonly Figure[] = [
  { label: 'Calls', of: ({ side }) => side.bill.calls, format: formatInteger },
  {
    label: 'Prompt tokens',
    of: ({ side }) => side.bill.promptTokens,
    format: (value, { side }) => basisMark(side.bill.basis) + formatInteger(value),
  },
  {
    label: 'Prompt tokens a call',
    of: ({ side: { bill } }) => (bill.calls === 0 ? undefined : bill.promptTokens / bill.calls),
    format: (value, { side }) => basisMark(side.bill.basis) + formatInteger(value),
  },
  { label: 'Largest prompt', of: ({ row }) => row?.reported?.largestPrompt, format: formatInteger },
  { label: 'Cached', of: cachedShare, format: formatPercent, change: points },
  { label: 'Cache losses', of: ({ side }) => side.breaks, format: formatInteger, change: formatMore },
  { label: 'Answer tokens', of: ({ side }) => side.bill.outputTokens, format: formatInteger },
  { label: 'Cost', of: ({ side }) => side.bill.cost ?? undefined, format: formatUsd },
  { label: 'Compactions', of: ({ row }) => row?.compactions, format: formatInteger, change: formatMore },
  { label: 'Events', of: ({ row }) => row?.events, format: formatCompact },
];

/** What two sessions come to. */
export function compareSessions(a: ComparedSession, b: ComparedSession): readonly ComparedFigure[] {
  return FIGURES.map(({ label, of, format, change = inPercent }) => {
    const [before, after] = [of(a), of(b)];
    const text = (value: number | undefined, session: ComparedSession): string =>
      value === undefined ? 'not known' : format(value, session);
    const difference = before === undefined || after === undefined ? '' : change(before, after);
    return { label, a: text(before, a), b: text(after, b), difference };
  });
}

/** What another run came to against the one before it, in one line: tokens, cost, and what made most of the difference. */
export function differenceInWords(before: SessionRow, { a, b, causes }: SessionComparison): string {
  const when = before.lastEventMs === null ? '' : ` of ${formatDay(before.lastEventMs)}`;
  const [was, is] = [a.bill, b.bill];
  const size = ({ basis, promptTokens }: Bill): string => basisMark(basis) + formatCompact(promptTokens);
  const tokens = `${formatSigned(is.promptTokens - was.promptTokens)} prompt tokens (${size(was)} → ${size(is)})`;
  const cost =
    was.cost === null || is.cost === null ? [] : [`${formatUsd(was.cost)} → ${formatUsd(is.cost)}`];
  const [first] = causes.toSorted((one, other) => Math.abs(other.tokens) - Math.abs(one.tokens));
  const most =
    first === undefined || first.tokens === 0 ? '' : `; most of it: ${first.title}, ${causeTokens(first)}`;
  return `Against ${before.title}${when}: ${[tokens, ...cost].join(', ')}${most}`;
}

/** A figure as it was recorded, as edits promised it, and as it really came. */
interface PromisedFigure {
  readonly label: string;
  readonly recorded: string;
  readonly promised: string;
  readonly really: string;
}

/** What edits promised, beside what came of them. */
export function promisedFigures({ recorded, promised, really }: EditsPromise): readonly PromisedFigure[] {
  const tokens = (bill: Bill): string => basisMark(bill.basis) + formatInteger(bill.promptTokens);
  const cached = (bill: Bill): string => formatInteger(bill.cachedTokens);
  const cost = (bill: Bill): string => (bill.cost === null ? 'not known' : formatUsd(bill.cost));
  return [
    { label: 'Prompt tokens', of: tokens },
    { label: 'Cached', of: cached },
    { label: 'Cost', of: cost },
  ].map(({ label, of }) => ({ label, recorded: of(recorded), promised: of(promised), really: of(really) }));
}

/** Of the prompts that were paid for. */
function cachedShare({ side: { bill } }: ComparedSession): number | undefined {
  const paid = bill.promptTokens - bill.unpaidTokens;
  return paid > 0 ? bill.cachedTokens / paid : undefined;
}

function formatMore(a: number, b: number): string {
  return a === b ? 'the same' : formatSigned(b - a);
}

function inPercent(a: number, b: number): string {
  if (a === b) return 'the same';
  if (a === 0) return '';
  const change = (b / a - 1) * 100;
  return `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(Math.abs(change) < 10 ? 1 : 0)}%`;
}

/** A place in one of the two. */
export interface ComparedPlace {
  readonly side: SideName;
  readonly call: number;
}

/** `B C7`. */
export function formatPlace({ side, call }: ComparedPlace): string {
  return `${side.toUpperCase()} C${String(call)}`;
}

/** What a cause comes to in tokens: of prompts, else of answers, else of what is read from a cache. */
export function causeTokens({ tokens, outputTokens, cachedTokens, basis }: DifferenceCause): string {
  if (tokens !== 0) return basisMark(basis) + formatSigned(tokens);
  if (outputTokens !== 0) return `${formatSigned(outputTokens)} answered`;
  return cachedTokens === 0 ? '0' : `${formatSigned(cachedTokens)} cached`;
}

export function causeCost({ cost }: DifferenceCause): string {
  return cost === null ? '–' : formatUsdChange(0, cost);
}

/** `1,200 tokens, $0.02: The instruction changed …` */
export function breakWords({ tokens, cost, cause }: CauseBreak): string {
  const price = cost === null ? '' : `, ${formatUsd(cost)}`;
  return `${formatInteger(tokens)} tokens${price}: ${cause}`;
}

/** How long the bar of a cause is beside the greatest, from 0 to 1. */
export function causeShare(
  cause: DifferenceCause,
  all: readonly DifferenceCause[],
  by: 'tokens' | 'cost',
): number {
  const size = (of: DifferenceCause): number => Math.abs(by === 'cost' ? (of.cost ?? 0) : of.tokens);
  return size(cause) / Math.max(...all.map(size), Number.MIN_VALUE);
}
