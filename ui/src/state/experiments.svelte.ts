import type {
  CacheFix,
  Comparison,
  Edit,
  Effect,
  EditRow,
  ExperimentDetail,
  ExperimentList,
  ExperimentRow,
  FixRow,
  ProcessorCatalog,
  ProcessorKind,
  PromiseList,
  PromiseRow,
  StageList,
} from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { appliedEdits, forAgent } from '@/model/edits.ts';
import { promiseOf } from '@/model/fixes.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Location } from './location.svelte.ts';
import type { Messages } from './messages.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';

/** Whose flows an edit of processors reaches. */
export type EditScope = 'all' | 'agent';

/**
 * Experiments over the recording that is open: which one is shown, its edits, and every way to change them. The
 * recording itself never changes: an edit of it makes an experiment first.
 */
export class Experiments {
  readonly #host: Host;
  readonly #location: Location;
  readonly #session: OpenSession;
  readonly #messages: Messages;
  readonly list: Loaded<ExperimentList>;
  readonly #detail: Loaded<ExperimentDetail>;
  readonly #catalog: Loaded<ProcessorCatalog>;
  readonly #recorded: Loaded<StageList>;
  readonly #effect: Loaded<Comparison>;
  readonly #promises: Loaded<PromiseList>;
  scope: EditScope = $state('all');
  /** The newest answer to an act; newer than what was fetched. */
  #acted: ExperimentDetail | undefined = $state.raw();
  /** Counts what changes the list. */
  #revision = $state(0);
  #running = $state(0);
  #queue: Promise<void> = Promise.resolve();
  /** The experiment that was shown last, by recording. */
  readonly #last = new Map<string, string>();

