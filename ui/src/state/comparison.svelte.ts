import type { ComparedCall, Comparison as Answer, PartPage, PartRow } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import type { Cursor } from './cursor.svelte.ts';
import type { Experiments } from './experiments.svelte.ts';
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
      () => (session.cursor > 0 ? this.#key(`C${String(session.cursor)}`) : undefined),
      (offset, limit) =>
        host.invoke('experiment/compareParts', {
          ...sides(),
          call: session.cursor,
          foldUnchanged: true,
          offset,
          limit,
        }),
    );
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

  async selectRow(index: number): Promise<void> {
    const wanted = Math.min(this.calls.total - 1, Math.max(0, index));
    const row = this.calls.row(wanted) ?? (await this.calls.load(wanted));
    if (row !== undefined) this.#cursor.set(row.call, 'walk');
  }

  move(delta: number): void {
    const at = this.activeRow;
    this.selectRow(at === undefined ? 0 : at + delta).catch(() => undefined);
  }

  #key(what: string): string | undefined {
    const { view, panel } = this.#location.view;
    const isShown = view === 'pipeline' && panel === 'compare';
    const isReady = this.#session.isOpen && !this.#session.isCompiling && this.hasTwo;
    return isShown && isReady ? `${this.#session.keyOfEdits} against ${this.before} ${what}` : undefined;
  }
}
