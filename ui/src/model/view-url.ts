import type {
  BreakOrder,
  CallRange,
  CompareWith,
  ContextFilter,
  EventOrder,
  HomeOrder,
} from '@/api/gen/api.ts';
import { callOf, parseAddress } from './address.ts';
import { CURVES, type CurveKind } from './curves.ts';
import { HOME_ORDERS, PERIODS, type Period } from './home.ts';
import { METRICS, type Metric } from './lab-bill.ts';
import { SWEEP_AXES, type SweepAxes } from './lab-sweeps.ts';
import { GROUPINGS, SESSION_ORDERS, type Grouping, type SessionOrder } from './session-table.ts';

const VIEWS = [
  'session',
  'pipeline',
  'cache',
  'lab',
  'run',
  'stores',
  'learn',
  'home',
  'capture',
  'sessions',
  'settings',
] as const;
export type ViewName = (typeof VIEWS)[number];

/** What people call the views. */
export const VIEW_TITLES: Readonly<Record<ViewName, string>> = {
  session: 'Session',
  pipeline: 'Pipeline',
  cache: 'Cache',
  lab: 'Lab',
  run: 'Run',
  stores: 'Stores',
  learn: 'Learn',
  home: 'Home',
  capture: 'Capture',
  sessions: 'All sessions',
  settings: 'Settings',
};

const APART = ['learn', 'home', 'capture', 'sessions', 'settings'] as const satisfies readonly ViewName[];
/** Views of no one session. A lesson is of one only when it was begun. */
export type ApartView = (typeof APART)[number];

export function isApart(view: ViewName): view is ApartView {
  return APART.some((apart) => apart === view);
}

const TABS = ['parts', 'text', 'json', 'code'] as const;
export type TabName = (typeof TABS)[number];

const PANELS = ['stage', 'findings', 'compare'] as const;
/** What the Pipeline view shows beside the processors. */
type PanelName = (typeof PANELS)[number];

const ORDERS = ['inOrder', 'byLifetime', 'bySize'] as const satisfies readonly EventOrder[];
const COMPARES = ['stageBefore', 'previousCall'] as const satisfies readonly CompareWith[];
const BREAK_ORDERS = ['byCost', 'inOrder'] as const satisfies readonly BreakOrder[];
const LADDER_SCOPES = ['all', 'agent'] as const;
type LadderScope = (typeof LADDER_SCOPES)[number];
const DIFFS = ['split', 'unified'] as const;
export type DiffMode = (typeof DIFFS)[number];

const STORES = ['state', 'artifacts', 'memory', 'agents', 'nodes', 'contexts'] as const;
const CONTEXT_FILTERS = ['all', 'openTasks', 'expiring', 'named'] as const satisfies readonly ContextFilter[];
/** Which of the stores is looked at. */
export type StoreName = (typeof STORES)[number];

const SWEEP_LOOKS = ['map', 'table'] as const;
type SweepLook = (typeof SWEEP_LOOKS)[number];

