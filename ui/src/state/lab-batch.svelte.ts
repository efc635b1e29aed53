import type { BatchBudget, BatchList, BatchModel, BatchPlan, Job, LabBatch } from '@/api/gen/api.ts';
import type { Params } from '@/api/client.ts';
import type { Host } from '@/host/host.ts';
import { batchCsv, type BatchColumn } from '@/model/lab-batch.ts';
import type { Jobs } from './jobs.svelte.ts';
import type { LabChoice } from './lab-choice.svelte.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Messages } from './messages.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';
import type { Panels } from './panels.svelte.ts';

/** How often a batch is asked for what it did. */
const LOOK_MS = 300;

interface Parts {
  readonly session: OpenSession;
  readonly jobs: Jobs;
  readonly panels: Panels;
  readonly messages: Messages;
}

/** Several configurations run with several models: what is chosen, what that would take, and what came of it. */
export class LabBatches {
  readonly #host: Host;
  readonly #parts: Parts;
  readonly plan: Loaded<BatchPlan>;
  readonly list: Loaded<BatchList>;
  readonly #stored: Loaded<LabBatch>;
  /** One configuration a line. */
  configs = $state('');
  models: readonly BatchModel[] = $state.raw([]);
  usd = $state('');
  tokens = $state('');
  column: BatchColumn = $state('place');
  /** A new one is being put together. */
  isNew = $state(false);
  #looked: LabBatch | undefined = $state.raw();
  #isStarting = $state(false);
  #following: string | undefined;
  #revision = $state(0);

  constructor(host: Host, choice: LabChoice, parts: Parts) {
    this.#host = host;
    this.#parts = parts;
    const { panels, session } = parts;
    const isOpen = (): boolean => panels.dialog === 'batch' && choice.isReady;
    this.list = new Loaded(
      () => (isOpen() ? `${session.recording} batches ${String(this.#revision)}` : undefined),
      () => host.invoke('lab/batches', { session: session.recording }),
    );
    this.plan = new Loaded(
      () => (isOpen() && this.canPlan ? JSON.stringify(this.#params(choice.promptOrNone)) : undefined),
      () => host.invoke('lab/batchPlan', this.#params(choice.promptOrNone)),
    );
    this.#stored = new Loaded(
      () => (this.#newest === undefined ? undefined : `${this.#newest} ${String(this.#revision)}`),
      async () => {
        const batch = await host.invoke('lab/batchResult', { batch: this.#newest ?? '' });
        if (batch.job !== null) this.#follow(batch.batch, batch.job);
        return batch;
      },
    );
    this.start = () => {
      this.#begin(() => host.invoke('lab/batch', this.#params(choice.promptOrNone)));
    };
  }

  readonly start: () => void;

  /** The newest batch of what is open, as far as it is. */
  get batch(): LabBatch | undefined {
    if (this.isNew) return undefined;
    const looked = this.#looked;
    return looked !== undefined && looked.session === this.#parts.session.id ? looked : this.#stored.latest;
  }

  get job(): Job | undefined {
    return this.#parts.jobs.running.find(({ job }) => job === this.batch?.job);
  }

  get isRunning(): boolean {
    return (this.batch?.job ?? null) !== null;
  }

  get canPlan(): boolean {
    return this.configList.length > 0 && this.models.length > 0 && this.budgetProblem === undefined;
  }

  get canStart(): boolean {
    const { value } = this.plan;
    return this.canPlan && !this.#isStarting && value !== undefined && value.refusal === null;
  }

  get configList(): readonly string[] {
    return this.configs
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  }

  get budgetProblem(): string | undefined {
    const isAmount = (text: string): boolean => text.trim() === '' || /^\d+(\.\d+)?$/.test(text.trim());
    return isAmount(this.usd) && isAmount(this.tokens) ? undefined : 'A budget is a number of 0 or more.';
  }

  get budget(): BatchBudget {
    const amount = (text: string): number | null => (text.trim() === '' ? null : Number(text));
    return { usd: amount(this.usd), tokens: amount(this.tokens) };
  }

  has(writer: string, model: string | null): boolean {
    return this.models.some((chosen) => chosen.writer === writer && chosen.model === model);
  }

  toggle(writer: string, model: string | null): void {
    this.models = this.has(writer, model)
      ? this.models.filter((chosen) => chosen.writer !== writer || chosen.model !== model)
      : [...this.models, { writer, model }];
  }

  addConfigs(configs: readonly string[]): void {
    this.configs = [...new Set([...this.configList, ...configs])].join('\n');
  }

  resume(): void {
    const { batch } = this;
    if (batch === undefined) return;
    const budget = this.usd.trim() === '' && this.tokens.trim() === '' ? null : this.budget;
    this.#begin(() => this.#host.invoke('lab/batchResume', { batch: batch.batch, budget }));
  }

  stop(): void {
    const job = this.batch?.job ?? null;
    if (job !== null) this.#parts.jobs.cancel(job).catch(this.#parts.messages.report);
  }

  copy(): void {
    const { batch } = this;
    if (batch === undefined) return;
    navigator.clipboard
      .writeText(batchCsv(batch))
      .then(() => this.#parts.messages.announce('Copied the batch as CSV'))
      .catch(this.#parts.messages.report);
  }

  save(form: 'csv' | 'json'): void {
    const { batch } = this;
    if (batch === undefined) return;
    const text = form === 'csv' ? batchCsv(batch) : `${JSON.stringify({ version: 1, ...batch }, null, 2)}\n`;
    this.#host.saveText(`batch-${batch.batch}.${form}`, text).then((path) => {
      if (path !== undefined) this.#parts.messages.announce(`Saved ${path}`);
    }, this.#parts.messages.report);
  }

  get #newest(): string | undefined {
    return this.list.latest?.rows.find(({ session }) => session === this.#parts.session.id)?.batch;
  }

  #params(prompt: string | null): Params<'lab/batch'> {
    return {
      choice: {
        session: this.#parts.session.id ?? '',
        configs: [...this.configList],
        models: [...this.models],
        prompt,
        budget: this.budget,
      },
    };
  }

  #begin(begin: () => Promise<{ readonly batch: string; readonly job: string }>): void {
    this.#isStarting = true;
    begin()
      .then(({ batch, job }) => {
        this.isNew = false;
        this.#follow(batch, job);
      })
      .catch(this.#parts.messages.report)
      .finally(() => {
        this.#isStarting = false;
      });
  }

  #follow(batch: string, job: string): void {
    if (this.#following === batch) return;
    this.#following = batch;
    const look = async (): Promise<void> => {
      this.#looked = await this.#host.invoke('lab/batchResult', { batch });
    };
    const follow = async (): Promise<void> => {
      let isOver = false;
      const ended = this.#parts.jobs.whenEnded(job).then(() => {
        isOver = true;
      });
      while (!isOver) {
        await look();
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, LOOK_MS))]);
      }
      await look();
    };
    follow()
      .catch(this.#parts.messages.report)
      .finally(() => {
        this.#following = undefined;
        this.#revision += 1;
      });
  }
}
