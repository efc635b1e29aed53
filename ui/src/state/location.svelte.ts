import { parseView, printView, type ViewState } from '@/model/view-url.ts';

/** The page's address and history. A window has one; tests have their own. */
export interface PageHistory {
  readonly hash: () => string;
  readonly push: (hash: string) => void;
  readonly replace: (hash: string) => void;
  readonly onChange: (changed: () => void) => () => void;
  readonly back: () => void;
  readonly forward: () => void;
}

export function browserHistory(page: Window): PageHistory {
  return {
    hash: () => page.location.hash,
    push: (hash) => page.history.pushState(null, '', hash),
    replace: (hash) => page.history.replaceState(null, '', hash),
    onChange: (changed) => {
      page.addEventListener('popstate', changed);
      page.addEventListener('hashchange', changed);
      return () => {
        page.removeEventListener('popstate', changed);
        page.removeEventListener('hashchange', changed);
      };
    },
    back: () => page.history.back(),
    forward: () => page.history.forward(),
  };
}

/**
 * How a change enters the history. A walk with the keys is one entry however long it is, so that Back leads to where it
 * began; `replace` is for what nobody wants to go back to, such as letters of a filter.
 */
export type Step = 'jump' | 'walk' | 'replace';

/** WebKit refuses more than 100 changes of the address in 10 seconds, and a held key makes 30 a second. */
const WRITE_MS = 250;

/** The state of the view, which is the address: what is not in it is not restored. */
export class Location {
  readonly #page: PageHistory;
  #view: ViewState = $state.raw(parseView(''));
  #isWalking = false;
  /** The address is written a moment after the view changed. */
  #unwritten: ReturnType<typeof setTimeout> | undefined;

  constructor(page: PageHistory) {
    this.#page = page;
    this.#view = parseView(page.hash());
    $effect(() => page.onChange(() => this.#restore()));
  }

  get view(): ViewState {
    return this.#view;
  }

  go(change: Partial<ViewState>, step: Step = 'jump'): void {
    const next = { ...this.#view, ...change };
    const hash = printView(next);
    if (hash === printView(this.#view)) return;
    const isReplacing = step === 'replace' || (step === 'walk' && this.#isWalking);
    if (!isReplacing) this.#write();
    this.#view = next;
    this.#isWalking = step === 'walk' || (step === 'replace' && this.#isWalking);
    if (isReplacing) this.#unwritten ??= setTimeout(() => this.#write(), WRITE_MS);
    else this.#page.push(hash);
  }

  /** The link to this view with some things changed. */
  href(change: Partial<ViewState>): string {
    return printView({ ...this.#view, ...change });
  }

  back(): void {
    this.#write();
    this.#page.back();
  }

  forward(): void {
    this.#write();
    this.#page.forward();
  }

  #write(): void {
    if (this.#unwritten === undefined) return;
    clearTimeout(this.#unwritten);
    this.#unwritten = undefined;
    this.#page.replace(printView(this.#view));
  }

  #restore(): void {
    clearTimeout(this.#unwritten);
    this.#unwritten = undefined;
    this.#isWalking = false;
    this.#view = parseView(this.#page.hash());
  }
}
