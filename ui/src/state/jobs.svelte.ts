import type { Job } from '@/api/gen/api.ts';
import type { Host, ImportSource } from '@/host/host.ts';

/** How long the result of a finished job stays in the status bar. */
const RESULT_MS = 6_000;

/** Long work: what runs, and what ended and was not read yet. */
export class Jobs {
  readonly #host: Host;
  readonly #report: (thrown: unknown) => void;
  readonly #onImported: (job: Job) => void;
  #jobs: readonly Job[] = $state.raw([]);
  /** Jobs this window started, so that it knows whose result it opens. */
  readonly #started = new Set<string>();
  readonly #waiting = new Map<string, (job: Job) => void>();

  constructor(host: Host, report: (thrown: unknown) => void, onImported: (job: Job) => void) {
    this.#host = host;
    this.#report = report;
    this.#onImported = onImported;
  }

  get all(): readonly Job[] {
    return this.#jobs;
  }

  get running(): readonly Job[] {
    return this.#jobs.filter((job) => job.state === 'running');
  }

  /** The newest job that ended. */
  get ended(): Job | undefined {
    return this.#jobs.findLast((job) => job.state !== 'running');
  }

  /** Whether a job runs whose result is opened when it ends. */
  get isExpecting(): boolean {
    return this.running.some(({ job }) => this.#started.has(job));
  }

  async refresh(): Promise<void> {
    for (const job of (await this.#host.invoke('job/list', {})).jobs) this.update(job);
  }

  /** Takes what a notification says about a job. */
  update(job: Job): void {
    const before = this.#jobs.find((other) => other.job === job.job);
    // An ended job changes no more: a list that was asked for before its end says that it runs.
    if (before !== undefined && before.state !== 'running') return;
    this.#jobs =
      before === undefined
        ? [...this.#jobs, job]
        : this.#jobs.map((other) => (other === before ? job : other));
    if (job.state !== 'running') this.#end(job);
  }

  async import(sources: readonly ImportSource[]): Promise<void> {
    const paths = sources.flatMap((source) => (source.type === 'path' ? [source.path] : []));
    const uploads = sources.flatMap((source) =>
      source.type === 'upload' ? [{ upload: source.upload, name: source.name }] : [],
    );
    const started = await Promise.all([
      ...(paths.length === 0 ? [] : [this.#host.invoke('session/import', { paths })]),
      ...(uploads.length === 0 ? [] : [this.#host.invoke('session/importUploads', { uploads })]),
    ]);
    for (const { job } of started) this.expect(job);
  }

  /** Opens what a job reads when it ends. */
  expect(job: string): void {
    this.#started.add(job);
    const known = this.#jobs.find((other) => other.job === job);
    if (known !== undefined && known.state === 'done') this.#open(known);
  }

  /** Waits until a job of another kind ended, however it did. */
  whenEnded(job: string): Promise<Job> {
    const known = this.#jobs.find((other) => other.job === job);
    if (known !== undefined && known.state !== 'running') return Promise.resolve(known);
    const ended = new Promise<Job>((resolve) => this.#waiting.set(job, resolve));
    // It may have ended before its name was known here.
    this.refresh().catch(this.#report);
    return ended;
  }

  async cancel(job: string): Promise<void> {
    for (const known of (await this.#host.invoke('job/cancel', { job })).jobs) this.update(known);
  }

  async dismiss(job: string): Promise<void> {
    this.#jobs = this.#jobs.filter((other) => other.job !== job);
    this.#jobs = (await this.#host.invoke('job/dismiss', { job })).jobs;
  }

  /** Takes results off the screen that have nothing to do with a session that is opened now. */
  leave(session: string): void {
    const isOf = (job: Job): boolean => job.sessions.some((item) => item.session === session);
    for (const job of this.#jobs)
      if (job.state !== 'running' && !isOf(job)) this.dismiss(job.job).catch(this.#report);
  }

  #end(job: Job): void {
    if (job.state === 'done') this.#open(job);
    this.#waiting.get(job.job)?.(job);
    this.#waiting.delete(job.job);
    this.#dismissLater(job);
  }

  /** What failed, in whole or in part, or can be gone on with stays until a person has read it. */
  #dismissLater(job: Job): void {
    const isRead = job.state === 'done' && (job.files?.failed.length ?? 0) === 0;
    const canGoOn = job.state === 'cancelled' && job.paths.length > 0;
    if (isRead || (job.state === 'cancelled' && !canGoOn))
      setTimeout(() => void this.dismiss(job.job).catch(this.#report), RESULT_MS);
  }

  #open(job: Job): void {
    if (this.#started.delete(job.job)) this.#onImported(job);
  }
}
