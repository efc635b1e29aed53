import { TOUR, type TourStep } from '@/model/tour.ts';
import type { Workbench } from './workbench.svelte.ts';

/** A walk through the window on the bundled sample. It points at things and holds up nothing: all keys work meanwhile. */
export class Tour {
  readonly #workbench: Workbench;
  /** Which stop it is at, from 0; nothing when it is off. */
  step: number | undefined = $state();
  /** The session that was open when it began, if that was another one. */
  #before: string | undefined;

  constructor(workbench: Workbench) {
    this.#workbench = workbench;
  }

  get stop(): TourStep | undefined {
    return this.step === undefined ? undefined : TOUR[this.step];
  }

  start(): void {
    const { session, start } = this.#workbench;
    const sample = start.latest?.sampleSession;
    if (sample === undefined) return;
    this.#before = session.id === sample ? undefined : session.id;
    this.#workbench.panels.dialog = undefined;
    this.#workbench.openSession(sample);
    this.go(0);
  }

  /** Goes to a stop; behind the last one the tour ends. */
  go(step: number): void {
    const stop = TOUR[step];
    if (stop === undefined) return this.end();
    const { location, panels } = this.#workbench;
    this.step = step;
    if (location.view.view !== stop.view) this.#workbench.show(stop.view);
    if (stop.at === 'inspector') panels.showInspector(true);
  }

  /** Ends it, wherever it is, and remembers that whoever sits here has seen or skipped it. */
  end(): void {
    const { appearance } = this.#workbench;
    this.step = undefined;
    if (!appearance.settings.isSampleBarDismissed) appearance.change({ isSampleBarDismissed: true });
    if (this.#before !== undefined) this.#workbench.openSession(this.#before);
    this.#before = undefined;
  }
}
