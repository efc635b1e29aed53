import type { SecretState } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import type { Jobs } from './jobs.svelte.ts';
import { Loaded } from './loaded.svelte.ts';

/** What looks like a key in what is stored. */
export class KeptSecrets {
  readonly #host: Host;
  readonly #jobs: Jobs;
  #revision = $state(0);
  working: 'look' | 'mask' | undefined = $state();
  readonly known: Loaded<SecretState>;

  constructor(host: Host, jobs: Jobs, isWanted: () => boolean) {
    this.#host = host;
    this.#jobs = jobs;
    this.known = new Loaded(
      () => (isWanted() ? `secrets ${String(this.#revision)}` : undefined),
      () => host.invoke('secret/state', {}),
    );
  }

  /** Looks through all that is stored; the status bar says how far it is, and what came of it. */
  look(): Promise<void> {
    return this.#work('look');
  }

  /** The same, and masks what is found for good. */
  mask(): Promise<void> {
    return this.#work('mask');
  }

  /** What is stored from now on is stored as it was said. */
  async keep(): Promise<void> {
    await this.#host.invoke('secret/keep', {});
    this.#revision += 1;
  }

  async #work(what: 'look' | 'mask'): Promise<void> {
    if (this.working !== undefined) return;
    this.working = what;
    try {
      const { job } = await this.#host.invoke(`secret/${what}`, {});
      await this.#jobs.whenEnded(job);
    } finally {
      this.working = undefined;
      this.#revision += 1;
    }
  }
}
