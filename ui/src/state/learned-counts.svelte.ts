import type { LearnedCounts } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import type { Jobs } from './jobs.svelte.ts';
import { Loaded } from './loaded.svelte.ts';

/** What all stored sessions told of how providers count. */
export class LearnedTokenCounts {
  readonly #host: Host;
  readonly #jobs: Jobs;
  #revision = $state(0);
  isLearning = $state(false);
  readonly known: Loaded<LearnedCounts>;

  constructor(host: Host, jobs: Jobs, isWanted: () => boolean) {
    this.#host = host;
    this.#jobs = jobs;
    this.known = new Loaded(
      () => (isWanted() ? `counts ${String(this.#revision)}` : undefined),
      () => host.invoke('counts/learned', {}),
    );
  }

  /** Reads all stored sessions; the status bar says how far it is, and what came of it. */
  async learn(): Promise<void> {
    if (this.isLearning) return;
    this.isLearning = true;
    try {
      const { job } = await this.#host.invoke('counts/learn', {});
      await this.#jobs.whenEnded(job);
    } finally {
      this.isLearning = false;
      this.#revision += 1;
    }
  }

  async forget(): Promise<void> {
    await this.#host.invoke('counts/forget', {});
    this.#revision += 1;
  }
}
