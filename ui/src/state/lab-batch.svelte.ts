import type {
  BatchBudget,
  BatchList,
  BatchModel,
  BatchPlan,
  BatchProbes,
  BatchRow,
  Job,
  LabBatch,
} from '@/api/gen/api.ts';
import type { Params } from '@/api/client.ts';
import type { Host } from '@/host/host.ts';
import { budgetAmount } from '@/model/budget.ts';
import { batchCsv, type BatchColumn } from '@/model/lab-batch.ts';
import type { Jobs } from './jobs.svelte.ts';
import type { LabChoice } from './lab-choice.svelte.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Messages } from './messages.svelte.ts';
import type { ModelServers } from './model-servers.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';
import type { Panels } from './panels.svelte.ts';

/** How often a batch is asked for what it did. */
const LOOK_MS = 300;

interface Parts {
  readonly session: OpenSession;
  readonly jobs: Jobs;
  readonly panels: Panels;
  readonly messages: Messages;
  readonly servers: ModelServers;
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
  /** Questions about every run; 0 asks none. */
  questions = $state(0);
  /** Who answers them. */
  answeredBy: BatchModel | undefined = $state.raw();
  usd = $state('');
  tokens = $state('');
  column: BatchColumn = $state('place');
  isDescending = $state(false);
  /** A new one is being put together. */
  isNew = $state(false);
  #picked: { readonly session: string | undefined; readonly batch: string } | undefined = $state.raw();
  /** Batches that this window follows. */
  #looked: ReadonlyMap<string, LabBatch> = $state.raw(new Map());
  #isStarting = $state(false);
  readonly #followed = new Set<string>();
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
      () =>
        this.shown === undefined ? undefined : `${session.recording} ${this.shown} ${String(this.#revision)}`,
      async () => {
        const batch = await host.invoke('lab/batchResult', { batch: this.shown ?? '' });
        if (batch.job !== null) this.#follow(batch.batch, batch.job);
        return batch;
      },
    );
    this.start = () => {
      this.#begin(() => host.invoke('lab/batch', this.#params(choice.promptOrNone)));
    };
  }

  readonly start: () => void;

  /** The batch that is shown, as far as it is. */
  get batch(): LabBatch | undefined {
    if (this.isNew) return undefined;
    return this.#looked.get(this.shown ?? '') ?? this.#stored.latest;
  }

  /** Batches of what is open, the newest first. */
  get rows(): readonly BatchRow[] {
    return this.list.latest?.rows.filter(({ session }) => session === this.#parts.session.id) ?? [];
  }

  /** The id of the batch that is shown: the one that was picked, else the newest. */
  get shown(): string | undefined {
    const picked = this.#picked;
    return picked?.session === this.#parts.session.id ? picked?.batch : this.rows[0]?.batch;
  }

  pick(batch: string): void {
    this.#picked = { session: this.#parts.session.id, batch };
    this.isNew = false;
  }

  get job(): Job | undefined {
    return this.#parts.jobs.running.find(({ job }) => job === this.batch?.job);
  }

  get isRunning(): boolean {
    return (this.batch?.job ?? null) !== null;
  }

  get canPlan(): boolean {
    return (
      this.configList.length > 0 &&
      this.models.length > 0 &&
      this.budgetProblem === undefined &&
      !this.isAnswererMissing
    );
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
    const amounts = [this.usd, this.tokens].map(budgetAmount);
    return amounts.includes(undefined) ? 'A budget is a number of 0 or more.' : undefined;
  }

  /** Every model that could be asked now. */
  get askable(): readonly (BatchModel & { readonly model: string })[] {
    const endpoints = this.#parts.servers.list.latest?.endpoints ?? [];
    const reached = endpoints.filter(({ isReachable }) => isReachable);
    return reached.flatMap(({ endpoint, models }) =>
      models.map((model) => ({ writer: endpoint.name, model })),
    );
  }

  /** Somebody has to answer them. */
  get isAnswererMissing(): boolean {
    return this.questions > 0 && this.answeredBy === undefined;
  }

  get #probes(): BatchProbes | null {
    const { questions, answeredBy } = this;
    return questions === 0 || answeredBy === undefined ? null : { questions, ...answeredBy };
  }

  get #budget(): BatchBudget {
    return { usd: budgetAmount(this.usd) ?? null, tokens: budgetAmount(this.tokens) ?? null };
  }

  has(writer: string, model: string | null): boolean {
    return this.models.some((chosen) => chosen.writer === writer && chosen.model === model);
  }

  toggle(writer: string, model: string | null): void {
    this.models = this.has(writer, model)
      ? this.models.filter((chosen) => chosen.writer !== writer || chosen.model !== model)
      : [...this.models, { writer, model }];
  }

  /** By the column that it is sorted by already, the other way round. */
  sortBy(column: BatchColumn): void {
    this.isDescending = this.column === column && !this.isDescending;
    this.column = column;
  }

  addConfigs(configs: readonly string[]): void {
    this.configs = [...new Set([...this.configList, ...configs])].join('\n');
  }

  resume(): void {
    const { batch } = this;
    if (batch === undefined) return;
    const budget = this.usd.trim() === '' && this.tokens.trim() === '' ? null : this.#budget;
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

  #params(prompt: string | null): Params<'lab/batch'> {
    return {
      choice: {
        session: this.#parts.session.id ?? '',
        configs: [...this.configList],
        models: [...this.models],
        prompt,
        budget: this.#budget,
        probes: this.#probes,
      },
    };
  }

  #begin(begin: () => Promise<{ readonly batch: string; readonly job: string }>): void {
    this.#isStarting = true;
    begin()
      .then(({ batch, job }) => {
        this.pick(batch);
        this.#revision += 1;
        this.#follow(batch, job);
      })
      .catch(this.#parts.messages.report)
      .finally(() => {
        this.#isStarting = false;
      });
  }

  #follow(batch: string, job: string): void {
    if (this.#followed.has(batch)) return;
    this.#followed.add(batch);
    const look = async (): Promise<void> => {
      const looked = await this.#host.invoke('lab/batchResult', { batch });
      this.#looked = new Map([...this.#looked, [batch, looked]]);
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
        this.#followed.delete(batch);
        this.#revision += 1;
      });
  }
}
