import { toFailure, type Failure } from '@/api/client.ts';
import type { Endpoint, EndpointRow, ModelList, TestAnswer } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Location } from './location.svelte.ts';
import type { Messages } from './messages.svelte.ts';

/** What asking a server for one word gave. */
export interface Trial {
  readonly isRunning: boolean;
  readonly answer: TestAnswer | undefined;
  readonly failure: Failure | undefined;
  /** When it ended, in milliseconds since 1970; when it began, while it runs. */
  readonly atMs: number;
}

/** The servers that models are asked of: set up, tried and forgotten. */
export class ModelServers {
  readonly #host: Host;
  readonly #messages: Messages;
  readonly list: Loaded<ModelList>;
  /** The next list is asked of the servers themselves, not of what was known a minute ago. */
  #isRefresh = false;
  /** Name of the endpoint that is being changed; empty: a new one. */
  edited: string | undefined = $state();
  #trials: Readonly<Record<string, Trial>> = $state.raw({});

  constructor(host: Host, location: Location, messages: Messages) {
    this.#host = host;
    this.#messages = messages;
    this.list = new Loaded(
      () => (['lab', 'run', 'settings'].includes(location.view.view) ? 'models' : undefined),
      () => {
        const refresh = this.#isRefresh;
        this.#isRefresh = false;
        return host.invoke('model/list', { refresh });
      },
    );
  }

  get rows(): readonly EndpointRow[] {
    return this.list.latest?.endpoints ?? [];
  }

  startNew(): void {
    this.edited = '';
  }

  trial(name: string): Trial | undefined {
    return this.#trials[name];
  }

  /** Servers that were tried and gave no answer. */
  get failed(): number {
    return this.rows.filter(({ endpoint }) => hasFailed(this.#trials[endpoint.name])).length;
  }

  lookAgain(): void {
    this.#isRefresh = true;
    this.list.retry();
  }

  /** Stores an endpoint, and its key where one was typed. */
  async save(endpoint: Endpoint, key: string): Promise<boolean> {
    return this.#change(async () => {
      await this.#host.invoke('model/save', { endpoint });
      if (key !== '') await this.#host.invoke('model/setKey', { name: endpoint.name, key });
      this.#messages.announce(`${endpoint.name} is saved`);
    });
  }

  /** An empty key takes the kept one out of the key store. */
  async setKey(name: string, key: string): Promise<boolean> {
    return this.#change(async () => {
      await this.#host.invoke('model/setKey', { name, key });
      this.#messages.announce(key === '' ? `The key of ${name} is forgotten` : `The key of ${name} is kept`);
    });
  }

  async forget(name: string): Promise<boolean> {
    return this.#change(async () => {
      await this.#host.invoke('model/forget', { name });
      const { [name]: forgotten, ...others } = this.#trials;
      if (forgotten !== undefined) this.#trials = others;
      this.#messages.announce(`${name} is forgotten`);
    });
  }

  /** Asks a server for one word, as it is set up or as it is being typed. */
  async test(endpoint: Endpoint): Promise<void> {
    const { name } = endpoint;
    if (this.#trials[name]?.isRunning === true) return;
    this.#set(name, { isRunning: true, answer: undefined, failure: undefined });
    try {
      const answer = await this.#host.invoke('model/test', { endpoint, model: endpoint.model });
      this.#set(name, { isRunning: false, answer, failure: undefined });
      this.#messages.announce(`${name}: ${answer.message}`);
    } catch (thrown) {
      this.#set(name, { isRunning: false, answer: undefined, failure: toFailure(thrown) });
    }
  }

  /** Tries all servers that could answer, one after the other. */
  async testAll(): Promise<void> {
    for (const { endpoint, origin, hasKey } of this.rows)
      if (hasKey || origin !== 'provider') await this.test(endpoint);
  }

  #set(name: string, trial: Omit<Trial, 'atMs'>): void {
    this.#trials = { ...this.#trials, [name]: { ...trial, atMs: Date.now() } };
  }

  async #change(act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (thrown) {
      this.#messages.report(thrown);
      return false;
    } finally {
      this.list.retry();
    }
  }
}

function hasFailed(trial: Trial | undefined): boolean {
  return trial?.failure !== undefined || trial?.answer?.isOk === false;
}
