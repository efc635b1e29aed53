import { KINDS } from '@/api/gen/api.ts';

/** The colours of the charts, read from the CSS variables so that there is one place for them. */
export interface DrawTheme {
  readonly app: string;
  readonly panel: string;
  readonly hover: string;
  readonly line: string;
  readonly lineStrong: string;
  readonly textHi: string;
  readonly textMid: string;
  readonly textLow: string;
  readonly paid: string;
  readonly cached: string;
  readonly break: string;
  readonly summary: string;
  /** Context that is known by its size alone. */
  readonly hidden: string;
  readonly focus: string;
  /** In the order of `KINDS`. */
  readonly kinds: readonly string[];
  /** How much of a kind's colour is left where it was cached, and where it is selected too. */
  readonly dim: number;
  readonly dimSelected: number;
  readonly font: string;
}

/** Builds shorten `#ffffff` to `#fff`; what is drawn needs all digits, some with two more for the opacity. */
function longHex(color: string): string {
  return /^#[0-9a-f]{3}$/i.test(color) ? color.replace(/[0-9a-f]/gi, '$&$&') : color;
}

export function readTheme(style: Pick<CSSStyleDeclaration, 'getPropertyValue'>): DrawTheme {
  const get = (name: string): string => longHex(style.getPropertyValue(name).trim());
  return {
    app: get('--app'),
    panel: get('--panel'),
    hover: get('--hover'),
    line: get('--line'),
    lineStrong: get('--line-strong'),
    textHi: get('--text-hi'),
    textMid: get('--text-mid'),
    textLow: get('--text-low'),
    paid: get('--paid'),
    cached: get('--cached'),
    break: get('--break'),
    summary: get('--kind-summary'),
    hidden: get('--hidden'),
    focus: get('--focus'),
    kinds: KINDS.map((kind) => get(`--kind-${kind}`)),
    dim: Number(get('--dim')),
    dimSelected: Number(get('--dim-selected')),
    font: get('--font-ui'),
  };
}
