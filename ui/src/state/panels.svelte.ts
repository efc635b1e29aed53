import { untrack } from 'svelte';
import { MediaQuery } from 'svelte/reactivity';

export type DialogName =
  | 'keys'
  | 'signs'
  | 'words'
  | 'appPath'
  | 'model'
  | 'sessions'
  | 'database'
  | 'diagnostics'
  | 'jobs'
  | 'files'
  | 'look'
  | 'experiments'
  | 'addProcessor'
  | 'export'
  | 'report'
  | 'scripts'
  | 'saveScript'
  | 'replay'
  | 'run'
  | 'probes'
  | 'batch';

/** How much room the window has: each has an inspector of its own, open or closed. */
type Width = 'wide' | 'medium' | 'small';

/** What is open in the window besides the view. */
export class Panels {
  readonly #isBelowWide = new MediaQuery('(max-width: 1279px)');
  readonly #isSmall = new MediaQuery('(max-width: 999px)');
  dialog: DialogName | undefined = $state();
  /** The word that the glossary shows. */
  word: string | undefined = $state();
  /** Files are being dragged over the window. */
  isDropTarget = $state(false);
  #isInspectorWanted: Readonly<Partial<Record<Width, boolean>>> = $state.raw({});
  #covers = $state(0);
  readonly #finders: (() => void)[] = [];

  get #width(): Width {
    if (this.#isSmall.current) return 'small';
    return this.#isBelowWide.current ? 'medium' : 'wide';
  }

  /** In a small window the inspector lies over the view, and is closed until something is selected. */
  get isInspectorOverlay(): boolean {
    return this.#width === 'small';
  }

  get isInspectorOpen(): boolean {
    return this.#isInspectorWanted[this.#width] ?? !this.isInspectorOverlay;
  }

  showInspector(isOpen: boolean): void {
    this.#isInspectorWanted = { ...this.#isInspectorWanted, [this.#width]: isOpen };
  }

  toggle(dialog: DialogName): void {
    this.dialog = this.dialog === dialog ? undefined : dialog;
  }

  /** Opens the glossary, at a word if there is one. */
  showWord(word: string | undefined): void {
    this.word = word;
    this.dialog = 'words';
  }

  /** Something lies over the view and takes the keys. */
  get isCovered(): boolean {
    return this.dialog !== undefined || this.#covers > 0;
  }

  /** Says that a dialog of its own is open. Returns the function that takes it back. */
  cover(): () => void {
    untrack(() => (this.#covers += 1));
    return () => {
      this.#covers -= 1;
    };
  }

  /** Says how to find something in the panel that was shown last. Returns the function that takes it back. */
  offerFind(find: () => void): () => void {
    this.#finders.push(find);
    return () => {
      this.#finders.splice(this.#finders.indexOf(find), 1);
    };
  }

  find(): void {
    this.#finders.at(-1)?.();
  }
}
