import { untrack } from 'svelte';
import { MediaQuery } from 'svelte/reactivity';

export type DialogName =
  | 'keys'
  | 'appPath'
  | 'sessions'
  | 'diagnostics'
  | 'jobs'
  | 'files'
  | 'look'
  | 'experiments'
  | 'addProcessor'
  | 'export'
  | 'scripts'
  | 'saveScript'
  | 'replay'
  | 'run'
  | 'probes';

/** What is open in the window besides the view. */
export class Panels {
  readonly #isNarrow = new MediaQuery('(max-width: 1279px)');
  dialog: DialogName | undefined = $state();
  /** Files are being dragged over the window. */
  isDropTarget = $state(false);
  #isInspectorWanted: { readonly isNarrow: boolean; readonly isOpen: boolean } | undefined = $state.raw();
  #covers = $state(0);
  readonly #finders: (() => void)[] = [];

  /** In a narrow window the inspector lies over the view, and is closed until it is asked for. */
  get isInspectorOverlay(): boolean {
    return this.#isNarrow.current;
  }

  get isInspectorOpen(): boolean {
    const wanted = this.#isInspectorWanted;
    return wanted?.isNarrow === this.isInspectorOverlay ? wanted.isOpen : !this.isInspectorOverlay;
  }

  showInspector(isOpen: boolean): void {
    this.#isInspectorWanted = { isNarrow: this.isInspectorOverlay, isOpen };
  }

  toggle(dialog: DialogName): void {
    this.dialog = this.dialog === dialog ? undefined : dialog;
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
