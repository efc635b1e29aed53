import type { Edit, LessonGrade, LessonNumbers, LessonProgress } from '@/api/gen/api.ts';
import { basisMark } from './basis.ts';
import { formatInteger, formatSigned, formatUsd } from './format.ts';

/** What a learner has done in a lesson that goes on. */
export interface Attempt {
  /** The experiment that it was begun in. */
  readonly experiment: string;
  /** By the ids of goals. */
  readonly answers: Readonly<Record<string, string>>;
  /** How many hints were taken, by the ids of goals. */
  readonly hints: Readonly<Record<string, number>>;
}

/** By the ids of lessons. */
export type Attempts = Readonly<Record<string, Attempt>>;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Attempts as they were kept. What cannot be read was never made: a lesson can be begun again. */
export function parseAttempts(text: string | null): Attempts {
  const kept = text === null ? undefined : parse(text);
  if (!isRecord(kept)) return {};
  const attempts: Record<string, Attempt> = {};
  for (const [lesson, attempt] of Object.entries(kept)) {
    if (!isRecord(attempt) || typeof attempt['experiment'] !== 'string') continue;
    const answers: Record<string, string> = {};
    for (const [goal, answer] of Object.entries(isRecord(attempt['answers']) ? attempt['answers'] : {})) {
      if (typeof answer === 'string') answers[goal] = answer;
    }
    const hints: Record<string, number> = {};
    for (const [goal, taken] of Object.entries(isRecord(attempt['hints']) ? attempt['hints'] : {})) {
      if (typeof taken === 'number') hints[goal] = taken;
    }
    attempts[lesson] = { experiment: attempt['experiment'], answers, hints };
  }
  return attempts;
}

/** `solved`, `3 of 5 goals`, or how long it takes. */
export function progressWords({
  row,
  met,
  isSolved,
}: Pick<LessonProgress, 'row' | 'met' | 'isSolved'>): string {
  if (isSolved) return 'solved';
  return met.length === 0 ? `${String(row.minutes)} min` : metWords(met.length, row.goals);
}

export function metWords(met: number, goals: number): string {
  return `${String(met)} of ${String(goals)} goals met`;
}

export function metCount(grade: LessonGrade | undefined): number {
  return grade?.goals.filter(({ isMet }) => isMet).length ?? 0;
}

/** A number of a session with edits, beside what it was without them. */
export interface NumberRow {
  readonly name: string;
  readonly value: string;
  /** By how much it differs; `undefined` where it does not. */
  readonly change: string | undefined;
}

/** Tokens, cache, breaks and cost with edits, against the recording. */
export function numberRows(numbers: LessonNumbers, recorded: LessonNumbers): readonly NumberRow[] {
  const { bill } = numbers;
  const before = recorded.bill;
  const byTokens = (after: number, was: number): string | undefined =>
    after === was ? undefined : formatSigned(after - was);
  const mark = basisMark(bill.basis);
  return [
    {
      name: 'Prompts',
      value: `${mark}${formatInteger(bill.promptTokens)}`,
      change: byTokens(bill.promptTokens, before.promptTokens),
    },
    {
      name: 'From a cache',
      value: formatInteger(bill.cachedTokens),
      change: byTokens(bill.cachedTokens, before.cachedTokens),
    },
    {
      name: 'Breaks',
      value: formatInteger(numbers.breaks),
      change: byTokens(numbers.breaks, recorded.breaks),
    },
    {
      name: 'Cost',
      value: bill.cost === null ? 'no price known' : formatUsd(bill.cost),
      change: costChange(bill.cost, before.cost),
    },
  ];
}

/** `$0.12 less`; nothing where both read the same. */
function costChange(after: number | null, before: number | null): string | undefined {
  if (after === null || before === null || formatUsd(after) === formatUsd(before)) return undefined;
  return `${formatUsd(Math.abs(after - before))} ${after < before ? 'less' : 'more'}`;
}

/** What an edit says, field by field. */
export interface EditField {
  readonly name: string;
  readonly value: string;
}

/** `insert_processor`, and what it is given. */
export function fieldsOf(edit: Edit): readonly EditField[] {
  return Object.entries(edit).flatMap(([name, value]: [string, unknown]) => {
    if (name === 'edit' || value === null || value === undefined) return [];
    if (isRecord(value) && name === 'params') {
      return Object.entries(value).map(([param, given]) => ({ name: param, value: textOf(given) }));
    }
    return [{ name, value: textOf(value) }];
  });
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
    ? value.join(', ')
    : JSON.stringify(value);
}