/** Sessions that are compared. */
export const MOST_MARKED = 2;

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
  readonly panel: PanelName;
  /** What the session or experiment is compared with, call by call; the recording when absent. */
  readonly against: string | undefined;
  /** The comparison shows calls with equal requests, too. */
  readonly showsEqualCalls: boolean;
  /** Which finding is looked at. */
  readonly finding: string | undefined;
  readonly compare: CompareWith;
  readonly diff: DiffMode;
  readonly isChangedOnly: boolean;
  readonly isShaded: boolean;
  readonly breakOrder: BreakOrder;
  /** Whose prompts the ladder shows: all, or those of the agent under the cursor. */
  readonly ladder: LadderScope;
  /** The ladder magnifies what is around the end of the prefix. */
  readonly isZoomed: boolean;
  /** Which difference from the prompt before is shown, from 1. */
  readonly difference: number;
  /** The configuration the Lab looks at; empty: the one its sweep recommends. */
  readonly config: string;
  readonly axes: SweepAxes;
  /** A grid that was written by hand; empty: the usual one of the axes. */
  readonly grid: string;
  readonly metric: Metric;
  readonly look: SweepLook;
  readonly curve: CurveKind;
  readonly store: StoreName;
  /** The key of the state that is looked at; empty: the one that broke a cache, at the cursor if one did. */
  readonly key: string;
  /** What is looked at of the files, searches, nodes or contexts: a name, a number, an id; empty: the first. */
  readonly item: string;
  /** Which contexts are listed. */
  readonly contextFilter: ContextFilter;
  /** The hand-off that is looked at, from 1. */
  readonly handOff: number;
  /** What the session comes to stands above its map. */
  readonly showsSummary: boolean;
  /** The summary that is looked at, from 1. */
  readonly summary: number;
  /** How the list of all sessions is sorted, grouped and filtered. */
  readonly sessionOrder: SessionOrder;
  readonly isSessionOrderReversed: boolean;
  readonly grouping: Grouping;
  readonly sessionFilter: string;
  /** Sessions of that list which are compared, two at most. */
  readonly marked: readonly string[];
  /** Which sessions Home shows, of which days, and in which order. */
  readonly homeFilter: string;
  readonly period: Period;
  readonly homeOrder: HomeOrder;
  /** The lesson that is looked at; empty: the first that is not solved. */
  readonly lesson: string;
  /** The experiment that the lesson was begun in; empty: it does not go on here. */
  readonly attempt: string;
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
  panel: 'stage',
  against: undefined,
  showsEqualCalls: false,
  finding: undefined,
  compare: 'stageBefore',
  diff: 'split',
  isChangedOnly: false,
  isShaded: false,
  breakOrder: 'byCost',
  ladder: 'all',
  isZoomed: false,
  difference: 1,
  config: '',
  axes: 'window',
  grid: '',
  metric: 'cost',
  look: 'map',
  curve: 'prompt',
  store: 'state',
  key: '',
  item: '',
  contextFilter: 'all',
  handOff: 1,
  showsSummary: true,
  summary: 1,
  sessionOrder: 'when',
  isSessionOrderReversed: false,
  grouping: 'none',
  sessionFilter: '',
  marked: [],
  homeFilter: '',
  period: 'all',
  homeOrder: 'newest',
  lesson: '',
  attempt: '',
};

/** Stands in an address where a session would. Views that are of no session can be looked at without one. */
const NO_SESSION = '-';

/** `#/invoice-triage/session?call=17&at=E7`: what differs from the initial view, in a fixed order. */
export function printView(state: ViewState): string {
  if (state.session === undefined && !isApart(state.view)) return '#/';
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
  put('panel', state.panel, INITIAL_VIEW.panel);
  put('against', state.against ?? '', '');
  put('calls', state.showsEqualCalls ? 'all' : '', '');
  put('finding', state.finding ?? '', '');
  put('compare', state.compare, INITIAL_VIEW.compare);
  put('diff', state.diff, INITIAL_VIEW.diff);
  put('changed', state.isChangedOnly ? '1' : '', '');
  put('tokens', state.isShaded ? '1' : '', '');
  put('breaks', state.breakOrder, INITIAL_VIEW.breakOrder);
  put('ladder', state.ladder, INITIAL_VIEW.ladder);
  put('zoom', state.isZoomed ? '1' : '', '');
  put('difference', String(state.difference), '1');
  put('config', state.config, '');
  put('axes', state.axes, INITIAL_VIEW.axes);
  put('grid', state.grid, '');
  put('metric', state.metric, INITIAL_VIEW.metric);
  put('look', state.look, INITIAL_VIEW.look);
  put('curve', state.curve, INITIAL_VIEW.curve);
  put('store', state.store, INITIAL_VIEW.store);
  put('key', state.key, '');
  put('item', state.item, '');
  put('contexts', state.contextFilter, INITIAL_VIEW.contextFilter);
  put('handoff', String(state.handOff), '1');
  put('glance', state.showsSummary ? '' : 'off', '');
  put('summary', String(state.summary), '1');
  put('sort', state.sessionOrder, INITIAL_VIEW.sessionOrder);
  put('reversed', state.isSessionOrderReversed ? '1' : '', '');
  put('group', state.grouping, INITIAL_VIEW.grouping);
  put('find', state.sessionFilter, '');
  put('marked', state.marked.join('~'), '');
  put('agents', state.homeFilter, '');
  put('period', state.period, INITIAL_VIEW.period);
  put('by', state.homeOrder, INITIAL_VIEW.homeOrder);
  put('lesson', state.lesson, '');
  put('attempt', state.attempt, '');
  const text = query
    .toString()
    .replaceAll('%2F', '/')
    .replaceAll('%3A', ':')
    .replaceAll('%7E', '~')
    .replaceAll('%3D', '=')
    .replaceAll('%2C', ',');
  const session = state.session === undefined ? NO_SESSION : encodeURIComponent(state.session);
  return `#/${session}/${state.view}${text === '' ? '' : `?${text}`}`;
}

