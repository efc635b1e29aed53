import type { SessionRow } from '@/api/gen/api.ts';

export const SESSION_ORDERS = ['when', 'title', 'calls', 'tokens', 'cached', 'cost', 'peak'] as const;
export type SessionOrder = (typeof SESSION_ORDERS)[number];

export const GROUPINGS = ['none', 'tool', 'project'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** What a row is sorted by; undefined where it is not known. */
const VALUES: Readonly<Record<SessionOrder, (row: SessionRow) => number | string | undefined>> = {
  when: ({ lastEventMs }) => lastEventMs ?? undefined,
  title: ({ title }) => title.toLowerCase(),
  calls: ({ calls }) => calls,
  tokens: ({ reported }) => reported?.promptTokens,
  cached: cachedShare,
  cost: ({ reported }) => reported?.cost ?? undefined,
  peak: ({ reported }) => reported?.largestPrompt,
};

/** Of the prompts that were reported; undefined where no report says anything of a cache. */
export function cachedShare({ reported }: SessionRow): number | undefined {
  if (reported === null || reported.cachedTokens === null || reported.promptTokens === 0) return undefined;
  return reported.cachedTokens / reported.promptTokens;
}

/** The last folder of where it was recorded. */
export function projectOf({ folder }: SessionRow): string | undefined {
  return folder?.split(/[/\\]/).findLast((name) => name !== '');
}

/** Whether a row's reports are of all calls that somebody may have paid for. */
export function isWhole({ reported, calls }: SessionRow): boolean {
  return reported !== null && reported.calls + reported.unpaidCalls >= calls;
}

/**
 * The run before a session: the newest earlier one of the same tool and task, else of the same tool and folder. A task is
 * known by its title. Sessions of which no time is known come before none.
 */
export function runBefore(rows: readonly SessionRow[], of: SessionRow): SessionRow | undefined {
  const { lastEventMs } = of;
  if (lastEventMs === null) return undefined;
  const earlier = rows
    .filter((row) => row.session !== of.session && row.format === of.format && row.calls > 0)
    .filter((row) => row.lastEventMs !== null && row.lastEventMs < lastEventMs)
    .toSorted((a, b) => (b.lastEventMs ?? 0) - (a.lastEventMs ?? 0));
  return (
    earlier.find(({ title, folder }) => title === of.title && folder === of.folder) ??
    earlier.find(({ title }) => title === of.title) ??
    earlier.find(({ folder }) => folder !== null && folder === of.folder)
  );
}

/**
 * Sessions that nobody opened and nothing was written to since a moment. Only those of files of this computer, which can
 * be read again: what was run or captured here, or sent by a browser, is nowhere else.
 */
export function unusedSince(rows: readonly SessionRow[], sinceMs: number): readonly SessionRow[] {
  return rows.filter(({ isSample, source, openedMs, lastEventMs }) => {
    const isOfFile = /^(\/|[A-Za-z]:[\\/])/.test(source);
    const times = [openedMs, lastEventMs].filter((time) => time !== null);
    return !isSample && isOfFile && times.length > 0 && times.every((time) => time < sinceMs);
  });
}

/** Rows with all of the words in what is known of them. */
export function findSessions(rows: readonly SessionRow[], typed: string): readonly SessionRow[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return rows.filter((row) => {
    const hay = [row.title, row.format, row.folder, row.source, ...(row.reported?.models ?? [])]
      .join('\n')
      .toLowerCase();
    return words.every((word) => hay.includes(word));
  });
}

/** Numbers and days from the greatest on, titles from A on. What is not known stands last in either direction. */
export function sortSessions(
  rows: readonly SessionRow[],
  order: SessionOrder,
  isReversed: boolean,
): readonly SessionRow[] {
  const value = VALUES[order];
  const direction = (order === 'title') === isReversed ? -1 : 1;
  return rows.toSorted((one, other) => {
    const [a, b] = [value(one), value(other)];
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    return a < b ? -direction : a > b ? direction : 0;
  });
}

/** What sessions come to, as far as that is reported. */
export interface SessionSums {
  readonly sessions: number;
  readonly calls: number;
  readonly tokens: number;
  readonly cost: number;
  /** Sessions that `tokens` or `cost` lack, in whole or in part. */
  readonly withoutTokens: number;
  readonly withoutCost: number;
}

export function sumSessions(rows: readonly SessionRow[]): SessionSums {
  return {
    sessions: rows.length,
    calls: rows.reduce((sum, { calls }) => sum + calls, 0),
    tokens: rows.reduce((sum, { reported }) => sum + (reported?.promptTokens ?? 0), 0),
    cost: rows.reduce((sum, { reported }) => sum + (reported?.cost ?? 0), 0),
    withoutTokens: rows.filter((row) => row.calls > 0 && !isWhole(row)).length,
    withoutCost: rows.filter((row) => row.calls > 0 && (row.reported?.cost ?? null) === null).length,
  };
}

/** A line of the list: a session, or the head of those below it. */
export type SessionLine =
  | { readonly type: 'session'; readonly row: SessionRow }
  | { readonly type: 'group'; readonly name: string; readonly sums: SessionSums };

/** Sorted rows under heads, the group of the first row first. */
export function groupSessions(rows: readonly SessionRow[], grouping: Grouping): readonly SessionLine[] {
  if (grouping === 'none') return rows.map((row) => ({ type: 'session', row }));
  const groups = new Map<string, SessionRow[]>();
  for (const row of rows) {
    const name = grouping === 'tool' ? row.format : (projectOf(row) ?? 'no project known');
    const members = groups.get(name);
    if (members === undefined) groups.set(name, [row]);
    else members.push(row);
  }
  return [...groups].flatMap(([name, members]) => [
    { type: 'group' as const, name, sums: sumSessions(members) },
    ...members.map((row) => ({ type: 'session' as const, row })),
  ]);
}
