import type { EndpointRow, ModelList } from '@/api/gen/api.ts';
import type { Loaded } from './loaded.svelte.ts';

/** A model server that answers, and one of its models. */
export class ServerChoice {
  readonly #models: Loaded<ModelList>;
  /** Server that is asked; empty: the first that answers. */
  endpoint = $state('');
  /** Empty: the server's own choice. */
  model = $state('');

  constructor(models: Loaded<ModelList>) {
    this.#models = models;
  }

  get endpoints(): readonly EndpointRow[] {
    return (this.#models.latest?.endpoints ?? []).filter(({ isReachable }) => isReachable);
  }

  get chosen(): EndpointRow | undefined {
    return this.endpoints.find(({ endpoint }) => endpoint.name === this.endpoint) ?? this.endpoints[0];
  }

  /** As commands take it: what is shown is what is asked. */
  get params(): { readonly endpoint: string; readonly model: string | null } {
    return {
      endpoint: this.chosen?.endpoint.name ?? '',
      model: this.model === '' ? (this.chosen?.ownModel ?? null) : this.model,
    };
  }

  choose(endpoint: string): void {
    this.endpoint = endpoint;
    this.model = '';
  }
}
