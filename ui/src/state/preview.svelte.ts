import type { Edit, PreviewResult } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { Loaded } from './loaded.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';

/** What edits would do to the call under the cursor and to all calls, while they are typed. Nothing is stored. */
export class Preview {
  readonly #answer: Loaded<PreviewResult>;

  /** `edits` is undefined while what is typed makes none. */
  constructor(host: Host, session: OpenSession, edits: () => readonly Edit[] | undefined) {
    this.#answer = new Loaded(
      () => {
        const wanted = edits();
        const key = session.keyOfCall(session.cursor);
        return wanted === undefined || key === undefined ? undefined : `${key} ${JSON.stringify(wanted)}`;
      },
      () =>
        host.invoke('experiment/preview', {
          session: session.id ?? '',
          call: session.cursor,
          edits: [...(edits() ?? [])],
        }),
    );
  }

  get result(): PreviewResult | undefined {
    return this.#answer.latest;
  }

  get isLoading(): boolean {
    return this.#answer.isLoading;
  }

  get failure(): string | undefined {
    return this.#answer.failure?.message;
  }
}
