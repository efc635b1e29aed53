import type { Host } from '@/host/host.ts';
import { readAppConfig, type AgentConfig, type AppConfig } from '@/model/app-config.ts';
import { Loaded } from './loaded.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';

/** The configuration that the calls are compiled with, edits included, once somebody wants to edit it. */
export class AppSettings {
  readonly #app: Loaded<AppConfig>;

  constructor(host: Host, session: OpenSession, isWanted: () => boolean) {
    this.#app = new Loaded(
      () => (session.isOpen && isWanted() ? `${session.keyOfEdits} app` : undefined),
      async () => {
        const { text } = await host.invoke('experiment/export', {
          session: session.id ?? '',
          as: 'adk-json',
          masksSecrets: false,
        });
        return readAppConfig(text);
      },
    );
  }

  get app(): AppConfig | undefined {
    return this.#app.latest;
  }

  get isLoading(): boolean {
    return this.#app.isLoading;
  }

  get failure(): string | undefined {
    return this.#app.failure?.message;
  }

  agent(name: string): AgentConfig | undefined {
    return this.app?.agents.find((agent) => agent.name === name);
  }
}
