import { Latest } from '@/lib/latest.ts';
import { complete, completions, termAt, type Completion, type FilterNames } from '@/model/filter.ts';
import type { Workbench } from '@/state/workbench.svelte.ts';

const MOST_NAMES = 12;

/** Typing a filter: what completes the word at the caret, and which completion is chosen. */
export class FilterField {
  readonly #workbench: Workbench;
  readonly #names: Latest<{ readonly key: string; readonly value: string }>;
  #found: FilterNames = $state.raw({});
  #caret = $state(0);
  #isOpen = $state(false);
  chosen = $state(-1);
  readonly completions: readonly Completion[] = $derived.by(() => this.#complete());

  constructor(workbench: Workbench) {
    this.#workbench = workbench;
    this.#names = new Latest(async ({ key, value }) => {
      const session = workbench.session.id ?? '';
      try {
        const { items } = await workbench.host.invoke('palette/search', {
          session,
          query: value === '' ? key : value,
          limit: MOST_NAMES * 3,
        });
        const names = items.filter(({ place }) => place === key).map(({ title }) => title);
        this.#found = { ...this.#found, [key]: names.slice(0, MOST_NAMES) };
      } catch (thrown) {
        workbench.messages.report(thrown);
      }
    });
  }

  get text(): string {
    return this.#workbench.location.view.filter;
  }

  get isOpen(): boolean {
    return this.#isOpen && this.completions.length > 0;
  }

  typed(text: string, caret: number): void {
    this.#workbench.location.go({ filter: text }, 'replace');
    this.#caret = caret;
    this.chosen = -1;
    this.#isOpen = true;
    this.#askForNames();
  }

  moved(caret: number): void {
    if (caret !== this.#caret) this.chosen = -1;
    this.#caret = caret;
  }

  close(): void {
    this.#isOpen = false;
  }

  /** Returns true when the key was meant for the list of completions. */
  key(key: string): boolean {
    if (!this.isOpen) return false;
    const count = this.completions.length;
    if (key === 'ArrowDown') this.chosen = (this.chosen + 1) % count;
    else if (key === 'ArrowUp') this.chosen = this.chosen <= 0 ? count - 1 : this.chosen - 1;
    else if (key === 'Escape') this.close();
    else return false;
    return true;
  }

  /** Takes a completion and says where the caret goes. */
  take(index: number): number | undefined {
    const completion = this.completions[index];
    if (completion === undefined) return undefined;
    const { text, caret } = complete(this.text, this.#caret, completion);
    this.typed(text, caret);
    return caret;
  }

  clear(): void {
    this.#workbench.location.go({ filter: '' });
    this.close();
  }

  #complete(): readonly Completion[] {
    const { session } = this.#workbench;
    const agents = session.info?.agents.map(({ name }) => name) ?? [];
    const call = String(session.cursor);
    return completions(this.text, this.#caret, {
      ...this.#found,
      agent: ['user', ...agents],
      call: [call, `1..${call}`, `${call}..${String(session.calls)}`],
    });
  }

  #askForNames(): void {
    const word = this.text.slice(termAt(this.text, this.#caret).from, this.#caret);
    const match = /^(tool|state):(.*)$/.exec(word);
    if (match?.[1] !== undefined) this.#names.ask({ key: match[1], value: match[2] ?? '' });
  }
}
