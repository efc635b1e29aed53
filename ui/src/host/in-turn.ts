import type { Host } from './host.ts';

/** What lies under the eyes of somebody who edits or chooses something. */
const FIRST: ReadonlySet<string> = new Set(['call/stages', 'call/stageParts', 'event/get', 'event/page']);

/** What is asked beside that and reads much. Nothing that changes anything waits: an act never overtakes another. */
const LATER: ReadonlySet<string> = new Set([
  'call/columns',
  'call/get',
  'call/map',
  'experiment/compare',
  'experiment/export',
  'experiment/list',
  'experiment/promises',
  'session/header',
  'session/open',
]);

/** They wait for those that are on their way, and no longer than this. */
const AT_MOST_MS = 150;

/** In which order commands are sent. */
export class Turns {
  #running = 0;
  readonly #waiting = new Set<() => void>();

  async take<T>(name: string, ask: () => Promise<T>): Promise<T> {
    if (LATER.has(name)) {
      // What is asked in the same moment is on its way by then.
      await Promise.resolve();
      if (this.#running > 0) await this.#rest();
    }
    if (!FIRST.has(name)) return ask();
    this.#running += 1;
    try {
      return await ask();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#goOn();
    }
  }

  async #rest(): Promise<void> {
    await new Promise<void>((go) => {
      this.#waiting.add(go);
      setTimeout(go, AT_MOST_MS);
    });
  }

  #goOn(): void {
    for (const go of this.#waiting) go();
    this.#waiting.clear();
  }
}

/**
 * A host whose processors are given to what is looked at first: an edit makes all views ask anew, each for numbers of
 * thousands of calls, and one of them is looked at.
 */
export function inTurn(host: Host): Host {
  const turns = new Turns();
  return {
    ...host,
    invoke: async (name, params) => turns.take(name, () => host.invoke(name, params)),
    invokeBytes: async (name, params) => turns.take(name, () => host.invokeBytes(name, params)),
  };
}
