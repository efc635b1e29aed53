import type { CaptureState } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { Loaded } from './loaded.svelte.ts';

/** What clients send to their models, while the gateway of this Strata listens. */
export class Capture {
  readonly #host: Host;
  #revision = $state(0);
  isWorking = $state(false);
  readonly known: Loaded<CaptureState>;

  constructor(host: Host, isWanted: () => boolean) {
    this.#host = host;
    this.known = new Loaded(
      () => (isWanted() ? `capture ${String(this.#revision)}` : undefined),
      () => host.invoke('capture/get', {}),
    );
  }

  get isListening(): boolean {
    return (this.known.latest?.listening ?? null) !== null;
  }

  /** Something came through, or it began or ended. */
  heard(): void {
    this.#revision += 1;
  }

  async start(): Promise<void> {
    await this.#work(() => this.#host.invoke('capture/start', { port: null, upstreams: [] }));
  }

  /** What was caught stays. */
  async stop(): Promise<void> {
    await this.#work(() => this.#host.invoke('capture/stop', {}));
  }

  async #work(act: () => Promise<unknown>): Promise<void> {
    if (this.isWorking) return;
    this.isWorking = true;
    try {
      await act();
    } finally {
      this.isWorking = false;
      this.#revision += 1;
    }
  }
}
