import type { JsonCommand, Params, Result } from '@/api/client.ts';
import { CommandFailure } from '@/api/client.ts';
import type {
  Edit,
  Job,
  LabProbes,
  LabRun,
  LabRunRow,
  LabSweep,
  ModelList,
  Notification,
  ReplayAnswer,
  TokenCount,
} from '@/api/gen/api.ts';
import type { FakeExperiments } from './experiments.ts';
import { notFound } from './failures.ts';
import { lossOf, probesOf, questionsOf, replayOf, runOf, sweepOf } from './lab.ts';
import { newJob } from './store.ts';

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
  readonly #experiments: FakeExperiments;
  readonly #jobs: Map<string, Job>;
  readonly #notify: (notification: Notification) => void;
  readonly #sweeps = new Map<string, LabSweep>();
  /** By the ids of runs, and of their jobs. */
  readonly #runs = new Map<string, LabRun>();
  readonly #rows = new Map<string, LabRunRow>();
  readonly #probes = new Map<string, LabProbes>();
  readonly #answers = new Map<string, ReplayAnswer>();

  constructor(
    experiments: FakeExperiments,
    jobs: Map<string, Job>,
    notify: (notification: Notification) => void,
  ) {
    this.#experiments = experiments;
    this.#jobs = jobs;
    this.#notify = notify;
  }

  readonly answers: Answers = {
    'lab/plan': ({ session, config, summaries }) =>
      replayOf(this.#experiments.session(session), config, summaries === 'extractive'),
    'lab/sweep': ({ session, grid }) => {
      if (!/^\w+=/.test(grid))
        throw new CommandFailure({ code: 'badInput', message: `“${grid}” is no grid.`, detail: null });
      const sweep = sweepOf(this.#experiments.session(session), grid);
      const job = this.#start(`Sweeping ${String(sweep.rows.length)} configurations`, sweep.rows.length);
      this.#run(job, 8, sweep.reason, () => this.#sweeps.set(job, sweep));
      return { job };
    },
    'lab/sweepResult': ({ job }) => this.#sweeps.get(job) ?? null,
    'lab/estimate': ({ session, config, writer, model }) => {
      const { windows } = replayOf(this.#experiments.session(session), config, false);
      return {
        endpoint: writer,
        model: model ?? 'qwen2.5-7b',
        address: 'http://127.0.0.1:11434/v1/chat/completions',
        summaries: windows.length,
        fromBefore: 0,
        inputTokens: windows.reduce((sum, { tokensBefore }) => sum + tokensBefore, 0),
        inputBasis: 'estimated',
        outputTokens: windows.reduce((sum, { tokensAfter }) => sum + tokensAfter, 0),
        outputBasis: 'assumed',
        costUsd: null,
        seconds: 12 * windows.length,
      };
    },
    'lab/run': (params) => {
      const row = rowOf(`r${String(this.#rows.size + 1)}`, params);
      return this.#write(row);
    },
    'lab/resume': ({ run }) => this.#write(this.#known(this.#rows.get(run))),
    'lab/runs': ({ session }) => {
      const recording = this.#experiments.recordingOf(session);
      const rows = [...this.#rows.values()].filter(
        (row) => this.#experiments.recordingOf(row.session) === recording,
      );
      return { rows: rows.reverse() };
    },
    'lab/forgetRun': ({ run }) => {
      const { config } = this.#known(this.#rows.get(run));
      this.#rows.delete(run);
      return { title: config };
    },
    'lab/apply': ({ run, name }) => {
      const { session, config } = this.#known(this.#rows.get(run));
      const edit: Edit = { edit: 'lay_summaries', config, summaries: [] };
      return this.#experiments.create(session, name ?? `Compacted: ${config}`, [edit]);
    },
    'lab/runResult': ({ run }) => this.#known(this.#runs.get(run)),
    'lab/loss': ({ window }) => lossOf(window),
    'lab/probePlan': ({ choice }) => ({
      endpoint: choice.writer,
      model: choice.model ?? 'qwen2.5-7b',
      questions: questionsOf(choice),
      prompts: 2 * questionsOf(choice).length,
      fromBefore: 0,
      inputTokens: 9000 * questionsOf(choice).length,
      outputTokens: 40 * questionsOf(choice).length,
      costUsd: null,
    }),
    'lab/probe': ({ choice }) => {
      const questions = questionsOf(choice);
      const job = this.#start(`Asking about summary ${String(choice.window + 1)}`, questions.length);
      const show = (done: number): void => {
        this.#probes.set(job, probesOf(questions.slice(0, done), done === questions.length));
      };
      show(0);
      this.#run(job, 1, 'Asked.', show);
      return { job };
    },
    'lab/probeResult': ({ job }) => this.#known(this.#probes.get(job)),
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
      predicted: counted(this.#tokens(session, call)),
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
    return this.#experiments.session(session).calls[call - 1]?.tokens ?? 0;
  }

  #known<T>(found: T | undefined): T {
    if (found === undefined) throw notFound('This is no longer known.');
    return found;
  }

  /** Writes the summaries of a run, one a tick. */
  #write(row: LabRunRow): { job: string } {
    const replay = replayOf(this.#experiments.session(row.session), row.config, true);
    const job = this.#start(`Compacting with ${row.config}`, replay.windows.length);
    const show = (done: number): void => {
      const run = runOf(job, row, replay, done);
      this.#runs.set(job, run).set(row.run, run);
      const facts = run.state === 'done' ? { kept: 2 * done, dropped: 2 * done } : {};
      const expected = replay.windows.length;
      this.#rows.set(row.run, { ...row, state: run.state, written: done, expected, ...facts });
    };
    show(0);
    this.#run(job, 1, 'All summaries written.', show);
    return { job };
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

function answerOf(job: string, tokens: number, isEnded: boolean): ReplayAnswer {
  return {
    job,
    isEnded,
    answer: isEnded ? ANSWER : ANSWER.slice(0, 12),
    recorded: RECORDED,
    finish: isEnded ? 'STOP' : null,
    difference: isEnded
      ? [
          {
            sign: 'removed',
            beforeLine: 1,
            afterLine: null,
            runs: [{ text: RECORDED, isEmphasised: false }],
          },
          { sign: 'added', beforeLine: null, afterLine: 1, runs: [{ text: ANSWER, isEmphasised: false }] },
        ]
      : [],
    predicted: counted(tokens),
    measuredCalls: isEnded ? 1 : 0,
    reportedTokens: isEnded ? tokens + 12 : null,
    predictedCachedTokens: 0,
    reportedCachedTokens: isEnded ? 0 : null,
    outputTokens: isEnded ? 21 : null,
    costUsd: null,
    failure: null,
  };
}

function counted(tokens: number): TokenCount {
  return { tokens, basis: 'estimated', low: Math.round(tokens * 0.9), high: Math.round(tokens * 1.1) };
}

function rowOf(run: string, { session, config, prompt, writer, model }: Params<'lab/run'>): LabRunRow {
  return {
    run,
    session,
    config,
    prompt,
    writer,
    model,
    state: 'running',
    written: 0,
    expected: 0,
    costUsd: null,
    kept: null,
    dropped: null,
    failure: null,
    startedMs: Date.UTC(2026, 10, 20, 15, 0),
  };
}
