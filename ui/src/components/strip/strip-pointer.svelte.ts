import { splitTitle } from '@/lib/text.ts';
import type { Workbench } from '@/state/workbench.svelte.ts';

const DRAG_PX = 4;

/** What the pointer does on the strip: a press moves the cursor, a drag draws a range. */
export class StripPointer {
  readonly #workbench: Workbench;
  readonly #callAt: (x: number) => number;
  tip: { readonly x: number; readonly lines: readonly string[] } | undefined = $state.raw();
  #pressed: { readonly x: number; readonly call: number } | undefined;
  #isDragging = false;

  constructor(workbench: Workbench, callAt: (x: number) => number) {
    this.#workbench = workbench;
    this.#callAt = callAt;
  }

  readonly down = (event: PointerEvent & { currentTarget: HTMLElement }): void => {
    if (event.button !== 0 || this.#workbench.session.calls === 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const x = offset(event);
    this.#pressed = { x, call: this.#callAt(x) };
    this.#isDragging = false;
  };

  readonly move = (event: PointerEvent & { currentTarget: HTMLElement }): void => {
    if (this.#workbench.session.calls === 0) return;
    const x = offset(event);
    const call = this.#callAt(x);
    const pressed = this.#pressed;
    if (pressed !== undefined && Math.abs(x - pressed.x) >= DRAG_PX) this.#isDragging = true;
    if (pressed !== undefined && this.#isDragging) {
      const range = { from: Math.min(pressed.call, call), to: Math.max(pressed.call, call) };
      this.#workbench.cursor.preview = range;
      this.#workbench.hover = {};
      const count = range.to - range.from + 1;
      this.tip = {
        x,
        lines: [
          `C${String(range.from)}–C${String(range.to)}, ${String(count)} calls`,
          'Press R to look at them only',
        ],
      };
      return;
    }
    this.#workbench.hover = { call };
    this.tip = { x, lines: splitTitle(this.#workbench.cursor.describe(call)) };
  };

  readonly up = (): void => {
    const pressed = this.#pressed;
    this.#pressed = undefined;
    if (pressed === undefined || this.#isDragging) return;
    this.#workbench.cursor.preview = undefined;
    this.#workbench.cursor.set(pressed.call);
  };

  readonly leave = (): void => {
    if (this.#pressed !== undefined) return;
    this.tip = undefined;
    this.#workbench.hover = {};
  };
}

function offset(event: PointerEvent & { currentTarget: HTMLElement }): number {
  return event.clientX - event.currentTarget.getBoundingClientRect().left;
}
