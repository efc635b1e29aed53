import { KINDS, type EventOrder, type FilterError } from '@/api/gen/api.ts';
import type { FakeEvent, FakeSession } from './session.ts';

type Test = (event: FakeEvent) => boolean;

const KEYS = ['kind', 'tool', 'agent', 'size', 'call', 'state', 'error', 'text'];

export interface Filtered {
  readonly events: readonly FakeEvent[];
  readonly error: FilterError | null;
}

/** Filters as the backend does: terms are joined by and, plain words look everywhere. */
export function filterEvents(session: FakeSession, filter: string): Filtered {
  const terms = filter.match(/\S*"[^"]*"|\S+/g) ?? [];
  const tests: Test[] = [];
  for (const term of terms) {
    const test = testOf(session, term);
    if (typeof test !== 'function') {
      const suggestion = test === undefined ? null : filter.replace(term, test);
      const message = test === undefined ? `${term} is not a filter` : `No events match ${term}`;
      return { events: [], error: { message, suggestion } };
    }
    tests.push(test);
  }
  return { events: session.events.filter((event) => tests.every((test) => test(event))), error: null };
}

function testOf(session: FakeSession, term: string): Test | string | undefined {
  const match = /^(\w+):(.*)$/.exec(term);
  if (match === null) return plainText(term);
  const key = (match[1] ?? '').toLowerCase();
  const value = (match[2] ?? '').replaceAll('"', '');
  if (!KEYS.includes(key)) return closest(key, KEYS)?.concat(':', value);
  switch (key) {
    case 'kind':
      return named(value, [...KINDS], 'kind', (event) => event.kind === value);
    case 'tool':
      return named(value, toolNames(session), 'tool', (event) => event.tool === value);
    case 'agent':
      return named(value, agentNames(session), 'agent', (event) => event.agent === value);
    case 'size':
      return sizeTest(value);
    case 'call':
      return callTest(session, value);
    case 'state':
      return (event) => event.state.some((change) => change.key === value);
    case 'error':
      return (event) => (event.error !== null) === (value !== 'no');
    default:
      return plainText(value);
  }
}

function plainText(text: string): Test {
  const wanted = text.replaceAll('"', '').toLowerCase();
  return ({ what, tool, agent }) => `${tool} ${what} ${agent}`.toLowerCase().includes(wanted);
}

function named(value: string, known: readonly string[], key: string, test: Test): Test | string {
  if (known.includes(value)) return test;
  const near = closest(value, known);
  return near === undefined ? test : `${key}:${near}`;
}

function sizeTest(value: string): Test | undefined {
  const match = /^([<>]=?)?(\d+)$/.exec(value);
  if (match === null) return undefined;
  const limit = Number(match[2]);
  return ({ tokens }) => (match[1]?.startsWith('<') === true ? tokens < limit : tokens > limit);
}

/** Events that a call of the range carried or made. */
function callTest(session: FakeSession, value: string): Test | undefined {
  const match = /^(\d+)(?:\.\.(\d+))?$/.exec(value);
  if (match === null) return undefined;
  const from = Number(match[1]);
  const to = Number(match[2] ?? match[1]);
  return (event) => {
    const use = session.useOf(event.event);
    const isMade = event.call !== null && event.call >= from && event.call <= to;
    return isMade || (use.sentIn > 0 && use.firstCall <= to && use.lastCall >= from);
  };
}

export function toolNames(session: FakeSession): readonly string[] {
  return [...new Set(session.events.slice(0, 2000).map(({ tool }) => tool))].filter((tool) => tool !== '');
}

function agentNames(session: FakeSession): readonly string[] {
  return ['user', 'compactor', ...session.agents.map(({ name }) => name)];
}

/** The name nearest to what was typed, if it is near at all. */
function closest(text: string, names: readonly string[]): string | undefined {
  const ranked = names.map((name) => ({ name, distance: distance(text, name) }));
  ranked.sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best !== undefined && best.distance <= Math.max(2, text.length / 3) ? best.name : undefined;
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1)
      next.push(
        Math.min(
          (row[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
        ),
      );
    row = next;
  }
  return row[b.length] ?? 0;
}

export function sortEvents(
  session: FakeSession,
  events: readonly FakeEvent[],
  order: EventOrder,
): readonly FakeEvent[] {
  if (order === 'inOrder') return events;
  const value = new Map(
    events.map((event) => [
      event.event,
      order === 'bySize' ? event.tokens : session.useOf(event.event).lifetimeTokens,
    ]),
  );
  return [...events].sort((a, b) => (value.get(b.event) ?? 0) - (value.get(a.event) ?? 0));
}
