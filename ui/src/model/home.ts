import type { HomeOrder, HomePage, HomePattern, HomeSession, UsageRow } from '@/api/gen/api.ts';

export const PERIODS = ['all', '30', '7', 'today'] as const;
export type Period = (typeof PERIODS)[number];

/** The first day of a period that ends today; nothing where all days count. Days are written as `2026-11-20`. */
export function firstDay(period: string, today: string): string | undefined {
  if (period === 'today') return today;
  const days = Number(period);
  return Number.isInteger(days) && days > 0 ? addDays(today, 1 - days) : undefined;
}

function addDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

/** The day it is for whoever looks at the window. */
export function localDay(now: Date): string {
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${String(now.getFullYear())}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`;
}

/** With its year when that is another one than today's. */
function named(day: string, today: string, form: Intl.DateTimeFormatOptions): string {
  const date = new Date(`${day}T00:00:00Z`);
  const name = date.toLocaleDateString('en-GB', { timeZone: 'UTC', day: 'numeric', ...form });
  const year = day.slice(0, 4);
  return year === today.slice(0, 4) ? name : `${name} ${year}`;
}

/** `Thursday 26 November`, `Today`. */
export function dayName(day: string, today: string): string {
  if (day === today) return 'Today';
  if (day === addDays(today, -1)) return 'Yesterday';
  return named(day, today, { weekday: 'long', month: 'long' });
}

/** `20 Nov`, `20 Nov 2024`. */
export function shortDay(day: string, today: string): string {
  return named(day, today, { month: 'short' });
}

/** What some sessions come to. */
interface DaySums {
  readonly sessions: number;
  readonly tokens: number;
  /** Of those with a known price. */
  readonly cost: number | undefined;
}

export type HomeLine =
  | { readonly type: 'session'; readonly row: HomeSession }
  | {
      readonly type: 'day';
      readonly day: string | undefined;
      /** Not known while some of its sessions are not there yet. */
      readonly sums: DaySums | undefined;
    };

/** Sessions under the days of their last calls, with what those sessions come to. Other orders have no days. */
export function homeLines({ sessions, nSessions }: HomePage, isByDay: boolean): readonly HomeLine[] {
  if (!isByDay) return sessions.map((row) => ({ type: 'session', row }));
  const groups = new Map<string | undefined, HomeSession[]>();
  for (const row of sessions) {
    const day = row.day ?? undefined;
    const group = groups.get(day);
    if (group === undefined) groups.set(day, [row]);
    else group.push(row);
  }
  const last = sessions.at(-1)?.day ?? undefined;
  return [...groups].flatMap(([day, rows]): HomeLine[] => {
    const isWhole = day !== last || sessions.length === nSessions;
    const head: HomeLine = { type: 'day', day, sums: isWhole ? sumOf(rows) : undefined };
    return [head, ...rows.map((row): HomeLine => ({ type: 'session', row }))];
  });
}

function sumOf(rows: readonly HomeSession[]): DaySums {
  const costs = rows.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  return {
    sessions: rows.filter(({ isUnread }) => !isUnread).length,
    tokens: rows.reduce((sum, row) => sum + row.inputTokens + row.outputTokens, 0),
    cost: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0),
  };
}

export type BarMeasure = 'cost' | 'tokens';

/** What is measured of a row: dollars, or tokens of prompts and answers. */
export function measured(row: UsageRow, by: BarMeasure): number {
  return by === 'cost' ? (row.cost ?? 0) : row.inputTokens + row.outputTokens;
}

export interface DayBar {
  /** The first and the last day of it. */
  readonly from: string;
  readonly to: string;
  readonly cost: number;
  readonly hasCost: boolean;
  readonly tokens: number;
  readonly cachedTokens: number;
}

const MOST_BARS = 62;
const DAY_MS = 86_400_000;

/** Bars from the first day to the last, without gaps: of a day each, or of several where there are many. */
export function dayBars(
  days: readonly UsageRow[],
  first: string | undefined,
  last: string,
): readonly DayBar[] {
  const dated = days.flatMap((row) => (row.key === null ? [] : [{ ...row, key: row.key }]));
  const from = first ?? dated[0]?.key;
  const to = [last, dated.at(-1)?.key ?? last].toSorted().at(-1) ?? last;
  if (from === undefined || from > to) return [];
  const number = (day: string): number => Math.round(Date.parse(`${day}T00:00:00Z`) / DAY_MS);
  const n = number(to) - number(from) + 1;
  const width = Math.ceil(n / MOST_BARS);
  const bars = Array.from({ length: Math.ceil(n / width) }, (_, at) => {
    const begin = addDays(from, at * width);
    const end = addDays(begin, width - 1);
    return { from: begin, to: end < to ? end : to, cost: 0, hasCost: false, tokens: 0, cachedTokens: 0 };
  });
  for (const row of dated) {
    const bar = bars[Math.floor((number(row.key) - number(from)) / width)];
    if (bar === undefined) continue;
    bar.cost += row.cost ?? 0;
    bar.hasCost ||= row.cost !== null;
    bar.tokens += row.inputTokens + row.outputTokens;
    bar.cachedTokens += row.cachedTokens;
  }
  return bars;
}

/** The term of a filter that wants just this: `tool:="Codex CLI"`. */
export function exactTerm(field: 'tool' | 'project' | 'model', value: string): string {
  return `${field}:="${value.replaceAll('"', '')}"`;
}

/** Adds a term to a filter, in place of one of the same field; takes it out when it is there. */
export function toggleTerm(filter: string, term: string): string {
  const field = /^\w+:/.exec(term)?.[0] ?? '';
  const terms = termsOf(filter);
  const others = terms.filter((other) => field === '' || !other.startsWith(field));
  return (terms.includes(term) ? others : [...others, term]).join(' ');
}

/** `tool:="Codex CLI" retry` has two terms. */
export function termsOf(filter: string): readonly string[] {
  return filter.match(/(?:"[^"]*"|[^\s"])+/g) ?? [];
}

export const HOME_ORDERS = [
  'newest',
  'cost',
  'tokens',
  'waste',
  'peak',
] as const satisfies readonly HomeOrder[];

/** The terms of a filter that leave the sessions with a pattern. */
export function patternTerms({ code, tool }: HomePattern): readonly string[] {
  return [`finding:=${code}`, exactTerm('tool', tool)];
}

/** `payments-api` of `/home/ann/payments-api`. */
export function folderName(path: string): string {
  return path.split(/[\\/]/).findLast((piece) => piece !== '') ?? path;
}
