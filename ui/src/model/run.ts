import type { AgentState, Decision, HeldCall, LineKind, RunPhase } from '@/api/gen/api.ts';
import { basisMark } from './basis.ts';
import { formatCounted, formatInteger, formatUsd } from './format.ts';

/** What people call the phase of a run. */
export const PHASES: Readonly<Record<RunPhase, string>> = {
  idle: 'Waits for you',
  running: 'At work',
  held: 'Held',
  stopped: 'Stopped',
};

/** What people call the state of an agent, with a sign that does not need colour. */
export const AGENT_STATES: Readonly<Record<AgentState, { readonly sign: string; readonly title: string }>> = {
  notRun: { sign: '○', title: 'not run' },
  running: { sign: '▶', title: 'at work' },
  held: { sign: '❚❚', title: 'held' },
  asks: { sign: '?', title: 'asks' },
  done: { sign: '✓', title: 'done' },
};

export const LINE_WORDS: Readonly<Record<LineKind, string>> = {
  said: '',
  thought: 'thinks',
  called: 'calls',
  answered: 'gives',
  failed: 'failed',
};

/** Ways on from a held call, in the order of their buttons. */
export const DECISIONS: readonly {
  readonly decision: Decision;
  readonly title: string;
  readonly tip: string;
  readonly key: string;
}[] = [
  { decision: 'go', title: 'Go on', tip: 'Send it, and hold calls as before', key: 'G' },
  { decision: 'stepCall', title: 'Next call', tip: 'Send it, and hold the next call', key: 'S' },
  {
    decision: 'stepResult',
    title: 'Next result',
    tip: 'Send it, and hold the next call that shows a new result of a tool',
    key: 'T',
  },
  {
    decision: 'stepAgent',
    title: 'Next agent',
    tip: 'Send it, and hold the next call of another agent',
    key: 'N',
  },
  { decision: 'goFreely', title: 'Go freely', tip: 'Send it, and hold nothing any more', key: 'F' },
  { decision: 'stop', title: 'Stop', tip: 'Do not send it, and end the run', key: 'Shift+S' },
];

export type HoldKind = 'break' | 'always' | 'agent' | 'tokens' | 'cost' | 'result';

interface HoldWords {
  readonly kind: HoldKind;
  readonly title: string;
  /** What its value is; none where there is nothing to fill in. */
  readonly unit: string | undefined;
  readonly usual: string;
}

/** On what calls can be held. */
const HOLDS: readonly HoldWords[] = [
  { kind: 'break', title: 'Prefix about to break', unit: undefined, usual: '' },
  { kind: 'tokens', title: 'Prompt larger than', unit: 'tokens', usual: '40000' },
  { kind: 'result', title: 'Tool result larger than', unit: 'tokens', usual: '8000' },
  { kind: 'cost', title: 'Prompt costs more than', unit: 'US dollars', usual: '0.05' },
  { kind: 'agent', title: 'Agent', unit: 'name', usual: '' },
  { kind: 'always', title: 'Every call', unit: undefined, usual: '' },
];

/** A condition as it is switched on or off. */
export interface HoldRow extends HoldWords {
  readonly isOn: boolean;
  readonly value: string;
}

/** All conditions there are, with those that are on. Several of a kind stand one below the other. */
export function holdRows(
  holds: readonly string[],
  values: Readonly<Partial<Record<HoldKind, string>>>,
): HoldRow[] {
  return HOLDS.flatMap((words): HoldRow[] => {
    const on = holds.filter((hold) => hold.split('=', 1)[0] === words.kind);
    const value = (hold: string): string => hold.slice(words.kind.length + 1);
    if (on.length > 0) return on.map((hold) => ({ ...words, isOn: true, value: value(hold) }));
    return [{ ...words, isOn: false, value: values[words.kind] ?? words.usual }];
  });
}

/** As the commands take it; none for one whose value is missing. */
export function holdText(row: Pick<HoldRow, 'kind' | 'unit'>, value: string): string | undefined {
  if (row.unit === undefined) return row.kind;
  const text = value.trim();
  return text === '' ? undefined : `${row.kind}=${text}`;
}

/** What stands where a prompt differs from the one before it. */
const OTHERS: Readonly<Record<string, string>> = {
  tools: 'its tools are others',
  instruction: 'its instruction is another',
  conversation: 'its conversation is another',
};

/** How a held prompt continues the one before it, in a sentence. */
export function continuationText({ before, basis }: HeldCall): string {
  if (before === null) return 'It is the first call of this agent here.';
  const mark = basisMark(basis);
  const all = mark + formatInteger(before.tokens);
  if (before.differsIn === null) return `It begins with all ${all} tokens of the agent’s call before.`;
  return `It begins with ${mark}${formatInteger(before.sharedTokens)} of the ${all} tokens of the agent’s call before; then ${OTHERS[before.differsIn] ?? before.differsIn}.`;
}

/** `1,240 of 2,000,000 tokens`; without the limit where there is none. */
export function spentText(spent: number, limit: number, unit: 'tokens' | 'dollars' | 'calls'): string {
  const text = (value: number): string => (unit === 'dollars' ? formatUsd(value) : formatInteger(value));
  if (limit > 0) return `${text(spent)} of ${text(limit)}`;
  return unit === 'dollars' ? formatUsd(spent) : formatCounted(spent, unit.slice(0, -1));
}

/** The share of a budget that is taken, from 0 to 1. */
export function spentShare(spent: number, limit: number): number {
  return limit > 0 ? Math.min(1, spent / limit) : 0;
}
