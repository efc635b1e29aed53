import { describe, expect, test } from 'vitest';
import { INITIAL_VIEW, parseView, printView, type ViewState } from './view-url.ts';

const full: ViewState = {
  session: 'a session/with ü',
  view: 'pipeline',
  cursor: 25,
  ranges: [
    { from: 4, to: 30 },
    { from: 8, to: 17 },
  ],
  selection: 'C25/4.0',
  order: 'inOrder',
  filter: 'kind:result text:"two words" & more',
  stage: 'contents~2',
  tab: 'text',
  panel: 'compare',
  against: 'x2',
  showsEqualCalls: true,
  finding: 'E7',
  compare: 'previousCall',
  diff: 'unified',
  isChangedOnly: true,
  isShaded: true,
  breakOrder: 'inOrder',
  ladder: 'agent',
  isZoomed: true,
  difference: 3,
  config: 'threshold=60000,retention=10,pin=E3+E9',
  axes: 'threshold',
  grid: 'interval=2|3;off',
  metric: 'peak',
  look: 'table',
  curve: 'sum',
  store: 'agents',
  key: 'user:name',
  item: 'ctx-1',
  contextFilter: 'openTasks',
  handOff: 3,
  showsSummary: false,
  summary: 2,
  sessionOrder: 'cost',
  isSessionOrderReversed: true,
  grouping: 'project',
  sessionFilter: 'codex infra',
  marked: ['a1b2', 'c3d4'],
  homeFilter: 'tool:="Codex CLI" retry',
  period: '30',
  homeOrder: 'waste',
  lesson: 'prefixes',
  attempt: 'x1',
};

describe('the address of a view', () => {
  test('restores everything', () => {
    expect(parseView(printView(full))).toEqual(full);
  });

  test('says only what is not as in the beginning', () => {
    expect(printView({ ...INITIAL_VIEW, session: 'invoice-triage' })).toBe('#/invoice-triage/session');
    expect(
      printView({ ...INITIAL_VIEW, session: 'invoice-triage', cursor: 17, selection: 'C17/sys.1' }),
    ).toBe('#/invoice-triage/session?call=17&at=C17/sys.1');
  });

  test('without a session is the beginning', () => {
    expect(printView(INITIAL_VIEW)).toBe('#/');
    expect(parseView('#/')).toEqual(INITIAL_VIEW);
    expect(parseView('')).toEqual(INITIAL_VIEW);
  });

  test('names Home without a session', () => {
    const home: ViewState = { ...INITIAL_VIEW, view: 'home', homeFilter: 'model:opus' };
    expect(printView(home)).toBe('#/-/home?agents=model:opus');
    expect(parseView(printView(home))).toEqual(home);
    expect(printView({ ...INITIAL_VIEW, view: 'settings' })).toBe('#/-/settings');
    expect(parseView('#/-/session')).toEqual({ ...INITIAL_VIEW, view: 'home' });
    expect(parseView('#nowhere')).toEqual({ ...INITIAL_VIEW, view: 'home' });
  });

  test('names a lesson without a session', () => {
    const learn: ViewState = { ...INITIAL_VIEW, view: 'learn', lesson: 'tiers' };
    expect(printView(learn)).toBe('#/-/learn?lesson=tiers');
    expect(parseView(printView(learn))).toEqual(learn);
  });

  test.each([
    ['#/s/nothing?call=-4&order=random&range=9..2~x', { view: 'session', cursor: 0, ranges: [] }],
    ['#/s', { session: 's', view: 'session' }],
    ['#/s/sessions?sort=random&marked=a~a~~b~c', { sessionOrder: 'when', marked: ['a', 'b'] }],
    ['#/s/pipeline?at=C29/4.0', { cursor: 29, selection: 'C29/4.0' }],
    ['#/s/session?at=E29', { cursor: 0, selection: 'E29' }],
    ['#/%E0%A4%A/session', { session: '%E0%A4%A' }],
  ])('%s loses only what cannot be read', (hash, expected) => {
    expect(parseView(hash)).toMatchObject(expected);
  });
});