/** Reads what `printView` wrote. What cannot be read counts as not said. */
export function parseView(hash: string): ViewState {
  const match = /^#?\/([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/.exec(hash);
  const named = match?.[1];
  // What names nothing leads to what is here. No address at all is the start, which chooses.
  if (named === undefined) return /^#?\/?$/.test(hash) ? INITIAL_VIEW : { ...INITIAL_VIEW, view: 'home' };
  const session = named === NO_SESSION ? undefined : decode(named);
  const query = new URLSearchParams(match?.[3] ?? '');
  return {
    session,
    view:
      session === undefined
        ? oneOf(APART, match?.[2] ?? null, 'home')
        : oneOf(VIEWS, match?.[2] ?? null, INITIAL_VIEW.view),
    cursor: wholeNumber(query.get('call')) || callNamed(query.get('at')),
    ranges: parseRanges(query.get('range')),
    selection: query.get('at') ?? undefined,
    order: oneOf(ORDERS, query.get('order'), INITIAL_VIEW.order),
    filter: query.get('filter') ?? '',
    stage: query.get('stage') ?? undefined,
    tab: oneOf(TABS, query.get('tab'), INITIAL_VIEW.tab),
    panel: oneOf(PANELS, query.get('panel'), INITIAL_VIEW.panel),
    against: query.get('against') ?? undefined,
    showsEqualCalls: query.get('calls') === 'all',
    finding: query.get('finding') ?? undefined,
    compare: oneOf(COMPARES, query.get('compare'), INITIAL_VIEW.compare),
    diff: oneOf(DIFFS, query.get('diff'), INITIAL_VIEW.diff),
    isChangedOnly: query.get('changed') === '1',
    isShaded: query.get('tokens') === '1',
    breakOrder: oneOf(BREAK_ORDERS, query.get('breaks'), INITIAL_VIEW.breakOrder),
    ladder: oneOf(LADDER_SCOPES, query.get('ladder'), INITIAL_VIEW.ladder),
    isZoomed: query.get('zoom') === '1',
    difference: Math.max(1, wholeNumber(query.get('difference'))),
    config: query.get('config') ?? '',
    axes: oneOf(SWEEP_AXES, query.get('axes'), INITIAL_VIEW.axes),
    grid: query.get('grid') ?? '',
    metric: oneOf(METRICS, query.get('metric'), INITIAL_VIEW.metric),
    look: oneOf(SWEEP_LOOKS, query.get('look'), INITIAL_VIEW.look),
    curve: oneOf(CURVES, query.get('curve'), INITIAL_VIEW.curve),
    store: oneOf(STORES, query.get('store'), INITIAL_VIEW.store),
    key: query.get('key') ?? '',
    item: query.get('item') ?? '',
    contextFilter: oneOf(CONTEXT_FILTERS, query.get('contexts'), INITIAL_VIEW.contextFilter),
    handOff: Math.max(1, wholeNumber(query.get('handoff'))),
    showsSummary: query.get('glance') !== 'off',
    summary: Math.max(1, wholeNumber(query.get('summary'))),
    sessionOrder: oneOf(SESSION_ORDERS, query.get('sort'), INITIAL_VIEW.sessionOrder),
    isSessionOrderReversed: query.get('reversed') === '1',
    grouping: oneOf(GROUPINGS, query.get('group'), INITIAL_VIEW.grouping),
    sessionFilter: query.get('find') ?? '',
    marked: parseMarked(query.get('marked')),
    homeFilter: query.get('agents') ?? '',
    period: oneOf(PERIODS, query.get('period'), INITIAL_VIEW.period),
    homeOrder: oneOf(HOME_ORDERS, query.get('by'), INITIAL_VIEW.homeOrder),
    lesson: query.get('lesson') ?? '',
    attempt: query.get('attempt') ?? '',
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

/** The call of an address, so that a link to a place in a call leads to that call; 0 where it names none. */
function callNamed(selection: string | null): number {
  const address = selection === null ? undefined : parseAddress(selection);
  return address === undefined ? 0 : (callOf(address) ?? 0);
}

function wholeNumber(text: string | null): number {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : 0;
}

function parseMarked(text: string | null): readonly string[] {
  const sessions = (text ?? '').split('~').filter((session) => session !== '');
  return [...new Set(sessions)].slice(0, MOST_MARKED);
}

function parseRanges(text: string | null): readonly CallRange[] {
  return (text ?? '').split('~').flatMap((piece) => {
    const match = /^(\d{1,9})\.\.(\d{1,9})$/.exec(piece);
    const from = Number(match?.[1]);
    const to = Number(match?.[2]);
    return match !== null && from >= 1 && to >= from ? [{ from, to }] : [];
  });
}
