/** How far a press moves before it is a drag. */
const SLOP_PX = 4;

export interface DragTarget {
  /** Index of the row under a pointer, among all rows of the list. */
  readonly rowAt: (element: Element) => number | undefined;
  readonly count: () => number;
  readonly rowHeight: () => number;
  /** Lets the row at `from` go in front of the row at `gap`. */
  readonly drop: (from: number, gap: number) => void;
  readonly toggle: (index: number) => void;
}

interface Drag {
  readonly from: number;
  /** Rows in front of which the dragged one would be put. */
  readonly gap: number;
  /** Where the line for the gap is drawn, in pixels from the top of the list's box. */
  readonly top: number;
}

/** Reorders rows by pointer, and switches those whose switch is pressed. HTML's own drag and drop fails in WebKitGTK. */
export class StageDrag {
  readonly #target: DragTarget;
  drag: Drag | undefined = $state.raw();

  constructor(target: DragTarget) {
    this.#target = target;
  }

  readonly attach = (box: HTMLElement): (() => void) => {
    let pressed: { readonly from: number; readonly y: number } | undefined;
    const down = (event: PointerEvent): void => {
      if (event.button !== 0 || !(event.target instanceof Element)) return;
      const from = this.#target.rowAt(event.target);
      if (from !== undefined) pressed = { from, y: event.clientY };
    };
    const move = (event: PointerEvent): void => {
      if (pressed === undefined) return;
      if (this.drag === undefined && Math.abs(event.clientY - pressed.y) < SLOP_PX) return;
      if (this.drag === undefined) box.setPointerCapture(event.pointerId);
      this.drag = this.#dragOver(box, pressed.from, event.clientY);
    };
    const up = (): void => {
      const { drag } = this;
      pressed = undefined;
      if (drag === undefined) return;
      this.drag = undefined;
      this.#target.drop(drag.from, drag.gap);
    };
    const cancel = (): void => {
      pressed = undefined;
      this.drag = undefined;
    };
    const click = (event: MouseEvent): void => {
      const toggle = event.target instanceof Element ? event.target.closest('[data-switch]') : null;
      const index = toggle === null ? undefined : this.#target.rowAt(toggle);
      if (index === undefined) return;
      event.stopPropagation();
      this.#target.toggle(index);
    };
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || this.drag === undefined) return;
      event.preventDefault();
      cancel();
    };
    box.addEventListener('pointerdown', down);
    box.addEventListener('pointermove', move);
    box.addEventListener('pointerup', up);
    box.addEventListener('pointercancel', cancel);
    box.addEventListener('click', click, { capture: true });
    window.addEventListener('keydown', escape, { capture: true });
    return () => {
      box.removeEventListener('pointerdown', down);
      box.removeEventListener('pointermove', move);
      box.removeEventListener('pointerup', up);
      box.removeEventListener('pointercancel', cancel);
      box.removeEventListener('click', click, { capture: true });
      window.removeEventListener('keydown', escape, { capture: true });
    };
  };

  #dragOver(box: HTMLElement, from: number, y: number): Drag {
    const list = box.querySelector('[role=listbox]');
    const scrollTop = list?.scrollTop ?? 0;
    const height = this.#target.rowHeight();
    const inList = y - (list ?? box).getBoundingClientRect().top + scrollTop;
    const gap = Math.min(this.#target.count(), Math.max(0, Math.round(inList / height)));
    return { from, gap, top: gap * height - scrollTop };
  }
}
