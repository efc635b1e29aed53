import type {
  EventRow,
  Job,
  LabLoss,
  LabReplay,
  LabRow,
  LabSweep,
  LabWindow,
  ModelList,
} from '@/api/gen/api.ts';
import { CommandFailure } from '@/api/client.ts';
import type { Host } from '@/host/host.ts';
import { asCurve, type Series } from '@/model/curves.ts';
import { familiesOf, heatMap, neighbour, NO_HEAT, placeOf, type HeatMap } from '@/model/heat.ts';
import { shownMetric, type Metric } from '@/model/lab-bill.ts';
import {
  adkSnippet,
  parseSettings,
  printSettings,
  settingsProblem,
  withPin,
  type LabSettings,
} from '@/model/lab-settings.ts';
import { usualGrid } from '@/model/lab-sweeps.ts';
import type { Jobs } from './jobs.svelte.ts';
import { LabRuns } from './lab-runs.svelte.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Location } from './location.svelte.ts';
import type { Messages } from './messages.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';

/** Facts and events of a window that are fetched; what is beyond is counted. */
const MOST_FACTS = 1000;
const MOST_EVENTS = 200;

/** Compaction tried out: a sweep, one configuration of it, and what its summaries keep. */
export class Lab {
  readonly #host: Host;
  readonly #location: Location;
  readonly #session: OpenSession;
  readonly #jobs: Jobs;
  readonly #messages: Messages;
  readonly runs: LabRuns;
  readonly sweep: Loaded<LabSweep>;
  readonly plan: Loaded<LabReplay>;
  readonly models: Loaded<ModelList>;
  readonly loss: Loaded<LabLoss>;
  readonly events: Loaded<readonly EventRow[]>;
  /** In place of google-adk's prompt; empty: that one. */
  prompt = $state('');
  /** Who writes summaries: `extractive`, or the name of an endpoint. */
  writer = $state('extractive');
  /** The endpoint's model; empty: its own. */
  model = $state('');
  #sweepJob: string | undefined = $state();

