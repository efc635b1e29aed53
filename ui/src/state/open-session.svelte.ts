import type { Basis, Bill, CallRange, ExperimentRow, SessionHeader } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { decodeColumns, largestCall, NO_COLUMNS, tallestColumn, type CallColumns } from '@/model/columns.ts';
import { drawnLimit, nearestLimit } from '@/model/fullness.ts';
import type { Extent } from '@/model/viewport.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Location } from './location.svelte.ts';

/** How often a session that is being compiled is asked for its numbers again. */
const REFRESH_MS = 500;

/** Where the services of an app keep what they hold; null for what lies beside the session. */
export interface Services {
  readonly artifacts: string | null;
  readonly memory: string | null;
}

export interface Totals {
  readonly calls: number;
  /** Absent until they are known. */
  readonly tokens: number | undefined;
  /** Of the tokens. */
  readonly basis: Basis;
  /** Of these, those that somebody paid for. */
  readonly paidTokens: number | undefined;
  readonly cached: number | undefined;
  readonly costUsd: number | undefined;
}

function totalsOf(calls: number, bill: Bill | undefined): Totals {
  return {
    calls,
    tokens: bill?.promptTokens,
    basis: bill?.basis ?? 'exact',
    paidTokens: bill === undefined ? undefined : bill.promptTokens - bill.unpaidTokens,
    cached: bill?.cachedTokens,
    costUsd: bill?.cost ?? undefined,
  };
}

/** The session the window shows: its numbers and the overview of its calls. */
export class OpenSession {
  readonly #host: Host;
  readonly #location: Location;
  readonly header: Loaded<SessionHeader>;
  readonly overview: Loaded<CallColumns>;
  readonly #rangeBill: Loaded<Bill>;
  /** Columns the strip has room for; set by the strip. */
  maxColumns = $state(0);
  /** Counts what changes numbers of the whole session: calls that were compiled meanwhile. */
  #revision = $state(0);
  /** Counts what compiles every call anew. */
  #appRevision = $state(0);
  #progress: { readonly session: string; readonly compiled: number } | undefined = $state.raw();
  #opened: string | undefined;
  /** What the newest header was asked about. */
  #described: string | undefined = $state();
  /** Experiments by their id, with the session each is laid over. */
  #recordings: ReadonlyMap<string, string> = $state.raw(new Map());
  #isRefreshDue = $state(false);
  readonly #loading: (() => boolean)[] = [];
  /** The header, but never that of another session; for a moment that of another experiment over the same one. */
  readonly info: SessionHeader | undefined = $derived.by(() => {
    const header = this.header.latest;
    return header !== undefined && this.#recordingOf(header.session) === this.recording ? header : undefined;
  });
  /** The context window that prompts have come nearest to. */
  readonly limit = $derived(nearestLimit(this.info?.agents ?? [], this.columns));

  constructor(host: Host, location: Location) {
    this.#host = host;
    this.#location = location;
    this.header = new Loaded(
      () => this.key,
      () => this.#fetchHeader(),
    );
    this.overview = new Loaded(
      () => (this.maxColumns > 0 && this.isOpen ? `${this.key ?? ''} ${String(this.maxColumns)}` : undefined),
      () => this.fetchColumns({ from: 1, to: this.calls }, this.maxColumns),
    );
    this.#rangeBill = new Loaded(
      () => this.#rangeKey(),
      () => host.invoke('call/bill', { session: this.id ?? '', ...(this.range ?? { from: 1, to: 1 }) }),
    );
    for (const loaded of [this.header, this.overview, this.#rangeBill])
      this.refreshAfter(() => loaded.isLoading);
  }

  get id(): string | undefined {
    return this.#location.view.session;
  }

  /** The recorded session under an experiment, or the session itself. */
  get recording(): string {
    return this.#recordings.get(this.id ?? '') ?? this.id ?? '';
  }

  /** The experiment that is shown, unless it is the session as it was recorded. */
  get experiment(): ExperimentRow | undefined {
    const { info } = this;
    return info?.session === this.id ? (info?.experiment ?? undefined) : undefined;
  }

  /**
   * Names the session and what is compiled of it: part of the key of everything that is asked about it. The recording
   * comes first, so that what is shown of one experiment stays, dimmed, until that of the next is there.
   */
  get key(): string | undefined {
    return this.id === undefined ? undefined : `${this.keyOfEdits}.${String(this.#revision)}`;
  }

  /** The same without what only is compiled later. */
  get keyOfEdits(): string {
    return `${this.recording} ${this.id ?? ''} ${String(this.#appRevision)}`;
  }

  /**
   * Names one call and how it was compiled. What other calls do meanwhile does not change it. Before it is compiled it
   * has none: to ask for it would only wait, and a browser lets few requests wait at a time.
   */
  keyOfCall(call: number): string | undefined {
    const isCompiled = this.isOpen && call > 0 && call <= this.#answeredCalls;
    return isCompiled ? `${this.keyOfEdits} ${String(call)}` : undefined;
  }

  /** Most calls of a recording and its experiments are the same, so a change from one to another is worth waiting for. */
  get #answeredCalls(): number {
    const { info } = this;
    const isRecordingKnown = info?.session === this.id && info?.experiment === null;
    return isRecordingKnown ? this.compiledCalls : this.calls;
  }

