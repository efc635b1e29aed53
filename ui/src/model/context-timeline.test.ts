import { describe, expect, test } from 'vitest';
import type { ContextDetail, ContextMessage } from '@/api/gen/api.ts';
import { timelineOf } from './context-timeline.ts';

const MINUTE = 60_000;

const ROW: ContextDetail['row'] = {
  id: 'ctx-1',
  principal: 'ana',
  state: 'active',
  ttl: 'interactive',
  ttlSeconds: 3600,
  createdMs: 0,
  updatedMs: 0,
  expiresMs: null,
  expiredMs: null,
  messages: 0,
  messagesEver: 0,
  hasSummary: false,
  stateBytes: 0,
  messageBytes: 0,
  putAwayBytes: 0,
  openTasks: 0,
  completedTasks: 0,
  doors: [],
  session: null,
  isOfSession: false,
  seen: 0,
};

const DETAIL: ContextDetail = {
  row: ROW,
  retention: '',
  loss: '',
  keys: [],
  messages: [],
  tasks: [],
  putAway: [],
  seen: null,
  retentionLoss: null,
};

function said(number: number, minutes: number, role: string, door: string | null): ContextMessage {
  return {
    number,
    atMs: minutes * MINUTE,
    role,
    isSummary: role === 'system',
    content: `m${String(number)}`,
    bytes: 2,
    door,
  };
}

describe('the timeline of a context', () => {
  test('has a lane for each door, by first use, and what came and went in order', () => {
    const messages = [
      said(0, 0, 'user', 'mcp'),
      said(1, 1, 'assistant', 'mcp'),
      said(2, 2, 'user', 'a2a'),
      said(3, 4, 'assistant', 'a2a'),
    ];
    const timeline = timelineOf({ ...DETAIL, messages });
    expect(timeline?.lanes).toEqual(['mcp', 'a2a']);
    expect(timeline?.passages.map(({ x, isIn }) => [x, isIn])).toEqual([
      [0, true],
      [0.25, false],
      [0.5, true],
      [1, false],
    ]);
    expect(timeline?.pauses).toEqual([]);
  });

  test('gives a pause no more room than five minutes, and says how long it was', () => {
    const messages = [said(0, 0, 'user', 'mcp'), said(1, 5, 'assistant', 'mcp'), said(2, 65, 'user', 'http')];
    const timeline = timelineOf({ ...DETAIL, messages });
    expect(timeline?.passages.map(({ x }) => x)).toEqual([0, 0.5, 1]);
    expect(timeline?.pauses).toEqual([{ x: 0.75, label: 'idle, 1 h' }]);
  });

  test('leaves out the summary, and shows tasks from beginning to end', () => {
    const task = {
      id: 't-1',
      operation: 'front',
      status: 'completed',
      createdMs: 0,
      updatedMs: 2 * MINUTE,
      parent: null,
      inherited: [],
      changed: [],
      refused: [],
      told: null,
    };
    const messages = [
      said(0, 0, 'system', null),
      said(1, 0, 'user', 'http'),
      said(2, 4, 'assistant', 'http'),
    ];
    const timeline = timelineOf({ ...DETAIL, messages, tasks: [task] });
    expect(timeline?.passages.map(({ text }) => text)).toEqual(['m1', 'm2']);
    expect(timeline?.tasks).toMatchObject([{ from: 0, to: 0.5 }]);
  });

  test('of one that the session names shows where', () => {
    const sightings = [
      { event: 2, call: null, atMs: MINUTE, door: 'tool', place: 'argument of get_products', isIn: true },
      { event: 3, call: null, atMs: 2 * MINUTE, door: 'a2a', place: 'result of ask', isIn: false },
    ];
    const seen = {
      id: 'ctx-1',
      doors: ['tool', 'a2a'],
      times: 2,
      firstMs: MINUTE,
      lastMs: 2 * MINUTE,
      sightings,
    };
    const timeline = timelineOf({ ...DETAIL, row: { ...ROW, state: 'seen' }, seen });
    expect(timeline?.lanes).toEqual(['tool', 'a2a']);
    expect(timeline?.passages.map(({ isIn }) => isIn)).toEqual([true, false]);
    expect(timelineOf(DETAIL)).toBeUndefined();
  });
});
