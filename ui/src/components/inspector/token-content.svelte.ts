import type { PartSpan, PartText } from '@/api/gen/api.ts';
import { cutTokens, type TokenRun } from '@/model/token-runs.ts';
import { Loaded } from '@/state/loaded.svelte.ts';
import type { Workbench } from '@/state/workbench.svelte.ts';

/** Characters of a page: about 500 tokens, each an element. */
const PAGE = 2_000;

export interface ContentSource {
  readonly address: string;
  readonly stage: number | null;
  readonly spans: readonly PartSpan[];
}

/** A text looked at token by token, a page at a time. */
export class TokenContent {
  readonly #source: () => ContentSource;
  readonly page: Loaded<PartText>;
  /** Where the page begins, in the text where a person turned it. */
  #turned: { readonly address: string; readonly offset: number } | undefined = $state.raw();

  constructor({ host, session }: Workbench, source: () => ContentSource) {
    this.#source = source;
    this.page = new Loaded(
      () => [session.key, source().address, source().stage, this.offset].join(' '),
      () =>
        host.invoke('part/text', {
          session: session.id ?? '',
          address: source().address,
          stage: source().stage,
          offset: this.offset,
          limit: PAGE,
        }),
    );
  }

  get offset(): number {
    return this.#turned?.address === this.#source().address ? this.#turned.offset : 0;
  }

  get total(): number {
    return this.page.latest?.totalLength ?? 0;
  }

  get end(): number {
    return Math.min(this.total, this.offset + PAGE);
  }

  get isPaged(): boolean {
    return this.total > PAGE;
  }

  get runs(): readonly TokenRun[] {
    const page = this.page.latest;
    return page === undefined ? [] : cutTokens(page, this.#source().spans);
  }

  turn(direction: 1 | -1): void {
    const offset = this.offset + direction * PAGE;
    if (offset < 0 || offset >= this.total) return;
    this.#turned = { address: this.#source().address, offset };
  }
}
