import type { BudgetWord, CaptureDecision, CaptureState, HeldRequest } from '@/api/gen/api.ts';
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
  /** The conditions as they were last set here, until they are told again. */
  #wantedHolds: readonly string[] | undefined = $state.raw();
  /** Sessions of which it was read that they passed their budget. */
  #read: ReadonlySet<string> = $state.raw(new Set());
  /** Conditions are sent one after the other, so that the last ones hold. */
  #sending: Promise<unknown> = Promise.resolve();

  /** `isOn`: whether it listened when the window began. `isShown`: whether a view of it is open. */
  constructor(host: Host, isOn: () => boolean, isShown: () => boolean) {
    this.#host = host;
    // Whether it listens is told in every view.
    const isWanted = (): boolean => isShown() || isOn() || this.#revision > 0;
    this.known = new Loaded(
      () => (isWanted() ? `capture ${String(this.#revision)}` : undefined),
      async () => {
        const sent = this.#sending;
        await sent;
        const state = await host.invoke('capture/get', {});
        if (this.#sending === sent) this.#wantedHolds = undefined;
        this.readAt = Date.now();
        return state;
      },
    );
  }

  /** A session that has passed its budget, until somebody has read of it. */
  get passed(): BudgetWord | undefined {
    return this.known.latest?.budgetWords.find(
      ({ session, isPassed }) => isPassed && !this.#read.has(session),
    );
  }

  /** It was read that this session has passed its budget. */
  dismissPassed(session: string): void {
    this.#read = new Set([...this.#read, session]);
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

  /** When requests are held. */
  get holds(): readonly string[] {
    return this.#wantedHolds ?? this.known.latest?.holds ?? [];
  }

  async setHolds(holds: readonly string[]): Promise<void> {
    this.#wantedHolds = holds;
    const sending = this.#sending.then(() => this.#host.invoke('capture/setHolds', { holds: [...holds] }));
    this.#sending = sending.catch(() => undefined);
    try {
      await sending;
    } finally {
      this.#revision += 1;
    }
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