  constructor(host: Host, location: Location, session: OpenSession, jobs: Jobs, messages: Messages) {
    this.#host = host;
    this.#location = location;
    this.#session = session;
    this.#jobs = jobs;
    this.#messages = messages;
    this.runs = new LabRuns(host, jobs);
    this.sweep = new Loaded(
      () => this.#key('sweep', this.grid, this.summaryTokens ?? ''),
      () => this.#runSweep(),
    );
    this.plan = new Loaded(
      () => (this.problem === undefined ? this.#key('plan', this.config, this.prompt) : undefined),
      () =>
        host.invoke('lab/plan', {
          session: session.id ?? '',
          config: this.config,
          prompt: this.#promptOrNone,
          summaries: 'sized',
        }),
    );
    this.models = new Loaded(
      () => (location.view.view === 'lab' ? 'models' : undefined),
      () => host.invoke('model/list', { refresh: false }),
    );
    this.loss = new Loaded(
      () => (this.run?.replay ? `${session.id ?? ''} ${this.run.job} ${String(this.summary)}` : undefined),
      () =>
        host.invoke('lab/loss', {
          job: this.run?.job ?? '',
          window: this.summary - 1,
          offset: 0,
          limit: MOST_FACTS,
        }),
    );
    this.events = new Loaded(
      () => this.#key('events', this.window?.firstEvent ?? '', this.window?.lastEvent ?? ''),
      () => this.#fetchEvents(),
    );
  }

  get grid(): string {
    const { view } = this.#location;
    return view.grid === '' ? usualGrid(view.axes, this.#session.info?.peakTokens ?? 0) : view.grid;
  }

  /** The configuration that is looked at, as text. */
  get config(): string {
    const { config } = this.#location.view;
    return config === '' ? (this.#usualRow?.config ?? '') : config;
  }

  get settings(): LabSettings {
    return parseSettings(this.config);
  }

  /** Why the configuration cannot be replayed. */
  get problem(): string | undefined {
    return settingsProblem(this.settings);
  }

  get summaryTokens(): number | null {
    const text = parseSettings(this.#location.view.config).numbers.summary_tokens ?? '';
    return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : null;
  }

  get metric(): Metric {
    return shownMetric(this.#location.view.metric, this.sweep.latest?.unchanged);
  }

  readonly heat: HeatMap = $derived.by(() => this.#makeHeat());

  /** The place of the chosen configuration among the cells. */
  get chosenPlace(): number | undefined {
    return placeOf(this.heat, this.chosenRow);
  }

  /** The chosen configuration among the rows of the sweep. */
  get chosenRow(): number | undefined {
    const rows = this.sweep.latest?.rows ?? [];
    const place = rows.findIndex(({ config }) => isSame(config, this.config));
    return place < 0 ? undefined : place;
  }

  /** The sweep's job while it goes on. */
  get sweepJob(): Job | undefined {
    return this.#jobs.running.find(({ job }) => job === this.#sweepJob);
  }

  /** The newest run of this configuration with this prompt. */
  get run(): ReturnType<LabRuns['of']> {
    return this.runs.of(this.#runKey);
  }

  get isRunning(): boolean {
    return this.runs.isRunning(this.#runKey);
  }

  get canRun(): boolean {
    return this.problem === undefined && !this.isRunning && this.#isReady;
  }

  /** What the configuration does: as it was run, else as it is planned. */
  get replay(): LabReplay | undefined {
    return this.run?.replay ?? this.plan.latest;
  }

  /** The summary that is looked at, from 1. */
  get summary(): number {
    return Math.max(1, Math.min(this.#location.view.summary, this.replay?.windows.length ?? 1));
  }

  get window(): LabWindow | undefined {
    return this.replay?.windows[this.summary - 1];
  }

  get snippet(): string | undefined {
    return this.problem === undefined ? adkSnippet(this.config, this.prompt) : undefined;
  }

  readonly series: readonly Series[] = $derived.by(() => this.#makeSeries());

  /** Calls that first see a summary. */
  get marks(): readonly number[] {
    return (this.replay?.windows ?? []).flatMap(({ atCall, blocked }) =>
      atCall === null || blocked !== null ? [] : [atCall],
    );
  }

  choose(config: string): void {
    this.#location.go({ config: this.#withKept(config), summary: 1, selection: undefined }, 'walk');
    this.#messages.announce(config);
  }

  chooseRow(row: number | undefined): void {
    const found = row === undefined ? undefined : this.sweep.latest?.rows[row];
    if (found !== undefined) this.choose(found.config);
  }

  chooseRecommended(): void {
    this.chooseRow(this.sweep.latest?.recommended ?? undefined);
  }

  /** Changes the configuration by hand. */
  edit(settings: LabSettings): void {
    this.#location.go({ config: printSettings(settings), summary: 1 }, 'walk');
  }

  togglePin(event: number): void {
    this.edit(withPin(this.settings, event));
  }

  /** To another row of the sweep. */
  move(delta: number): void {
    const rows = this.sweep.latest?.rows ?? [];
    const next = this.chosenRow === undefined ? 0 : this.chosenRow + delta;
    this.chooseRow(Math.min(rows.length - 1, Math.max(0, next)));
  }

  /** To the next cell of the map in a direction. */
  moveCell(dx: number, dy: number): void {
    const place = this.chosenPlace;
    const next =
      place === undefined ? this.heat.cells.findIndex(Boolean) : neighbour(this.heat, place, dx, dy);
    if (next !== undefined) this.chooseRow(this.heat.cells[next]?.row);
  }

  moveSummary(delta: number): void {
    const most = this.replay?.windows.length ?? 0;
    const summary = Math.min(most, Math.max(1, this.summary + delta));
    if (most > 0) this.#location.go({ summary, selection: undefined }, 'replace');
  }

  start(): void {
    if (!this.canRun) return;
    const params = {
      session: this.#session.id ?? '',
      config: this.config,
      prompt: this.#promptOrNone,
      writer: this.writer,
      model: this.writer === 'extractive' || this.model === '' ? null : this.model,
    };
    this.runs.start(this.#runKey, params).catch(this.#messages.report);
  }

  stop(): void {
    this.runs.stop(this.#runKey).catch(this.#messages.report);
  }

  copy(): void {
    const { snippet } = this;
    if (snippet === undefined) return;
    navigator.clipboard
      .writeText(snippet)
      .then(() => this.#messages.announce('Copied the configuration for google-adk'))
      .catch(this.#messages.report);
  }

  /** A summary that was set and pins outlive a walk through the sweep. */
  #withKept(config: string): string {
    const { numbers, model, pins } = parseSettings(this.#location.view.config);
    const chosen = parseSettings(config);
    const size = numbers.summary_tokens;
    return printSettings({
      ...chosen,
      numbers: { ...chosen.numbers, ...(size === undefined ? {} : { summary_tokens: size }) },
      model: chosen.model === '' ? model : chosen.model,
      pins: chosen.pins.length > 0 ? chosen.pins : pins,
    });
  }

  /** What is looked at before anything was chosen. */
  get #usualRow(): LabRow | undefined {
    const sweep = this.sweep.latest;
    return sweep?.rows[sweep.recommended ?? sweep.front[0] ?? 0];
  }

  get #promptOrNone(): string | null {
    return this.prompt.trim() === '' ? null : this.prompt;
  }

  get #runKey(): string {
    return `${this.#session.id ?? ''} ${this.config} ${this.prompt}`;
  }

  get #isReady(): boolean {
    const { isOpen, isCompiling, calls } = this.#session;
    return isOpen && !isCompiling && calls > 0 && this.#location.view.view === 'lab';
  }

  #key(...parts: readonly (string | number)[]): string | undefined {
    return this.#isReady ? [this.#session.key, ...parts].join(' ') : undefined;
  }

  async #runSweep(): Promise<LabSweep> {
    const { grid } = this;
    const session = this.#session.id ?? '';
    if (this.sweepJob !== undefined) await this.#jobs.cancel(this.sweepJob.job);
    const { job } = await this.#host.invoke('lab/sweep', {
      session,
      grid,
      summaryTokens: this.summaryTokens,
    });
    this.#sweepJob = job;
    const ended = await this.#jobs.whenEnded(job);
    const sweep = await this.#host.invoke('lab/sweepResult', { job });
    if (sweep === null) {
      const message = ended.outcome ?? 'The sweep gave no result. Start it again.';
      throw new CommandFailure({ code: 'badInput', message, detail: null });
    }
    return sweep;
  }

  #makeHeat(): HeatMap {
    const sweep = this.sweep.latest;
    const family = sweep === undefined ? undefined : familiesOf(sweep)[0];
    return sweep === undefined || family === undefined ? NO_HEAT : heatMap(sweep, this.metric, family);
  }

  #makeSeries(): readonly Series[] {
    const { replay } = this;
    const { curve } = this.#location.view;
    const unchanged = replay?.unchangedTokens ?? this.sweep.latest?.unchangedTokens;
    if (unchanged === undefined) return [];
    const none = { role: 'none', name: 'no compaction', values: asCurve(unchanged, curve) } as const;
    if (replay === undefined) return [none];
    return [
      none,
      { role: 'recorded', name: 'as recorded', values: asCurve(replay.recordedTokens, curve) },
      { role: 'chosen', name: 'this configuration', values: asCurve(replay.promptTokens, curve) },
    ];
  }

  async #fetchEvents(): Promise<readonly EventRow[]> {
    const { window } = this;
    if (window === undefined) return [];
    const first = Number(window.firstEvent.slice(1));
    const last = Number(window.lastEvent.slice(1));
    const page = await this.#host.invoke('event/page', {
      session: this.#session.id ?? '',
      order: 'inOrder',
      filter: '',
      offset: first - 1,
      limit: Math.min(MOST_EVENTS, last - first + 1),
    });
    return page.rows;
  }
}

/** Whether two configurations make compactions due alike; size, model and pins aside. */
function isSame(first: string, second: string): boolean {
  const trigger = (text: string): string => {
    const settings = parseSettings(text);
    const numbers = { ...settings.numbers, summary_tokens: '' };
    return printSettings({ ...settings, numbers, model: '', pins: [] });
  };
  return first === second || trigger(first) === trigger(second);
}
