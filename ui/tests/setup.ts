import '@testing-library/jest-dom/vitest';
import { afterEach, vi } from 'vitest';
import { cleanup, configure } from '@testing-library/svelte';

// What is waited for comes when it comes: beside other work a whole window takes long to draw without a browser. This
// only ends the wait for what never does.
configure({ asyncUtilTimeout: 60_000 });

afterEach(() => {
  cleanup();
  localStorage.clear();
});

// What a page has in a browser and not in jsdom: sizes, canvases, media queries, observers.
const WIDTH = 1100;
const HEIGHT = 400;

Object.defineProperties(HTMLElement.prototype, {
  clientWidth: { get: () => WIDTH, configurable: true },
  clientHeight: { get: () => HEIGHT, configurable: true },
  offsetWidth: { get: () => WIDTH, configurable: true },
  offsetHeight: { get: () => HEIGHT, configurable: true },
  // An element without rectangles counts as hidden, and nothing is placed beside it.
  getClientRects: { value: () => [new DOMRect(0, 0, WIDTH, HEIGHT)], configurable: true },
});
HTMLCanvasElement.prototype.getContext = () => null;
Element.prototype.scrollTo = function scrollTo(this: Element, options?: ScrollToOptions | number) {
  if (typeof options === 'object') this.scrollTop = options.top ?? this.scrollTop;
};
Element.prototype.scrollIntoView = () => undefined;
Element.prototype.setPointerCapture = () => undefined;
Element.prototype.getAnimations = () => [];

/** Tells the size of an element once, as a browser does when it begins to observe. */
class OneSizeObserver implements ResizeObserver {
  readonly #callback: ResizeObserverCallback;

  constructor(callback: ResizeObserverCallback) {
    this.#callback = callback;
  }

  observe(target: Element): void {
    const size = [{ inlineSize: WIDTH, blockSize: HEIGHT }];
    const entry = {
      target,
      contentRect: new DOMRect(0, 0, WIDTH, HEIGHT),
      borderBoxSize: size,
      contentBoxSize: size,
      devicePixelContentBoxSize: size,
    };
    queueMicrotask(() => this.#callback([entry], this));
  }

  unobserve(): void {
    return undefined;
  }

  disconnect(): void {
    return undefined;
  }
}

vi.stubGlobal('ResizeObserver', OneSizeObserver);
vi.stubGlobal('matchMedia', (query: string) => ({
  matches: false,
  media: query,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
}));