  /** New numbers are asked for when those that were asked for before are there. */
  refreshAfter(isLoading: () => boolean): void {
    this.#loading.push(isLoading);
  }

  get isOpen(): boolean {
    return this.info !== undefined;
  }

  get calls(): number {
    return this.info?.calls ?? 0;
  }

  get compiledCalls(): number {
    const compiled = this.info?.compiledCalls ?? 0;
    const progress = this.#progress;
    return progress?.session === this.id ? Math.max(progress?.compiled ?? 0, compiled) : compiled;
  }

  get isCompiling(): boolean {
    return this.isOpen && this.compiledCalls < this.calls;
  }

  /** Nothing was said to have changed since the header was asked for: its calls are all there are. */
  get isCurrent(): boolean {
    return this.#described === this.keyOfEdits;
  }

  /** Calls are being compiled, or numbers that they change were not asked for again. */
  get isChanging(): boolean {
    return this.isCompiling || (this.isOpen && this.#isRefreshDue);
  }

  /** What is counted of a prompt may be more than was reported of it, and all of it is drawn. */
  readonly #tallest: number = $derived(tallestColumn(this.columns));

  get extent(): Extent {
    const peakTokens = Math.max(this.info?.peakTokens ?? 0, this.#tallest, drawnLimit(this.limit) ?? 0);
    return { calls: this.calls, peakTokens };
  }

  get columns(): CallColumns {
    return this.isOpen ? (this.overview.latest ?? NO_COLUMNS) : NO_COLUMNS;
  }

  /** The call of the cursor; before one was chosen, the one with the largest prompt; 0 while that is not known. */
  get cursor(): number {
    const { cursor } = this.#location.view;
    if (this.calls === 0) return 0;
    if (cursor > 0) return Math.min(cursor, this.calls);
    if (this.columns.length > 0) return largestCall(this.columns);
    return this.overview.failure === undefined ? 0 : 1;
  }

  /** The innermost committed range. */
  get range(): CallRange | undefined {
    const range = this.#location.view.ranges.at(-1);
    return range === undefined ? undefined : { from: range.from, to: Math.min(range.to, this.calls) };
  }

  /** Totals of the range, or of the session. */
  get totals(): Totals {
    const { info, range } = this;
    if (range === undefined) return totalsOf(this.calls, info?.bill);
    return totalsOf(range.to - range.from + 1, this.#rangeBill.value);
  }

  async fetchColumns(range: CallRange, maxColumns: number): Promise<CallColumns> {
    const session = this.id ?? '';
    const bytes = await this.#host.invokeBytes('call/columns', { session, ...range, maxColumns });
    return decodeColumns(bytes, range.to);
  }

  /** Takes a notification about background compiling. Numbers follow twice a second, not with every call. */
  compiled(session: string, compiledCalls: number): void {
    if (session !== this.id) return;
    this.#progress = { session, compiled: compiledCalls };
    if (this.#isRefreshDue) return;
    this.#isRefreshDue = true;
    this.#refreshSoon();
  }

  #refreshSoon(): void {
    setTimeout(() => {
      if (this.#loading.some((isLoading) => isLoading())) return this.#refreshSoon();
      this.#isRefreshDue = false;
      this.#revision += 1;
    }, REFRESH_MS);
  }

  async setApp(path: string | null): Promise<void> {
    const session = this.id;
    if (session === undefined) return;
    await this.#host.invoke('session/setApp', { session, path });
    this.#progress = undefined;
    this.#appRevision += 1;
  }

  /** Compiles the recording with what its app's services hold; null goes by what lies beside it. */
  async setServices({ artifacts, memory }: Services): Promise<void> {
    await this.#host.invoke('session/setServices', { session: this.recording, artifacts, memory });
    this.edited();
  }

  /** Counts and prices the recording as if sent to a model, or again as of a model that nobody knows. */
  async setModel(model: string | null): Promise<void> {
    await this.#host.invoke('session/setModel', { session: this.recording, model });
    this.edited();
  }

  /** Remembers which session an experiment is laid over. */
  learn(experiments: readonly ExperimentRow[]): void {
    const known = this.#recordings;
    const fresh = experiments.filter(({ experiment }) => !known.has(experiment));
    if (fresh.length === 0) return;
    this.#recordings = new Map([
      ...known,
      ...fresh.map(({ experiment, session }) => [experiment, session] as const),
    ]);
  }

  /** The edits, or what is stored, of what is shown have changed: everything about it is asked for again. */
  edited(): void {
    this.#opened = undefined;
    this.#progress = undefined;
    this.#appRevision += 1;
  }

  #recordingOf(id: string): string {
    return this.#recordings.get(id) ?? id;
  }

  async #fetchHeader(): Promise<SessionHeader> {
    const session = this.id ?? '';
    const described = this.keyOfEdits;
    const isKnown = this.#opened === session;
    const header = await this.#host.invoke(isKnown ? 'session/header' : 'session/open', { session });
    this.#opened = session;
    if (!isKnown && header.experiment !== null) this.learn([header.experiment]);
    this.#described = described;
    return header;
  }

  #rangeKey(): string | undefined {
    const { range } = this;
    if (range === undefined || !this.isOpen) return undefined;
    return `${this.key ?? ''} ${String(range.from)}..${String(range.to)}`;
  }
}
