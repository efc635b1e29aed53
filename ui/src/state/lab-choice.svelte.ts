import type { Job, LabRow, LabSweep } from '@/api/gen/api.ts';
import { CommandFailure } from '@/api/client.ts';
import type { Host } from '@/host/host.ts';
import { familiesOf, heatMap, neighbour, NO_HEAT, placeOf, type HeatMap } from '@/model/heat.ts';
import { shownMetric, type Metric } from '@/model/lab-bill.ts';
import { recommendedRow, withRows } from '@/model/lab-rows.ts';
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
import { Loaded } from './loaded.svelte.ts';
import type { Location } from './location.svelte.ts';
import type { Messages } from './messages.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';

/** A sweep of more calls takes a while, so that it begins when somebody asks for it. */
const SWEPT_UNASKED = 1_000;
/** How often a sweep is asked for rows that came. */
const LOOK_MS = 200;

/** The configuration that is looked at, and the sweep it is chosen from. */
export class LabChoice {
  readonly #host: Host;
  readonly #location: Location;
  readonly #session: OpenSession;
  readonly #jobs: Jobs;
  readonly #messages: Messages;
  readonly sweep: Loaded<LabSweep>;
  /** In place of google-adk's prompt; empty: that one. */
  prompt = $state('');
  #sweepJob: string | undefined = $state();
  /** Rows that came, and the sweep they are of. */
  #came: { readonly key: string; readonly sweep: LabSweep } | undefined = $state.raw();
  /** The sweep that somebody asked for last, and the one that somebody stopped. */
  #asked: string | undefined = $state();
  #stopped: string | undefined = $state();

