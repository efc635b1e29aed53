import { untrack } from 'svelte';
import type { Job, LabEstimate, LabRun, LabRunList, LabRunRow } from '@/api/gen/api.ts';
import type { Params } from '@/api/client.ts';
import type { Host } from '@/host/host.ts';
import type { Experiments } from './experiments.svelte.ts';
import type { Jobs } from './jobs.svelte.ts';
import type { LabChoice } from './lab-choice.svelte.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Messages } from './messages.svelte.ts';
import type { ModelServers } from './model-servers.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';
import type { Panels } from './panels.svelte.ts';

/** How often a run is asked for what it wrote. */
const LOOK_MS = 200;

const EXTRACTIVE = 'extractive';

interface Parts {
  readonly session: OpenSession;
  readonly jobs: Jobs;
  readonly panels: Panels;
  readonly experiments: Experiments;
  readonly messages: Messages;
  readonly servers: ModelServers;
}

/** Runs of configurations: who writes them, what that would cost, those that were stored, and what is made of one. */
export class LabRuns {
  readonly #host: Host;
  readonly #choice: LabChoice;
  readonly #parts: Parts;
  readonly list: Loaded<LabRunList>;
  /** What a run would take, while a person is asked. */
  readonly estimate: Loaded<LabEstimate>;
  readonly #stored: Loaded<LabRun>;
  /** Who is to write summaries, once somebody has chosen. */
  #chosenWriter: { readonly writer: string; readonly model: string } | undefined = $state.raw();
  /** Runs that this window follows, the newest of each configuration and writer. */
  #runs: ReadonlyMap<string, LabRun> = $state.raw(new Map());
  #running: ReadonlySet<string> = $state.raw(new Set());
  /** Ids of runs that are followed. */
  readonly #followed = new Set<string>();
  /** Counts what changes the list. */
  #revision = $state(0);

