import type { CauseRanking, SessionComparison, SessionPage, SessionRow } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import {
  findSessions,
  groupSessions,
  sortSessions,
  sumSessions,
  type SessionLine,
  type SessionOrder,
} from '@/model/session-table.ts';
import type { ComparedPlace } from '@/model/session-comparison.ts';
import { MOST_MARKED } from '@/model/view-url.ts';
import { readSessions } from './all-sessions.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Location } from './location.svelte.ts';

interface Places {
  readonly location: Location;
  readonly sessionsRevision: number;
  openSession(session: string): void;
  openPlace(session: string, address: string | undefined): void;
}

/** A session that is compared, with its row of the list; an experiment is not in the list. */
interface MarkedSession {
  readonly id: string;
  readonly row: SessionRow | undefined;
}

/** All sessions with what they come to: sorted, grouped, filtered, two of them compared. */
export class SessionTable {
  readonly #in: Places;
  readonly list: Loaded<SessionPage>;
  /** Those two that are marked, compared. */
  readonly comparison: Loaded<SessionComparison>;
  /** What the causes of a difference are ranked by. */
  causesBy: CauseRanking = $state('tokens');
  /** The line under the cursor, by its session. None until a person chose one: the list begins at its top. */
  #chosen: string | undefined = $state();

  constructor(host: Host, places: Places) {
    this.#in = places;
    this.list = new Loaded(
      () =>
        places.location.view.view === 'sessions' ? `table ${String(places.sessionsRevision)}` : undefined,
      () => readSessions(host),
    );
    this.comparison = new Loaded(
      () => {
        const [a, b] = this.marked;
        if (a === undefined || b === undefined) return undefined;
        return `${a.id}~${b.id} ${this.causesBy} ${String(places.sessionsRevision)}`;
      },
      () => {
        const [a, b] = this.marked;
        const sides = { a: a?.id ?? '', b: b?.id ?? '' };
        return host.invoke('session/compare', { ...sides, by: this.causesBy, offset: 0, limit: 0 });
      },
    );
  }

  get #view(): Location['view'] {
    return this.#in.location.view;
  }

  readonly #all: readonly SessionRow[] = $derived.by(() => this.list.latest?.rows ?? []);
  readonly found: readonly SessionRow[] = $derived.by(() =>
    findSessions(this.#all, this.#view.sessionFilter),
  );
  readonly sums = $derived.by(() => sumSessions(this.found));
  readonly lines: readonly SessionLine[] = $derived.by(() => {
    const { sessionOrder, isSessionOrderReversed, grouping } = this.#view;
    return groupSessions(sortSessions(this.found, sessionOrder, isSessionOrderReversed), grouping);
  });

  readonly marked: readonly MarkedSession[] = $derived.by(() =>
    this.#view.marked.map((id) => ({ id, row: this.#all.find(({ session }) => session === id) })),
  );

  get activeLine(): number | undefined {
    const at = this.lines.findIndex((line) => line.type === 'session' && line.row.session === this.#chosen);
    return at < 0 ? undefined : at;
  }

  /** The session under the cursor. */
  get active(): SessionRow | undefined {
    const line = this.lines[this.activeLine ?? -1];
    return line?.type === 'session' ? line.row : undefined;
  }

  /** Puts the cursor on a line, or on the next session beyond a head, in the direction it came from. */
  activate(index: number): void {
    const step = index < (this.activeLine ?? -1) ? -1 : 1;
    for (let at = index; at >= 0 && at < this.lines.length; at += step) {
      const line = this.lines[at];
      if (line?.type !== 'session') continue;
      this.#chosen = line.row.session;
      return;
    }
  }

  open(session: string | undefined = this.active?.session): void {
    if (session !== undefined) this.#in.openSession(session);
  }

  /** Opens a call of one of the two that are compared. */
  openCompared({ side, call }: ComparedPlace): void {
    const marked = this.marked[side === 'a' ? 0 : 1];
    if (marked !== undefined) this.#in.openPlace(marked.id, `C${String(call)}`);
  }

  /** Sorts by a column; a second time, the other way round. */
  sort(order: SessionOrder): void {
    const { sessionOrder, isSessionOrderReversed } = this.#view;
    const isSame = order === sessionOrder;
    this.#in.location.go(
      { sessionOrder: order, isSessionOrderReversed: isSame && !isSessionOrderReversed },
      'replace',
    );
  }

  /** Marks a session to be compared, or no longer. Of three the first goes. */
  mark(row: SessionRow | undefined = this.active): void {
    if (row === undefined) return;
    const { marked } = this.#view;
    const others = marked.filter((id) => id !== row.session);
    const next = others.length < marked.length ? others : [...marked, row.session].slice(-MOST_MARKED);
    this.#in.location.go({ marked: next }, 'replace');
  }

  /** Goes to the list with two sessions beside each other. */
  compare(a: string, b: string): void {
    this.#in.location.go({ view: 'sessions', marked: [a, b] });
  }

  clearMarks(): void {
    this.#in.location.go({ marked: [] }, 'replace');
  }
}
