/**
 * Runs one request at a time and keeps only the newest one waiting: what is typed while a search runs replaces what was
 * typed before it.
 */
export class Latest<I> {
  readonly #run: (input: I) => Promise<void>;
  #waiting: { readonly input: I } | undefined;
  #isRunning = false;

  constructor(run: (input: I) => Promise<void>) {
    this.#run = run;
  }

  /** True while something newer than the running request waits, so its result is out of date. */
  get isSuperseded(): boolean {
    return this.#waiting !== undefined;
  }

  ask(input: I): void {
    this.#waiting = { input };
    if (!this.#isRunning) void this.#drain();
  }

  async #drain(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting !== undefined) {
      const { input } = this.#waiting;
      this.#waiting = undefined;
      await this.#run(input);
    }
    this.#isRunning = false;
  }
}
