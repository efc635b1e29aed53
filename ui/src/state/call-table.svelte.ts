import { callRows, sortCallRows, type CallOrder, type CallTableRow } from '@/model/call-rows.ts';
import { columnOfCall, NO_COLUMNS, type CallColumns } from '@/model/columns.ts';
import type { Cursor } from './cursor.svelte.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Location } from './location.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';

/** Rows that are asked for, 48 bytes each. Longer sessions have several calls in one. */
const MOST_ROWS = 20_000;

interface Parts {
  readonly location: Location;
  readonly session: OpenSession;
  readonly cursor: Cursor;
}

/** The calls of the session with their numbers: what strip and map draw, to be read. */
export class CallTable {
  readonly #in: Parts;
  readonly columns: Loaded<CallColumns>;
  order: CallOrder = $state('inOrder');

  constructor(parts: Parts) {
    this.#in = parts;
    const { session } = parts;
    this.columns = new Loaded(
      () => (this.isShown && session.calls > 0 ? `${session.key ?? ''} table` : undefined),
      () => session.fetchColumns({ from: 1, to: session.calls }, MOST_ROWS),
    );
    session.refreshAfter(() => this.columns.isLoading);
  }

  /** In place of the context map. */
  get isShown(): boolean {
    const { view, look } = this.#in.location.view;
    return view === 'session' && look === 'table';
  }

  readonly rows: readonly CallTableRow[] = $derived.by(() =>
    sortCallRows(callRows(this.columns.latest ?? NO_COLUMNS), this.order),
  );

  /** The row of the call under the cursor. */
  get activeRow(): number | undefined {
    const columns = this.columns.latest;
    if (columns === undefined || columns.length === 0) return undefined;
    const column = columnOfCall(columns, this.#in.session.cursor);
    const row = this.rows.findIndex((candidate) => candidate.column === column);
    return row < 0 ? undefined : row;
  }

  activate(index: number): void {
    const row = this.rows[index];
    if (row !== undefined) this.#in.cursor.set(row.peakCall, 'walk');
  }
}
