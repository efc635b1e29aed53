import type {
  BreakPage,
  CallDetail,
  ContextWindow,
  EventPage,
  FixRow,
  Question,
  Remedy,
} from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { bestFix, type Finding } from '@/model/effects.ts';
import { callsLeft, growthOf, type Growth } from '@/model/fullness.ts';
import { largestCall } from '@/model/columns.ts';
import type { Cursor } from './cursor.svelte.ts';
import type { Findings } from './findings.svelte.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Location } from './location.svelte.ts';
import type { Navigation } from './navigation.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';

/** Rows of the cards. */
const FEW = 3;
/** Remedies that are shown, each with a key. */
const MOST_REMEDIES = 4;
/** Savings below this share of the cost, or of the tokens where there is no price, are not worth a line. */
const LEAST_SHARE = 0.005;

interface Places {
  readonly location: Location;
  readonly session: OpenSession;
  readonly findings: Findings;
  readonly navigation: Navigation;
  readonly cursor: Cursor;
  readonly ask: (question: Question) => void;
}

/** What a card of the summary leads to. */
export type Proof = 'big' | 'broke' | 'cost' | 'full';

/** Something to do, with what shows that it is worth it. */
export interface Advice {
  readonly finding: Finding;
  readonly fix: FixRow;
  readonly remedy: Remedy | undefined;
}

/** What a session comes to: what is big, what broke, what it cost, how full it is, what to do. */
export class SessionSummary {
  readonly #in: Places;
  readonly largest: Loaded<EventPage>;
  readonly failed: Loaded<EventPage>;
  readonly breaks: Loaded<BreakPage>;
  /** The last call, and the one with the largest prompt: the provider's own counts, where it gave them. */
  readonly lastCall: Loaded<CallDetail>;
  readonly largestCall: Loaded<CallDetail>;

  constructor(host: Host, places: Places) {
    this.#in = places;
    const { session } = places;
    const id = (): string => session.id ?? '';
    const events = (filter: string, limit: number): Loaded<EventPage> =>
      new Loaded(
        () => this.#key(filter),
        () => host.invoke('event/page', { session: id(), order: 'byLifetime', filter, offset: 0, limit }),
      );
    this.largest = events('', FEW);
    this.failed = events('error:yes', FEW);
    const call = (number: () => number): Loaded<CallDetail> =>
      new Loaded(
        () => (number() > 0 ? this.#key(`C${String(number())}`) : undefined),
        () => host.invoke('call/get', { session: id(), call: number() }),
      );
    this.lastCall = call(() => session.calls);
    this.largestCall = call(() => (session.columns.length > 0 ? largestCall(session.columns) : 0));
    this.breaks = new Loaded(
      () => this.#key('breaks'),
      () => host.invoke('cache/breaks', { session: id(), order: 'byCost', offset: 0, limit: FEW }),
    );
  }

  get isShown(): boolean {
    return this.#in.location.view.view === 'session' && this.#in.location.view.showsSummary;
  }

  /** Calls that are still being compiled would change every number. */
  #key(what: string): string | undefined {
    const { calls, isCompiling, keyOfEdits } = this.#in.session;
    return this.isShown && calls > 0 && !isCompiling ? `${keyOfEdits} ${String(calls)} ${what}` : undefined;
  }

  get growth(): Growth | undefined {
    return growthOf(this.#in.session.columns);
  }

  /** Of the agent that answered last. */
  get window(): ContextWindow | undefined {
    const last = this.lastCall.latest?.agent;
    return this.#in.session.info?.agents.find(({ name }) => name === last)?.contextWindow ?? undefined;
  }

  /** Calls until the window is full, if prompts go on growing as they did. */
  get callsLeft(): number | undefined {
    const { growth, window } = this;
    const { latest } = this.lastCall;
    if (growth === undefined || window === undefined || latest === undefined) return undefined;
    return callsLeft(promptSize(latest), growth.perCall, window.tokens);
  }

  toggle(): void {
    const { location } = this.#in;
    location.go({ showsSummary: !location.view.showsSummary }, 'replace');
  }

  /** Leads to what a card says. */
  prove(proof: Proof): void {
    const { cursor, navigation, session, location, ask } = this.#in;
    const [largest] = this.largest.latest?.rows ?? [];
    const dearest = this.breaks.latest?.rows.find(({ nature }) => nature === 'avoidable');
    if (proof === 'cost') ask('costliestTurn');
    else if (proof === 'full') {
      cursor.set(largestCall(session.columns));
      location.go({ selection: undefined });
    } else if (proof === 'big' && largest !== undefined) navigation.select(`E${String(largest.event)}`);
    else if (proof === 'broke' && dearest !== undefined) this.showBreak(dearest.call);
    else if (proof === 'broke' && (this.failed.latest?.total ?? 0) > 0) this.showFailed();
    else if (proof === 'broke') this.showDearest();
  }

  showBreak(call: number): void {
    this.#in.location.go({ view: 'cache', cursor: call, selection: undefined, difference: 1 });
  }

  /** The loss that cost most, whether or not it could be avoided; the Cache view where there was none. */
  showDearest(): void {
    const [dearest] = this.breaks.latest?.rows ?? [];
    if (dearest !== undefined) this.showBreak(dearest.call);
    else this.#in.location.go({ view: 'cache' });
  }

  showFailed(): void {
    this.#in.location.go({ filter: 'error:yes' });
  }

  /** Shows the finding behind a remedy, with what the fix changes. */
  proveAdvice(index: number): void {
    const advice = this.advice[index];
    if (advice !== undefined)
      this.#in.location.go({ view: 'pipeline', panel: 'findings', finding: advice.finding.id });
  }

  /** What saves most, each fix once. Each saving is counted alone: they overlap. */
  readonly advice: readonly Advice[] = $derived.by(() => this.#advise());

  #advise(): readonly Advice[] {
    const { info } = this.#in.session;
    const isWorthIt = ({ savesUsd, savesTokens }: FixRow): boolean =>
      savesUsd !== null && info?.bill.cost !== null && info?.bill.cost !== undefined
        ? savesUsd >= info.bill.cost * LEAST_SHARE
        : savesTokens >= (info?.bill.promptTokens ?? 0) * LEAST_SHARE;
    const advice = this.#in.findings.ranked.flatMap((finding) => {
      const fix = bestFix(finding);
      if (fix === undefined || !isWorthIt(fix)) return [];
      return [{ finding, fix, remedy: fix.remedy ?? undefined }];
    });
    const worth = ({ fix }: Advice): number => fix.savesUsd ?? fix.savesTokens;
    const name = ({ fix, remedy }: Advice): string => remedy?.text ?? fix.title;
    const best = new Map<string, Advice>();
    for (const each of advice) {
      const known = best.get(name(each));
      if (known === undefined || worth(each) > worth(known)) best.set(name(each), each);
    }
    return [...best.values()].sort((a, b) => worth(b) - worth(a)).slice(0, MOST_REMEDIES);
  }
}

/** What the provider counted, with what it was sent beyond the record; else our own count. */
export function promptSize({ bill, calibrated }: CallDetail): number {
  return bill.reportedCalls > 0 ? bill.promptTokens : (calibrated?.tokens ?? bill.promptTokens);
}
