/** How long one frame may work before the rest waits for the next one. */
const BUDGET_MS = 6;

interface Clock {
  readonly now: () => number;
  readonly nextFrame: (run: () => void) => void;
}

const browserClock: Clock = {
  now: () => performance.now(),
  nextFrame: (run) => requestAnimationFrame(run),
};

/**
 * The one animation frame of the window. A task is asked for by name; asking again before it ran changes nothing. Tasks
 * run in the order asked for, and those that do not fit into the budget run in the next frame.
 */
export class FrameLoop {
  readonly #clock: Clock;
  readonly #tasks = new Map<string, () => void>();
  #isScheduled = false;

  constructor(clock: Clock = browserClock) {
    this.#clock = clock;
  }

  request(name: string, task: () => void): void {
    this.#tasks.set(name, task);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#clock.nextFrame(() => this.#run());
  }

  cancel(name: string): void {
    this.#tasks.delete(name);
  }

  #run(): void {
    this.#isScheduled = false;
    const deadline = this.#clock.now() + BUDGET_MS;
    const due = [...this.#tasks];
    for (const [name, task] of due) {
      this.#tasks.delete(name);
      task();
      if (this.#clock.now() >= deadline) break;
    }
    if (this.#tasks.size > 0 && !this.#isScheduled) {
      this.#isScheduled = true;
      this.#clock.nextFrame(() => this.#run());
    }
  }
}
