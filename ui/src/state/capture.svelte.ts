import type { CaptureDecision, CaptureState, HeldRequest } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { Loaded } from './loaded.svelte.ts';

/** What clients send to their models, while the gateway of this Strata listens. */
export class Capture {
  readonly #host: Host;
  #revision = $state(0);
  isWorking = $state(false);
  /** When it was told what is known, in epoch milliseconds. */
  readAt = $state(0);
  readonly known: Loaded<CaptureState>;

  /** `isOn`: whether it listened when the window began. `isShown`: whether a view of it is open. */
  constructor(host: Host, isOn: () => boolean, isShown: () => boolean) {
    this.#host = host;
    // Whether it listens is told in every view.
    const isWanted = (): boolean => isShown() || isOn() || this.#revision > 0;
    this.known = new Loaded(
      () => (isWanted() ? `capture ${String(this.#revision)}` : undefined),
      async () => {
        const state = await host.invoke('capture/get', {});
        this.readAt = Date.now();
        return state;
      },
    );
  }

  /** The request that has waited longest. */
  get firstHeld(): HeldRequest | undefined {
    return this.known.latest?.held[0];
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

  async setHolds(holds: readonly string[]): Promise<void> {
    await this.#work(() => this.#host.invoke('capture/setHolds', { holds: [...holds] }));
  }

  /** Decides about a request that is held. `body`: the JSON that is sent in the place of its own. */
  async release(number: number, decision: CaptureDecision, body: string | null): Promise<void> {
    await this.#work(() => this.#host.invoke('capture/release', { number, decision, body }));
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
