import '@testing-library/jest-dom/vitest';
import { afterEach, vi } from 'vitest';
import { cleanup, configure } from '@testing-library/svelte';

// What is waited for comes when it comes: beside other work a whole window takes long to draw without a browser. This
// only ends the wait for what never does.
// The whole page is not printed with each attempt that finds nothing yet.
configure({ asyncUtilTimeout: 60_000, getElementError: (message) => new Error(message ?? 'nothing found') });

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

// jsdom goes through a browser's whole style sheet for every style that is asked for. Whether an element is shown, which
// queries by role ask of each element and all that it is in, follows here from two attributes and its name alone.
const NEVER_SHOWN: ReadonlySet<string> = new Set([
  'HEAD',
  'LINK',
  'META',
  'NOSCRIPT',
  'SCRIPT',
  'STYLE',
  'TEMPLATE',
  'TITLE',
]);
const computedStyle = window.getComputedStyle.bind(window);

function isShown(element: Element): boolean {
  const isClosed = element.tagName === 'DIALOG' && !element.hasAttribute('open');
  return !element.hasAttribute('hidden') && !isClosed && !NEVER_SHOWN.has(element.tagName);
}

function display(element: Element): string {
  const own = ownStyle(element, 'display');
  return own !== '' ? own : isShown(element) ? 'block' : 'none';
}

function visibility(element: Element | null): string {
  if (element === null) return 'visible';
  const own = ownStyle(element, 'visibility');
  return own !== '' ? own : visibility(element.parentElement);
}

function ownStyle(element: Element, property: string): string {
  return element instanceof HTMLElement && element.hasAttribute('style')
    ? element.style.getPropertyValue(property)
    : '';
}

window.getComputedStyle = (element, pseudoElement) => {
  const valueOf = (property: string): string => {
    if (property === 'display') return display(element);
    if (property === 'visibility') return visibility(element);
    return computedStyle(element, pseudoElement).getPropertyValue(property);
  };
  return new Proxy(document.documentElement.style, {
    get: (_target, property) => {
      if (property === 'getPropertyValue') return valueOf;
      if (property === 'display' || property === 'visibility') return valueOf(property);
      return Reflect.get(computedStyle(element, pseudoElement), property);
    },
  });
};

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
