import type { JsonCommand, Params, Result } from '@/api/client.ts';
import { CommandFailure } from '@/api/client.ts';
import type {
  Job,
  LabReplay,
  LabRun,
  LabSweep,
  ModelList,
  Notification,
  ReplayAnswer,
} from '@/api/gen/api.ts';
import { notFound } from './failures.ts';
import { lossOf, replayOf, runOf, sweepOf } from './lab.ts';
import { newJob, type FakeStore } from './store.ts';

type LabCommand = Extract<JsonCommand, `lab/${string}` | `model/${string}` | `call/replay${string}`>;
type Answers = { readonly [N in LabCommand]: (params: Params<N>) => Result<N> };

const TICK_MS = 60;

const MODELS: ModelList = {
  endpoints: [
    {
      endpoint: {
        name: 'local',
        api: 'chatCompletions',
        baseUrl: 'http://127.0.0.1:11434/v1',
        model: 'qwen2.5-7b',
        headers: [],
        keyVariable: null,
      },
      origin: 'local',
      hasKey: false,
      keyFrom: null,
      isReachable: true,
      problem: null,
      models: ['qwen2.5-7b', 'gemma3-4b'],
    },
  ],
  keys: 'Keys are kept in memory until the window is closed.',
};

const RECORDED = '-> read_file {"path":"src/billing/invoice.py"}';
const ANSWER = '-> search_logs {"query":"decimal"}';

/** Sweeps and runs of the Lab, as jobs that take a moment. */
export class FakeLab {
  readonly #store: FakeStore;
  readonly #jobs: Map<string, Job>;
  readonly #notify: (notification: Notification) => void;
  readonly #sweeps = new Map<string, LabSweep>();
  readonly #runs = new Map<string, LabRun>();
  readonly #answers = new Map<string, ReplayAnswer>();

  constructor(store: FakeStore, jobs: Map<string, Job>, notify: (notification: Notification) => void) {
    this.#store = store;
    this.#jobs = jobs;
    this.#notify = notify;
  }

  readonly answers: Answers = {
    'lab/plan': ({ session, config, summaries }) =>
      replayOf(this.#store.session(session), config, summaries === 'extractive'),
    'lab/sweep': ({ session, grid }) => {
      if (!/^\w+=/.test(grid))
        throw new CommandFailure({ code: 'badInput', message: `“${grid}” is no grid.`, detail: null });
      const sweep = sweepOf(this.#store.session(session), grid);
      const job = this.#start(`Sweeping ${String(sweep.rows.length)} configurations`, sweep.rows.length);
      this.#run(job, 8, sweep.reason, () => this.#sweeps.set(job, sweep));
      return { job };
    },
    'lab/sweepResult': ({ job }) => this.#sweeps.get(job) ?? null,
    'lab/run': ({ session, config, writer }) => {
      const replay = replayOf(this.#store.session(session), config, true);
      const job = this.#start(`Compacting with ${config}`, replay.windows.length);
      this.#show(job, writer, replay, 0);
      this.#run(job, 1, 'All summaries written.', (done) => this.#show(job, writer, replay, done));
      return { job };
    },
    'lab/runResult': ({ job }) => this.#known(this.#runs.get(job)),
    'lab/loss': ({ window }) => lossOf(window),
    'call/replayPreview': ({ session, call, endpoint, model }) => ({
      endpoint,
      model: model ?? 'qwen2.5-7b',
      target: 'POST http://127.0.0.1:11434/v1/chat/completions',
      body: JSON.stringify(
        { model: model ?? 'qwen2.5-7b', messages: [{ role: 'user', content: '…' }] },
        null,
        2,
      ),
      bytes: 4200,
      predictedTokens: this.#tokens(session, call),
      predictedCachedTokens: 0,
      estimatedCostUsd: null,
      recorded: RECORDED,
    }),
    'call/replay': ({ session, call }) => {
      const job = this.#start(`Sending C${String(call)} again`, 3);
      const predicted = this.#tokens(session, call);
      this.#answers.set(job, answerOf(job, predicted, false));
      this.#run(job, 1, 'Answered.', (done) => this.#answers.set(job, answerOf(job, predicted, done === 3)));
      return { job };
    },
    'call/replayResult': ({ job }) => this.#known(this.#answers.get(job)),
    'model/list': () => MODELS,
    'model/save': () => MODELS,
    'model/forget': () => MODELS,
    'model/setKey': () => MODELS,
    'model/test': () => ({
      isOk: true,
      message: 'qwen2.5-7b answered.',
      model: 'qwen2.5-7b',
      milliseconds: 120,
      inputTokens: 12,
      outputTokens: 1,
    }),
  };

  #tokens(session: string, call: number): number {
    return this.#store.session(session).calls[call - 1]?.tokens ?? 0;
  }

  #known<T>(found: T | undefined): T {
    if (found === undefined) throw notFound('This is no longer known.');
    return found;
  }

  #show(job: string, writer: string, replay: LabReplay, done: number): void {
    this.#runs.set(job, runOf(job, writer, replay, done));
  }

  #start(title: string, total: number): string {
    const job = newJob(`job-${String(this.#jobs.size + 1)}`, title, total, 'configurations');
    this.#jobs.set(job.job, job);
    return job.job;
  }

  /** Goes on by some units a tick until all are done or the job was stopped. */
  #run(id: string, step: number, outcome: string, onDone: (done: number) => void): void {
    const tick = (): void => {
      const job = this.#jobs.get(id);
      if (job?.state !== 'running') return;
      const done = Math.min(job.total, job.done + step);
      const isDone = done === job.total;
      onDone(done);
      const next: Job = {
        ...job,
        done,
        state: isDone ? 'done' : 'running',
        outcome: isDone ? outcome : null,
      };
      this.#jobs.set(id, next);
      this.#notify({ type: 'job', job: next });
      if (!isDone) setTimeout(tick, TICK_MS);
    };
    setTimeout(tick, TICK_MS);
  }
}

function answerOf(job: string, predictedTokens: number, isEnded: boolean): ReplayAnswer {
  return {
    job,
    isEnded,
    answer: isEnded ? ANSWER : ANSWER.slice(0, 12),
    recorded: RECORDED,
    finish: isEnded ? 'STOP' : null,
    predictedTokens,
    reportedTokens: isEnded ? predictedTokens + 12 : null,
    predictedCachedTokens: 0,
    reportedCachedTokens: isEnded ? 0 : null,
    outputTokens: isEnded ? 21 : null,
    costUsd: null,
    failure: null,
  };
}