  constructor(host: Host, location: Location, session: OpenSession, jobs: Jobs, messages: Messages) {
    this.#host = host;
    this.#location = location;
    this.#session = session;
    this.#jobs = jobs;
    this.#messages = messages;
    this.sweep = new Loaded(
      () => (this.isSweepUnasked ? undefined : this.#sweepKey),
      () => this.#runSweep(),
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

  get promptOrNone(): string | null {
    return this.prompt.trim() === '' ? null : this.prompt;
  }

  get summaryTokens(): number | null {
    const text = parseSettings(this.#location.view.config).numbers.summary_tokens ?? '';
    return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : null;
  }

  get metric(): Metric {
    return shownMetric(this.#location.view.metric, this.swept?.recorded);
  }

  /** The sweep in view, as far as it is: rows come while it goes on, and those of one that was stopped stay. */
  get swept(): LabSweep | undefined {
    const came = this.#came?.key === this.#sweepKey ? this.#came?.sweep : undefined;
    return this.sweep.value ?? came ?? this.sweep.latest;
  }

  /** What is in view is another sweep than the one that goes on. */
  get isSweepOld(): boolean {
    return this.sweep.isLoading && this.#came?.key !== this.#sweepKey;
  }

  readonly heat: HeatMap = $derived.by(() => this.#makeHeat());

  /** The place of the chosen configuration among the cells. */
  get chosenPlace(): number | undefined {
    return placeOf(this.heat, this.chosenRow);
  }

  /** The chosen configuration among the rows of the sweep. */
  get chosenRow(): number | undefined {
    const rows = this.swept?.rows ?? [];
    const place = rows.findIndex(({ config }) => isSame(config, this.config));
    return place < 0 ? undefined : place;
  }

  /** The sweep's job while it goes on. */
  get sweepJob(): Job | undefined {
    return this.#jobs.running.find(({ job }) => job === this.#sweepJob);
  }

  /** The sweep in view waits for somebody to ask for it. */
  get isSweepUnasked(): boolean {
    const key = this.#sweepKey;
    if (key === undefined || key === this.#asked) return false;
    return this.#session.calls > SWEPT_UNASKED || key === this.#stopped;
  }

  startSweep(): void {
    this.#stopped = undefined;
    this.#asked = this.#sweepKey;
  }

  stopSweep(): void {
    const { sweepJob } = this;
    this.#leaveSweep();
    if (sweepJob !== undefined) this.#jobs.cancel(sweepJob.job).catch(this.#messages.report);
  }

  /** The configuration in google-adk's terms. */
  get snippet(): string | undefined {
    return this.problem === undefined ? adkSnippet(this.config, this.prompt) : undefined;
  }

  /** Whether the session's calls are all there to be replayed, and the Lab is looked at. */
  get isReady(): boolean {
    const { isOpen, isCompiling, calls } = this.#session;
    return isOpen && !isCompiling && calls > 0 && this.#location.view.view === 'lab';
  }

  /** The key of something that depends on the session, once it is ready: all its calls are compiled then. */
  key(...parts: readonly (string | number)[]): string | undefined {
    const { keyOfEdits, calls } = this.#session;
    return this.isReady ? [keyOfEdits, calls, ...parts].join(' ') : undefined;
  }

  choose(config: string): void {
    this.#location.go({ config: this.#withKept(config), summary: 1, selection: undefined }, 'walk');
    this.#messages.announce(config);
  }

  chooseRow(row: number | undefined): void {
    const found = row === undefined ? undefined : this.swept?.rows[row];
    if (found !== undefined) this.choose(found.config);
  }

  chooseRecommended(): void {
    const best = recommendedRow(this.swept);
    if (best !== undefined) this.choose(best.config);
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
    const rows = this.swept?.rows ?? [];
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
    const sweep = this.swept;
    if (sweep?.isEnded !== true) return undefined;
    return recommendedRow(sweep) ?? sweep.rows.find(({ place }) => place === sweep.front[0]) ?? sweep.rows[0];
  }

  get #sweepKey(): string | undefined {
    return this.key('sweep', this.grid, this.summaryTokens ?? '');
  }

  #leaveSweep(): void {
    this.#stopped = this.#sweepKey;
    this.#asked = undefined;
  }

  async #runSweep(): Promise<LabSweep> {
    const { grid, summaryTokens } = this;
    const key = this.#sweepKey ?? '';
    const session = this.#session.id ?? '';
    if (this.sweepJob !== undefined) await this.#jobs.cancel(this.sweepJob.job);
    const { job } = await this.#host.invoke('lab/sweep', { session, grid, summaryTokens });
    this.#sweepJob = job;
    const end = this.#jobs.whenEnded(job);
    const sweep = await this.#takeRows(job, key, end);
    const ended = await end;
    // Also when it was cancelled among the jobs: it waits to be asked for again.
    if (ended.state === 'cancelled' && this.#sweepJob === job && this.#sweepKey === key) this.#leaveSweep();
    if (sweep === undefined) {
      const message = ended.outcome ?? 'The sweep gave no result. Start it again.';
      throw new CommandFailure({ code: 'badInput', message, detail: null });
    }
    return sweep;
  }

  /** Takes the rows of a sweep as they come. Nothing when there is none at its end. */
  async #takeRows(job: string, key: string, end: Promise<Job>): Promise<LabSweep | undefined> {
    const far: { sweep: LabSweep | undefined; isOver: boolean } = { sweep: undefined, isOver: false };
    const over = end.then(() => {
      far.isOver = true;
    });
    for (;;) {
      const isLast = far.isOver;
      const from = far.sweep?.rows.length ?? 0;
      const came =
        far.sweep?.isEnded === true ? null : await this.#host.invoke('lab/sweepResult', { job, from });
      if (came !== null) far.sweep = withRows(far.sweep, came);
      if (far.sweep !== undefined && this.#sweepJob === job) this.#came = { key, sweep: far.sweep };
      if (isLast) return far.sweep;
      await Promise.race([over, new Promise((resolve) => setTimeout(resolve, LOOK_MS))]);
    }
  }

  #makeHeat(): HeatMap {
    const sweep = this.swept;
    const family = sweep === undefined ? undefined : familiesOf(sweep)[0];
    return sweep === undefined || family === undefined ? NO_HEAT : heatMap(sweep, this.metric, family);
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
