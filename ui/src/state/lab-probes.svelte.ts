import type { LabProbePlan, LabProbes as Answers, ModelList, ProbeChoice } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import type { Jobs } from './jobs.svelte.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Messages } from './messages.svelte.ts';
import type { Panels } from './panels.svelte.ts';
import { ServerChoice } from './server-choice.svelte.ts';

/** How often answers are asked for. */
const LOOK_MS = 200;

const USUAL_FACTS = 6;

interface Parts {
  readonly jobs: Jobs;
  readonly panels: Panels;
  readonly messages: Messages;
}

/** Questions about a summary, answered by a model from it and from the events it stands for. */
export class LabProbes {
  readonly #host: Host;
  readonly #parts: Parts;
  readonly #subject: () => { readonly run: string; readonly window: number } | undefined;
  /** The questions, and what asking them would cost, while the dialog is open. */
  readonly plan: Loaded<LabProbePlan>;
  /** Questions that are made of facts. */
  facts = $state(USUAL_FACTS);
  /** Questions of one's own, a line each. */
  own = $state('');
  readonly server: ServerChoice;
  #answers: { readonly key: string; readonly job: string; readonly value: Answers } | undefined =
    $state.raw();

  /** `subject` is the summary that is looked at, if a run has written it. */
  constructor(
    host: Host,
    parts: Parts,
    models: Loaded<ModelList>,
    subject: () => { readonly run: string; readonly window: number } | undefined,
  ) {
    this.#host = host;
    this.#parts = parts;
    this.server = new ServerChoice(models);
    this.#subject = subject;
    this.plan = new Loaded(
      () => (parts.panels.dialog === 'probes' && this.server.chosen !== undefined ? this.#key : undefined),
      () => host.invoke('lab/probePlan', { choice: this.#choice }),
    );
  }

  get canAsk(): boolean {
    return this.#subject() !== undefined;
  }

  /** The answers to these questions about this summary. */
  get answers(): Answers | undefined {
    const answers = this.#answers;
    return answers !== undefined && answers.key === this.#key ? answers.value : undefined;
  }

  get isRunning(): boolean {
    return this.answers?.isEnded === false;
  }

  ask(): void {
    this.#follow().catch(this.#parts.messages.report);
  }

  stop(): void {
    if (this.#answers !== undefined)
      this.#parts.jobs.cancel(this.#answers.job).catch(this.#parts.messages.report);
  }

  get #choice(): ProbeChoice {
    const subject = this.#subject();
    const { endpoint, model } = this.server.params;
    return {
      run: subject?.run ?? '',
      window: (subject?.window ?? 1) - 1,
      facts: this.facts,
      questions: this.own.split('\n').filter((line) => line.trim() !== ''),
      writer: endpoint,
      model,
    };
  }

  get #key(): string | undefined {
    return this.#subject() === undefined ? undefined : JSON.stringify(this.#choice);
  }

  async #follow(): Promise<void> {
    const key = this.#key;
    if (key === undefined) return;
    const { job } = await this.#host.invoke('lab/probe', { choice: this.#choice });
    const look = async (): Promise<void> => {
      this.#answers = { key, job, value: await this.#host.invoke('lab/probeResult', { job }) };
    };
    let isOver = false;
    const ended = this.#parts.jobs.whenEnded(job).then(() => {
      isOver = true;
    });
    while (!isOver) {
      await look();
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, LOOK_MS))]);
    }
    await look();
  }
}
