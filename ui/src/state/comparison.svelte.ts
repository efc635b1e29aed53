import type { ComparedCall, Comparison as Answer, PartDiff, PartPage, PartRow } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import type { Cursor } from './cursor.svelte.ts';
import type { Experiments } from './experiments.svelte.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Location } from './location.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';
import { Pages } from './pages.svelte.ts';

/** What is shown against another experiment over the same recording, or against the recording: call by call. */
export class Comparison {
  readonly #location: Location;
  readonly #session: OpenSession;
  readonly #experiments: Experiments;
  readonly #cursor: Cursor;
  readonly calls: Pages<ComparedCall, Answer>;
  /** The requests of the call under the cursor, part by part. */
  readonly parts: Pages<PartRow, PartPage>;
  /** The part that is looked at, line by line. */
  readonly text: Loaded<PartDiff>;
  /** The part that was chosen, in the parts of the call it was chosen in. */
  #chosen: { readonly of: string; readonly index: number } | undefined = $state.raw();
  /** Which difference is wanted in a call that is yet to be compared. */
  #wanted: 'first' | 'last' = 'first';

  constructor(
    host: Host,
    location: Location,
    session: OpenSession,
    experiments: Experiments,
    cursor: Cursor,
  ) {
    this.#location = location;
    this.#session = session;
    this.#experiments = experiments;
    this.#cursor = cursor;
    const sides = (): { readonly a: string; readonly b: string } => ({
      a: this.before,
      b: session.id ?? '',
    });
    this.calls = new Pages(
      () => this.#key(location.view.showsEqualCalls ? 'all' : 'changed'),
      (offset, limit) =>
        host.invoke('experiment/compare', {
          ...sides(),
          onlyChanged: !location.view.showsEqualCalls,
          offset,
          limit,
        }),
    );
    this.parts = new Pages(
      () => this.partsKey,
      (offset, limit) =>
        host.invoke('experiment/compareParts', {
          ...sides(),
          call: session.cursor,
          foldUnchanged: true,
          offset,
          limit,
        }),
    );
    this.text = new Loaded(
      () => {
        const { partsKey, part } = this;
        return partsKey === undefined || part === undefined
          ? undefined
          : `${partsKey} ${part.change} ${part.path}`;
      },
      () =>
        host.invoke('experiment/compareText', {
          ...sides(),
          call: session.cursor,
          path: this.part?.path ?? '',
          isLeftOut: this.part?.change === 'leftOut',
        }),
    );
  }

  /** Names the parts that are compared; undefined where there are none. */
  get partsKey(): string | undefined {
    const { cursor } = this.#session;
    return cursor > 0 ? this.#key(`C${String(cursor)}`) : undefined;
  }

  /** The row that is looked at: the one chosen, else the first or last that differs. */
  get activePart(): number | undefined {
    if (this.#chosen !== undefined && this.#chosen.of === this.partsKey) return this.#chosen.index;
    if (this.#wanted === 'first') return this.parts.find(isDifferent)?.index;
    const last = this.parts.total - 1;
    return this.#differenceFrom(last, -1) ?? (last < 0 ? undefined : last);
  }

  get part(): PartRow | undefined {
    const { activePart } = this;
    const row = activePart === undefined ? undefined : this.parts.row(activePart);
    // A row that stands for several has no text of its own.
    return row?.path === '' ? undefined : row;
  }

  choosePart(index: number): void {
    const { partsKey } = this;
    const row = this.parts.row(index);
    if (partsKey === undefined || row === undefined) return;
    this.#chosen = { of: partsKey, index };
    this.#location.go({ selection: row.address === '' ? undefined : row.address }, 'walk');
  }

  /** Goes to the next difference of this call, or of the next call that differs. */
  async step(direction: 1 | -1): Promise<void> {
    const from = this.activePart;
    const start = from === undefined ? undefined : from + direction;
    const next = start === undefined ? undefined : this.#differenceFrom(start, direction);
    if (next !== undefined) {
      this.choosePart(next);
      return;
    }
    const missing = this.#missingFrom(start ?? 0, direction);
    if (missing !== undefined && (await this.parts.load(missing)) !== undefined) {
      await this.step(direction);
      return;
    }
    const at = this.activeRow;
    const call = at === undefined ? 0 : at + direction;
    if (call < 0 || call >= this.calls.total) return;
    this.#wanted = direction === 1 ? 'first' : 'last';
    this.#chosen = undefined;
    await this.selectRow(call, this.#wanted);
  }

  /** What it is compared with. */
  get before(): string {
    const { against } = this.#location.view;
    return against ?? this.#session.recording;
  }

  /** There are two to compare. */
  get hasTwo(): boolean {
    return this.before !== this.#session.id;
  }

  get activeRow(): number | undefined {
    const { cursor } = this.#session;
    return this.calls.find(({ call }) => call === cursor)?.index;
  }

  get listKey(): string {
    return `${this.before} ${this.#session.id ?? ''} ${String(this.#location.view.showsEqualCalls)}`;
  }

  compareWith(id: string): void {
    this.#location.go({ against: id === this.#session.recording ? undefined : id }, 'replace');
  }

  swap(): void {
    const { before } = this;
    const { id, recording } = this.#session;
    this.#location.go({ session: before, against: id === recording ? undefined : id });
  }

  /** Shows the comparison. The recording is compared with the experiment shown last, which then is shown. */
  show(): void {
    if (this.#experiments.current === undefined) this.#experiments.flip();
    this.#location.go({ view: 'pipeline', panel: 'compare' });
  }

  async selectRow(index: number, part: 'first' | 'last' = 'first'): Promise<void> {
    this.#wanted = part;
    const wanted = Math.min(this.calls.total - 1, Math.max(0, index));
    const row = this.calls.row(wanted) ?? (await this.calls.load(wanted));
    if (row !== undefined) this.#cursor.set(row.call, 'walk');
  }

  move(delta: number): void {
    const at = this.activeRow;
    this.selectRow(at === undefined ? 0 : at + delta).catch(() => undefined);
  }

  /** The nearest row that differs, among those that are here without a gap. */
  #differenceFrom(start: number, direction: 1 | -1): number | undefined {
    for (let at = start; at >= 0 && at < this.parts.total; at += direction) {
      const row = this.parts.row(at);
      if (row === undefined) return undefined;
      if (isDifferent(row)) return at;
    }
    return undefined;
  }

  /** The nearest row that is not here. */
  #missingFrom(start: number, direction: 1 | -1): number | undefined {
    for (let at = start; at >= 0 && at < this.parts.total; at += direction)
      if (this.parts.row(at) === undefined) return at;
    return undefined;
  }

  #key(what: string): string | undefined {
    const { view, panel } = this.#location.view;
    const isShown = view === 'pipeline' && panel === 'compare';
    const isReady = this.#session.isOpen && !this.#session.isCompiling && this.hasTwo;
    return isShown && isReady ? `${this.#session.keyOfEdits} against ${this.before} ${what}` : undefined;
  }
}

function isDifferent({ change }: PartRow): boolean {
  return change !== 'unchanged';
}
