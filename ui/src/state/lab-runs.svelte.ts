import type { Job, LabRun } from '@/api/gen/api.ts';
import type { Params } from '@/api/client.ts';
import type { Host } from '@/host/host.ts';
import type { Jobs } from './jobs.svelte.ts';

/** How often a run is asked for what it wrote. */
const LOOK_MS = 200;

/** Runs of this window, the newest of each configuration. */
export class LabRuns {
  readonly #host: Host;
  readonly #jobs: Jobs;
  #runs: ReadonlyMap<string, LabRun> = $state.raw(new Map());
  #running: ReadonlySet<string> = $state.raw(new Set());

  constructor(host: Host, jobs: Jobs) {
    this.#host = host;
    this.#jobs = jobs;
  }

  of(key: string): LabRun | undefined {
    return this.#runs.get(key);
  }

  isRunning(key: string): boolean {
    return this.#running.has(key);
  }

  /** How far a run is. */
  job(key: string): Job | undefined {
    const run = this.of(key);
    return this.#jobs.running.find(({ job }) => job === run?.job);
  }

  /** Configurations of a session that were run to the end. */
  ended(session: string): readonly string[] {
    return [...this.#runs.values()].flatMap(({ replay }, i) => {
      const isOfSession = [...this.#runs.keys()][i]?.startsWith(`${session} `) === true;
      return isOfSession && replay !== null ? [replay.config] : [];
    });
  }

  /** Starts a run and follows it to its end. */
  async start(key: string, params: Params<'lab/run'>): Promise<void> {
    const { job } = await this.#host.invoke('lab/run', params);
    this.#running = new Set([...this.#running, key]);
    let isOver = false;
    const ended = this.#jobs.whenEnded(job).then(() => {
      isOver = true;
    });
    try {
      while (!isOver) {
        await this.#look(key, job);
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, LOOK_MS))]);
      }
      await this.#look(key, job);
    } finally {
      this.#running = new Set([...this.#running].filter((other) => other !== key));
    }
  }

  async stop(key: string): Promise<void> {
    const run = this.of(key);
    if (run !== undefined) await this.#jobs.cancel(run.job);
  }

  async #look(key: string, job: string): Promise<void> {
    const run = await this.#host.invoke('lab/runResult', { job });
    this.#runs = new Map([...this.#runs, [key, run]]);
  }
}