  constructor(host: Host, location: Location, session: OpenSession, messages: Messages) {
    this.#host = host;
    this.#location = location;
    this.#session = session;
    this.#messages = messages;
    this.list = new Loaded(
      () => (session.isOpen ? `${session.recording} experiments ${String(this.#revision)}` : undefined),
      async () => {
        const list = await host.invoke('experiment/list', { session: session.recording });
        session.learn(list.rows);
        return list;
      },
    );
    this.#detail = new Loaded(
      () =>
        session.experiment === undefined || this.#acted?.experiment === session.id
          ? undefined
          : `${session.keyOfEdits} edits`,
      () => host.invoke('experiment/get', { experiment: session.id ?? '' }),
    );
    this.#catalog = new Loaded(
      () => (session.isOpen ? 'catalog' : undefined),
      () => host.invoke('processor/catalog', {}),
    );
    this.#recorded = new Loaded(
      () => {
        const isShown = location.view.view === 'pipeline' && this.current !== undefined;
        return isShown && session.cursor > 0
          ? `${session.recording} recorded ${String(session.cursor)}`
          : undefined;
      },
      () => host.invoke('call/stages', { session: session.recording, call: session.cursor }),
    );
    const whole = (what: string): string | undefined => {
      const isShown = location.view.view === 'pipeline' && (this.current?.edits ?? 0) > 0;
      // Right after an edit the numbers at hand are those of before it, when all calls were compiled.
      const isWhole = session.isOpen && session.isCurrent && !session.isCompiling;
      return isShown && isWhole ? `${session.keyOfEdits} ${what}` : undefined;
    };
    this.#effect = new Loaded(
      () => whole('effect'),
      () =>
        host.invoke('experiment/compare', {
          a: session.recording,
          b: session.id ?? '',
          onlyChanged: true,
          offset: 0,
          limit: 1,
        }),
    );
    this.#promises = new Loaded(
      () => whole('promises'),
      () => host.invoke('experiment/promises', { experiment: session.id ?? '' }),
    );
    $effect(() => {
      const { current } = this;
      if (current !== undefined) this.#last.set(current.session, current.experiment);
    });
  }

  /** The experiment that is shown; undefined for the recording. */
  get current(): ExperimentRow | undefined {
    const { id } = this.#session;
    if (this.#acted?.experiment === id) return this.#acted;
    return (
      this.#session.experiment ?? this.rows.find(({ experiment }) => experiment === id && id !== undefined)
    );
  }

  /** All experiments over the recording, the one changed last first. */
  get rows(): readonly ExperimentRow[] {
    return this.list.latest?.rows ?? [];
  }

  /** The edits of what is shown, those that were taken back included. */
  get edits(): readonly EditRow[] {
    if (this.#acted !== undefined && this.#acted.experiment === this.#session.id) return this.#acted.list;
    return this.current === undefined ? [] : (this.#detail.value?.list ?? []);
  }

  get applied(): readonly EditRow[] {
    return appliedEdits(this.edits);
  }

  get kinds(): readonly ProcessorKind[] {
    return this.#catalog.latest?.kinds ?? [];
  }

  kind(name: string): ProcessorKind | undefined {
    return this.kinds.find((kind) => kind.name === name);
  }

  get catalogFailure(): string | undefined {
    return this.#catalog.failure?.message;
  }

  /** The stages of the call under the cursor as it was recorded, while an experiment is shown. */
  get recordedStages(): StageList | undefined {
    return this.current === undefined ? undefined : this.#recorded.value;
  }

  /** What all edits together do, against the recording. */
  get effect(): Effect | undefined {
    return (this.current?.edits ?? 0) > 0 ? this.#effect.latest?.effect : undefined;
  }

  /** What the fix promised whose last edit has this number, and what it saves. */
  promiseAt(edit: number): PromiseRow | undefined {
    return this.#promises.latest?.rows.find(({ lastEdit }) => lastEdit === edit);
  }

  get isBusy(): boolean {
    return this.#running > 0;
  }

  nameOf(id: string): string {
    if (id === this.#session.recording) return 'Recorded';
    return this.rows.find(({ experiment }) => experiment === id)?.name ?? id;
  }

  /** Shows an experiment or the recording. The place in it stays. */
  show(id: string): void {
    if (id === this.#session.id) return;
    this.#stay();
    this.#location.go({ session: id });
    this.#messages.announce(`Shows ${this.nameOf(id)}`);
  }

  /** The recording and the experiment that was shown last take turns. */
  flip(): void {
    const { recording } = this.#session;
    const other = this.current === undefined ? this.#lastOf(recording) : recording;
    if (other !== undefined) this.show(other);
  }

  /** The experiment to show beside the recording: the one shown last, if it is still there. */
  #lastOf(recording: string): string | undefined {
    const last = this.#last.get(recording);
    return this.rows.some(({ experiment }) => experiment === last) ? last : this.rows[0]?.experiment;
  }

  /** Makes edits, in a new experiment where the recording is shown. `agent` is whose call is looked at. */
  edit(
    edits: readonly Edit[],
    { agent, replacesLast = false }: { readonly agent?: string; readonly replacesLast?: boolean } = {},
  ): Promise<boolean> {
    const scoped = edits.map((edit) => forAgent(edit, this.scope === 'agent' ? agent : undefined));
    return this.#act(async () => {
      const session = this.#session.id ?? '';
      const isRecording = session === this.#session.recording;
      const { experiment } = isRecording
        ? await this.#host.invoke('experiment/create', { session, name: null })
        : { experiment: session };
      const made = await this.#host.invoke('experiment/edit', { experiment, edits: scoped, replacesLast });
      if (isRecording) this.#messages.announce(`Edits go to ${made.name}. The recording stays as it is`);
      return made;
    });
  }

  /** Makes the edits of a fix, and keeps what it promised. */
  apply(fix: FixRow | CacheFix): Promise<boolean> {
    return this.#act(async () => {
      const session = this.#session.id ?? '';
      const made = await this.#host.invoke('findings/apply', {
        session,
        title: fix.title,
        edits: [...fix.edits],
        promised: promiseOf(fix),
      });
      this.#messages.announce(`Applied: ${fix.title}`);
      return made;
    });
  }

  /** Lays the result of a run over what it went over. */
  applyRun(run: string): Promise<boolean> {
    return this.#act(async () => {
      const made = await this.#host.invoke('lab/apply', { run, name: null });
      this.#messages.announce(`Applied to ${made.name}. The recording stays as it is`);
      return made;
    });
  }

  /** Knows an experiment that was made elsewhere, before it is shown. */
  adopt(made: ExperimentDetail): void {
    this.#revision += 1;
    this.#session.learn([made]);
    this.#acted = made;
  }

  undo(): Promise<boolean> {
    const title = this.applied.at(-1)?.title ?? '';
    return this.#onCurrent(
      ({ edits }) => edits > 0,
      (experiment) => this.#host.invoke('experiment/undo', { experiment }),
      `Undone: ${title}`,
    );
  }

  redo(): Promise<boolean> {
    const title = this.edits.find(({ isUndone }) => isUndone)?.title ?? '';
    return this.#onCurrent(
      ({ undone }) => undone > 0,
      (experiment) => this.#host.invoke('experiment/redo', { experiment }),
      `Made again: ${title}`,
    );
  }

  create(): Promise<boolean> {
    return this.#act(() =>
      this.#host.invoke('experiment/create', { session: this.#session.recording, name: null }),
    );
  }

  duplicate(experiment: string): Promise<boolean> {
    return this.#act(() => this.#host.invoke('experiment/duplicate', { experiment, name: null }));
  }

  async rename(experiment: string, name: string): Promise<boolean> {
    return this.#act(async () => {
      const renamed = await this.#host.invoke('experiment/rename', { experiment, name });
      return experiment === this.#session.id ? renamed : undefined;
    });
  }

  remove(experiment: string): Promise<boolean> {
    return this.#act(async () => {
      const { title } = await this.#host.invoke('experiment/remove', { experiment });
      const { recording } = this.#session;
      if (experiment === this.#session.id) this.#location.go({ session: recording }, 'replace');
      if (this.#location.view.against === experiment) this.#location.go({ against: undefined }, 'replace');
      if (this.#last.get(recording) === experiment) this.#last.delete(recording);
      this.#messages.announce(`Removed ${title}`);
      return undefined;
    });
  }

  async #onCurrent(
    fits: (row: ExperimentRow) => boolean,
    act: (experiment: string) => Promise<ExperimentDetail>,
    announcement: string,
  ): Promise<boolean> {
    const { current } = this;
    if (current === undefined || !fits(current)) return false;
    return this.#act(async () => {
      const detail = await act(current.experiment);
      this.#messages.announce(announcement);
      return detail;
    });
  }

  /** One act after the other, so that quick keys come out in their order. False when it failed, which is reported. */
  #act(act: () => Promise<ExperimentDetail | undefined>): Promise<boolean> {
    this.#running += 1;
    this.#stay();
    const done = this.#queue.then(act).then(
      (detail) => {
        this.#take(detail);
        return true;
      },
      (thrown: unknown) => {
        this.#messages.report(thrown);
        return false;
      },
    );
    this.#queue = done.then(() => {
      this.#running -= 1;
    });
    return done;
  }

  /** Which call is the largest may change with an edit, but who looks at one stays with it. */
  #stay(): void {
    this.#location.go({ cursor: this.#session.cursor }, 'replace');
  }

  #take(detail: ExperimentDetail | undefined): void {
    this.#revision += 1;
    if (detail === undefined) return;
    this.#session.learn([detail]);
    this.#acted = detail;
    if (detail.experiment === this.#session.id) this.#session.edited();
    else this.#location.go({ session: detail.experiment });
  }
}
