import type { FindingList, FixRow } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { bestFix, rankFindings, type Finding } from '@/model/effects.ts';
import type { Experiments } from './experiments.svelte.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Location } from './location.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';

/** What is worth a person's time in the session or experiment that is shown, and what would help. */
export class Findings {
  readonly #location: Location;
  readonly #session: OpenSession;
  readonly #experiments: Experiments;
  readonly list: Loaded<FindingList>;
  #tick = $state(0);

  constructor(host: Host, location: Location, session: OpenSession, experiments: Experiments) {
    this.#location = location;
    this.#session = session;
    this.#experiments = experiments;
    this.list = new Loaded(
      () => {
        const { view, panel, selection } = location.view;
        // The inspector has the fixes of the event it shows.
        const isInSession =
          view === 'session' && (location.view.showsSummary || /^E\d+$/.test(selection ?? ''));
        const isShown = (isInSession || (view === 'pipeline' && panel === 'findings')) && session.calls > 0;
        return isShown && !session.isCompiling
          ? `${session.keyOfEdits} findings ${String(this.#tick)}`
          : undefined;
      },
      () => host.invoke('findings/list', { session: session.id ?? '' }),
    );
  }

  /** More fixes were tried in the background. */
  tried(session: string): void {
    if (session === this.#session.id) this.#tick += 1;
  }

  /** The dearest first. */
  readonly ranked: readonly Finding[] = $derived.by(() =>
    this.list.latest === undefined ? [] : rankFindings(this.list.latest),
  );

  get index(): number {
    const named = this.ranked.findIndex(({ id }) => id === this.#location.view.finding);
    return Math.max(0, named);
  }

  get finding(): Finding | undefined {
    return this.ranked[this.index];
  }

  select(index: number): void {
    const finding = this.ranked[Math.min(this.ranked.length - 1, Math.max(0, index))];
    if (finding !== undefined) this.#location.go({ finding: finding.id }, 'walk');
  }

  move(delta: number): void {
    this.select(this.index + delta);
  }

  /** The fix that one key applies. */
  get fix(): FixRow | undefined {
    const { finding } = this;
    return finding === undefined ? undefined : bestFix(finding);
  }

  async apply(fix: FixRow | undefined = this.fix): Promise<void> {
    if (fix !== undefined) await this.#experiments.apply(fix);
  }
}