  constructor(host: Host, choice: LabChoice, parts: Parts) {
    this.#host = host;
    this.#choice = choice;
    this.#parts = parts;
    const { session, panels } = parts;
    this.list = new Loaded(
      () => (choice.isReady ? `${session.recording} runs ${String(this.#revision)}` : undefined),
      () => host.invoke('lab/runs', { session: session.recording }),
    );
    this.estimate = new Loaded(
      () =>
        panels.dialog === 'run' && this.isLive
          ? choice.key('estimate', this.writer, this.askedModel ?? '', choice.config, choice.prompt)
          : undefined,
      () => host.invoke('lab/estimate', this.#params),
    );
    // A run goes on when the page is loaded again, and is followed again.
    $effect(() => {
      const { rows } = this;
      untrack(() => this.#followAll(rows));
    });
    this.#stored = new Loaded(
      () => {
        const row = this.#runs.has(this.#key)
          ? undefined
          : this.rows.find((stored) => this.#isChosen(stored));
        return row === undefined || row.state === 'running'
          ? undefined
          : `${row.session} ${row.run} ${row.state}`;
      },
      () => host.invoke('lab/runResult', { run: this.rows.find((row) => this.#isChosen(row))?.run ?? '' }),
    );
  }

  /** Runs over the recording and its experiments, the newest first. */
  get rows(): readonly LabRunRow[] {
    return this.list.latest?.rows ?? [];
  }

  /** Who writes summaries: `extractive`, or the name of an endpoint. Before anybody has chosen, as the newest run did. */
  get writer(): string {
    return this.#chosenWriter?.writer ?? this.#newest?.writer ?? EXTRACTIVE;
  }

  /** The endpoint's model; empty: the usual one. */
  get model(): string {
    if (this.#chosenWriter !== undefined) return this.#chosenWriter.model;
    const model = this.#newest?.model ?? '';
    return model === this.usualModel ? '' : model;
  }

  chooseWriter(writer: string, model: string): void {
    this.#chosenWriter = { writer, model };
  }

  /** The model that is asked where none is chosen: of the configuration, else the server's own. */
  get usualModel(): string | undefined {
    const configured = this.#choice.settings.model;
    if (configured !== '') return configured;
    const row = this.#parts.servers.rows.find(({ endpoint }) => endpoint.name === this.writer);
    return row?.ownModel ?? undefined;
  }

  /** The model that is asked; nothing where google-adk says which, or where none is. */
  get askedModel(): string | undefined {
    if (!this.isLive) return undefined;
    return this.model === '' ? this.usualModel : this.model;
  }

  /** The newest run of the configuration, whoever wrote it. */
  get #newest(): LabRunRow | undefined {
    const { id } = this.#parts.session;
    return this.rows.find(
      ({ session, config, prompt }) =>
        session === id &&
        config === this.#choice.config &&
        (prompt ?? '').trim() === this.#choice.prompt.trim(),
    );
  }

  /** The newest run of the chosen configuration with the chosen prompt, by the chosen writer. */
  get run(): LabRun | undefined {
    return this.#runs.get(this.#key) ?? this.#stored.value;
  }

  get isRunning(): boolean {
    return this.#running.has(this.#key);
  }

  /** A model would be asked, which may cost money. */
  get isLive(): boolean {
    return this.writer !== EXTRACTIVE;
  }

  get canRun(): boolean {
    return this.#choice.problem === undefined && !this.isRunning && this.#choice.isReady;
  }

  get canApply(): boolean {
    return this.run?.state === 'done' && !this.isRunning;
  }

  /** How far the run is. */
  get job(): Job | undefined {
    const job = this.run?.job;
    return this.#parts.jobs.running.find((running) => running.job === job);
  }

  /** Configurations of a session that were run to the end. */
  get ended(): readonly string[] {
    const { id } = this.#parts.session;
    return this.rows.flatMap(({ session, state, config }) =>
      session === id && state === 'done' ? [config] : [],
    );
  }

  /** Starts a run; where a model is asked, a person is shown the price first. */
  start(): void {
    if (!this.canRun) return;
    if (this.isLive) this.#parts.panels.dialog = 'run';
    else this.confirm();
  }

  confirm(): void {
    this.#parts.panels.dialog = undefined;
    this.#follow(this.#key, () => this.#host.invoke('lab/run', this.#params)).catch(
      this.#parts.messages.report,
    );
  }

  stop(): void {
    const job = this.#runs.get(this.#key)?.job;
    if (job !== undefined) this.#parts.jobs.cancel(job).catch(this.#parts.messages.report);
  }

  /** Shows the configuration of a stored run with its result; to run it again asks whom it asked. */
  show(row: Pick<LabRunRow, 'prompt' | 'writer' | 'model' | 'config'>): void {
    // A batch has runs that the list may not have yet.
    this.#revision += 1;
    this.#choice.prompt = row.prompt ?? '';
    this.chooseWriter(row.writer, row.model ?? '');
    this.#choice.choose(row.config);
  }

  /** Goes on with a run that was stopped or failed. */
  resume(row: LabRunRow): void {
    this.show(row);
    if (this.#followed.has(row.run)) return;
    this.#followed.add(row.run);
    this.#follow(keyOfRow(row), () => this.#host.invoke('lab/resume', { run: row.run })).catch(
      this.#parts.messages.report,
    );
  }

  forget(row: LabRunRow): void {
    this.#host
      .invoke('lab/forgetRun', { run: row.run })
      .then(() => {
        this.#runs = new Map([...this.#runs].filter(([, { run }]) => run !== row.run));
        this.#revision += 1;
        this.#parts.messages.announce('Removed the run. What was paid for is not paid for again');
      })
      .catch(this.#parts.messages.report);
  }

  /** Lays the summaries over the session, as an experiment that every view then goes by. */
  apply(): void {
    const { run } = this;
    if (run !== undefined && this.canApply) void this.#parts.experiments.applyRun(run.run);
  }

  get #key(): string {
    return keyOf(this.#parts.session.id ?? '', this.#choice.config, this.#choice.prompt, {
      writer: this.writer,
      model: this.askedModel ?? '',
    });
  }

  #isChosen(row: LabRunRow): boolean {
    return keyOfRow(row) === this.#key;
  }

  get #params(): Params<'lab/run'> {
    return {
      session: this.#parts.session.id ?? '',
      config: this.#choice.config,
      prompt: this.#choice.promptOrNone,
      writer: this.writer,
      model: this.askedModel ?? null,
    };
  }

  /** Follows a run to its end. */
  async #follow(
    key: string,
    start: () => Promise<{ readonly job: string; readonly run?: string }>,
  ): Promise<void> {
    let run = '';
    try {
      const started = await start();
      const { job } = started;
      this.#running = new Set([...this.#running, key]);
      run = await this.#look(key, started.run ?? job);
      this.#followed.add(run);
      // The list has it as running from now on.
      this.#revision += 1;
      let isOver = false;
      const ended = this.#parts.jobs.whenEnded(job).then(() => {
        isOver = true;
      });
      // A run of a batch ends before its job does.
      while (!isOver && this.#runs.get(key)?.state === 'running') {
        await this.#look(key, run);
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, LOOK_MS))]);
      }
      await this.#look(key, run);
    } finally {
      this.#followed.delete(run);
      this.#running = new Set([...this.#running].filter((other) => other !== key));
      this.#revision += 1;
    }
  }

  /** Follows runs of the list that go on and that nobody here follows. */
  #followAll(rows: readonly LabRunRow[]): void {
    for (const row of rows) {
      if (row.state !== 'running' || this.#followed.has(row.run)) continue;
      this.#followed.add(row.run);
      const isGoingOn = async (): Promise<void> => {
        const { job, state } = await this.#host.invoke('lab/runResult', { run: row.run });
        if (job !== '' && state === 'running')
          await this.#follow(keyOfRow(row), () => Promise.resolve({ job, run: row.run }));
        else {
          this.#followed.delete(row.run);
          this.#revision += 1;
        }
      };
      isGoingOn().catch(this.#parts.messages.report);
    }
  }

  /** Takes what a run gave so far. Returns its id. */
  async #look(key: string, id: string): Promise<string> {
    const run = await this.#host.invoke('lab/runResult', { run: id });
    this.#runs = new Map([...this.#runs, [key, run]]);
    return run.run;
  }
}

/** A run is known by what it goes over, what it asks for, and whom. */
function keyOf(
  session: string,
  config: string,
  prompt: string,
  { writer, model }: { readonly writer: string; readonly model: string },
): string {
  return JSON.stringify([session, config, prompt.trim(), writer, model]);
}

function keyOfRow({ session, config, prompt, writer, model }: LabRunRow): string {
  return keyOf(session, config, prompt ?? '', { writer, model: model ?? '' });
}
