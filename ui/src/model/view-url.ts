import type { CallRange, CompareWith, EventOrder } from '@/api/gen/api.ts';
import { CURVES, type CurveKind } from './curves.ts';
import { METRICS, type Metric } from './lab-bill.ts';
import { SWEEP_AXES, type SweepAxes } from './lab-sweeps.ts';

const VIEWS = ['session', 'pipeline', 'lab'] as const;
export type ViewName = (typeof VIEWS)[number];

export const VIEW_TITLES: Readonly<Record<ViewName, string>> = {
  session: 'Session',
  pipeline: 'Pipeline',
  lab: 'Lab',
};

const TABS = ['parts', 'text', 'json'] as const;
export type TabName = (typeof TABS)[number];

const ORDERS = ['inOrder', 'byLifetime', 'bySize'] as const satisfies readonly EventOrder[];
const COMPARES = ['stageBefore', 'previousCall'] as const satisfies readonly CompareWith[];
const DIFFS = ['split', 'unified'] as const;
export type DiffMode = (typeof DIFFS)[number];

const SWEEP_LOOKS = ['map', 'table'] as const;
type SweepLook = (typeof SWEEP_LOOKS)[number];

/** Everything that a link to a view restores. */
export interface ViewState {
  readonly session: string | undefined;
  readonly view: ViewName;
  /** The call the cursor is on; 0 stands for the call with the largest prompt until one was chosen. */
  readonly cursor: number;
  /** Committed ranges, the widest first. */
  readonly ranges: readonly CallRange[];
  /** Address of what the inspector shows. */
  readonly selection: string | undefined;
  readonly order: EventOrder;
  readonly filter: string;
  /** Processor of the stage that is looked at. */
  readonly stage: string | undefined;
  readonly tab: TabName;
  readonly compare: CompareWith;
  readonly diff: DiffMode;
  readonly isChangedOnly: boolean;
  readonly isShaded: boolean;
  /** The configuration the Lab looks at; empty: the one its sweep recommends. */
  readonly config: string;
  readonly axes: SweepAxes;
  /** A grid that was written by hand; empty: the usual one of the axes. */
  readonly grid: string;
  readonly metric: Metric;
  readonly look: SweepLook;
  readonly curve: CurveKind;
  /** The summary that is looked at, from 1. */
  readonly summary: number;
}

export const INITIAL_VIEW: ViewState = {
  session: undefined,
  view: 'session',
  cursor: 0,
  ranges: [],
  selection: undefined,
  order: 'byLifetime',
  filter: '',
  stage: undefined,
  tab: 'parts',
  compare: 'stageBefore',
  diff: 'split',
  isChangedOnly: false,
  isShaded: false,
  config: '',
  axes: 'window',
  grid: '',
  metric: 'cost',
  look: 'map',
  curve: 'prompt',
  summary: 1,
};

/** `#/invoice-triage/session?call=17&at=E7`: what differs from the initial view, in a fixed order. */
export function printView(state: ViewState): string {
  if (state.session === undefined) return '#/';
  const query = new URLSearchParams();
  const put = (name: string, value: string, initial: string): void => {
    if (value !== initial) query.set(name, value);
  };
  put('call', String(state.cursor), '0');
  put('range', state.ranges.map((range) => `${String(range.from)}..${String(range.to)}`).join('~'), '');
  put('at', state.selection ?? '', '');
  put('order', state.order, INITIAL_VIEW.order);
  put('filter', state.filter, '');
  put('stage', state.stage ?? '', '');
  put('tab', state.tab, INITIAL_VIEW.tab);
  put('compare', state.compare, INITIAL_VIEW.compare);
  put('diff', state.diff, INITIAL_VIEW.diff);
  put('changed', state.isChangedOnly ? '1' : '', '');
  put('tokens', state.isShaded ? '1' : '', '');
  put('config', state.config, '');
  put('axes', state.axes, INITIAL_VIEW.axes);
  put('grid', state.grid, '');
  put('metric', state.metric, INITIAL_VIEW.metric);
  put('look', state.look, INITIAL_VIEW.look);
  put('curve', state.curve, INITIAL_VIEW.curve);
  put('summary', String(state.summary), '1');
  const text = query
    .toString()
    .replaceAll('%2F', '/')
    .replaceAll('%3A', ':')
    .replaceAll('%7E', '~')
    .replaceAll('%3D', '=')
    .replaceAll('%2C', ',');
  return `#/${encodeURIComponent(state.session)}/${state.view}${text === '' ? '' : `?${text}`}`;
}

/** Reads what `printView` wrote. What cannot be read counts as not said. */
export function parseView(hash: string): ViewState {
  const match = /^#?\/([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/.exec(hash);
  const session = match?.[1];
  if (session === undefined) return INITIAL_VIEW;
  const query = new URLSearchParams(match?.[3] ?? '');
  return {
    session: decode(session),
    view: oneOf(VIEWS, match?.[2] ?? null, INITIAL_VIEW.view),
    cursor: wholeNumber(query.get('call')),
    ranges: parseRanges(query.get('range')),
    selection: query.get('at') ?? undefined,
    order: oneOf(ORDERS, query.get('order'), INITIAL_VIEW.order),
    filter: query.get('filter') ?? '',
    stage: query.get('stage') ?? undefined,
    tab: oneOf(TABS, query.get('tab'), INITIAL_VIEW.tab),
    compare: oneOf(COMPARES, query.get('compare'), INITIAL_VIEW.compare),
    diff: oneOf(DIFFS, query.get('diff'), INITIAL_VIEW.diff),
    isChangedOnly: query.get('changed') === '1',
    isShaded: query.get('tokens') === '1',
    config: query.get('config') ?? '',
    axes: oneOf(SWEEP_AXES, query.get('axes'), INITIAL_VIEW.axes),
    grid: query.get('grid') ?? '',
    metric: oneOf(METRICS, query.get('metric'), INITIAL_VIEW.metric),
    look: oneOf(SWEEP_LOOKS, query.get('look'), INITIAL_VIEW.look),
    curve: oneOf(CURVES, query.get('curve'), INITIAL_VIEW.curve),
    summary: Math.max(1, wholeNumber(query.get('summary'))),
  };
}

/** A link someone cut in two must not keep the window from opening. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function oneOf<T extends string>(values: readonly T[], text: string | null, fallback: T): T {
  return values.find((value) => value === text) ?? fallback;
}

function wholeNumber(text: string | null): number {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

function parseRanges(text: string | null): readonly CallRange[] {
  return (text ?? '').split('~').flatMap((piece) => {
    const match = /^(\d{1,9})\.\.(\d{1,9})$/.exec(piece);
    const from = Number(match?.[1]);
    const to = Number(match?.[2]);
    return match !== null && from >= 1 && to >= from ? [{ from, to }] : [];
  });
}
