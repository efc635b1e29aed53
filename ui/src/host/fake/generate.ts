import { COLUMN_FLAGS, KINDS, type DiagnosticRow, type Kind } from '@/api/gen/api.ts';
import { contentOf } from './content.ts';
import {
  NO_USE,
  type FakeBreak,
  type FakeCall,
  type FakeEvent,
  type FakePart,
  type FakeSession,
  type FakeUse,
} from './session.ts';
import { randomFrom } from './tokens.ts';

export interface Recipe {
  readonly id: string;
  readonly title: string;
  readonly format: string;
  readonly source: string;
  readonly calls: number;
  readonly eventsPerCall: number;
  /** Calls from one compaction to the next. */
  readonly callsPerSegment: number;
  readonly agents: readonly string[];
  readonly tools: readonly string[];
  readonly seed: number;
  readonly diagnostics: readonly DiagnosticRow[];
  /** One call in so many fails. */
  readonly errorEvery: number;
}

const TOOL_TOKENS = 240;
const INSTRUCTION_TOKENS = 1400;
const SUMMARY_TOKENS = 700;
const CACHE_BLOCK = 128;
const START_MS = Date.UTC(2026, 10, 18, 8, 0, 0);

/**
 * A long session by rule: every call adds a few events, every segment ends in a compaction, now and then the prefix
 * breaks. What an event cost follows from its segment, so nothing has to be summed over parts.
 */
export function generateSession(recipe: Recipe): FakeSession {
  const events = makeEvents(recipe);
  const prompts = makeCalls(recipe, events);
  const breaksBefore = runningBreaks(prompts);
  return {
    ...recipe,
    isSample: false,
    agents: recipe.agents.map((name, index) => ({
      name,
      model: 'qwen2.5-32b',
      calls: prompts.filter(({ agent }) => agent === index).length,
      events: events.filter((event) => event.agent === name).length,
      isInferred: true,
    })),
    events,
    calls: prompts,
    compactions: Math.max(0, Math.ceil(recipe.calls / recipe.callsPerSegment) - 1),
    basis: 'estimated',
    cachedBasis: 'estimated',
    price: null,
    summariserUsd: 0,
    isInferred: true,
    partsOf: remembering((call) => partsOf(recipe, events, prompts, call)),
    useOf: (event) => useOf(recipe, events, breaksBefore, event),
  };
}

const REMEMBERED_PROMPTS = 500;

/** Keeps the newest answers: the same prompts are looked at again and again. */
function remembering<T>(make: (call: number) => T): (call: number) => T {
  const known = new Map<number, T>();
  return (call) => {
    const value = known.get(call) ?? make(call);
    known.set(call, value);
    const [oldest] = known.keys();
    if (known.size > REMEMBERED_PROMPTS && oldest !== undefined) known.delete(oldest);
    return value;
  };
}

function segmentEnd(recipe: Recipe, call: number): number {
  return Math.min(recipe.calls, Math.ceil(call / recipe.callsPerSegment) * recipe.callsPerSegment);
}

function segmentStart(recipe: Recipe, call: number): number {
  return segmentEnd(recipe, call) - recipe.callsPerSegment + 1;
}

function agentOf(recipe: Recipe, call: number): number {
  const stretch = Math.max(3, Math.floor(recipe.callsPerSegment / 3));
  return Math.floor((call - 1) / stretch) % recipe.agents.length;
}

function makeEvents(recipe: Recipe): readonly FakeEvent[] {
  const random = randomFrom(recipe.seed);
  return Array.from({ length: recipe.calls * recipe.eventsPerCall }, (_, index): FakeEvent => {
    const call = Math.floor(index / recipe.eventsPerCall) + 1;
    const within = index % recipe.eventsPerCall;
    const isUser = within === 0 && call % 4 === 1;
    const isResult = !isUser && within % 2 === 1;
    const kind: Kind = isUser ? 'user' : isResult ? 'result' : 'model';
    const isLarge = isResult && random() < 0.03;
    const tokens = isUser ? 12 : isResult ? Math.floor(40 + random() * (isLarge ? 6000 : 400)) : 30;
    const tool = recipe.tools[Math.floor(random() * recipe.tools.length)] ?? '';
    const isError = isResult && call % recipe.errorEvery === 0 && within === 1;
    const number = index + 1;
    const what = isUser
      ? `Question ${String(call)}: what next?`
      : isResult
        ? `${String(tokens)} rows`
        : `${tool}(limit=${String(tokens)})`;
    return {
      event: number,
      kind,
      agent: isUser ? 'user' : (recipe.agents[agentOf(recipe, call)] ?? ''),
      call: isUser ? null : call,
      turn: Math.ceil(call / 4),
      tokens,
      tool: isUser ? '' : tool,
      what: isError ? 'timed out after 30 s' : what,
      timeMs: START_MS + number * 900,
      label: isUser ? 'text' : isResult ? 'result' : 'call',
      error: isError ? `${tool} timed out after 30 s. The model got the error as its result.` : null,
      state: [],
      transferTo: null,
      text: () => contentOf(isResult ? tool : '', what, tokens, number),
    };
  });
}

function fixedTokens(recipe: Recipe): number {
  return recipe.tools.length * TOOL_TOKENS + INSTRUCTION_TOKENS;
}

function makeCalls(recipe: Recipe, events: readonly FakeEvent[]): readonly FakeCall[] {
  const random = randomFrom(recipe.seed + 1);
  const fixed = fixedTokens(recipe);
  const calls: FakeCall[] = [];
  let held = 0;
  const byKind = KINDS.map(() => 0);
  for (let call = 1; call <= recipe.calls; call += 1) {
    const isFirst = call === segmentStart(recipe, call);
    const hasSummary = segmentStart(recipe, call) > 1;
    const before = calls.at(-1);
    if (isFirst) {
      held = 0;
      byKind.fill(0);
      byKind[KINDS.indexOf('tools')] = recipe.tools.length * TOOL_TOKENS;
      byKind[KINDS.indexOf('system')] = INSTRUCTION_TOKENS;
      if (hasSummary) byKind[KINDS.indexOf('summary')] = SUMMARY_TOKENS;
    } else {
      for (const event of events.slice(
        (call - 2) * recipe.eventsPerCall,
        (call - 1) * recipe.eventsPerCall,
      )) {
        held += event.tokens;
        const kind = KINDS.indexOf(event.kind);
        byKind[kind] = (byKind[kind] ?? 0) + event.tokens;
      }
    }
    const tokens = fixed + (hasSummary ? SUMMARY_TOKENS : 0) + held;
    const isAvoidable = !isFirst && random() < 0.02;
    const isHandoff = before !== undefined && before.agent !== agentOf(recipe, call);
    const prefix = before === undefined ? 0 : isFirst || isAvoidable || isHandoff ? fixed : before.tokens;
    const cached = Math.floor(prefix / CACHE_BLOCK) * CACHE_BLOCK;
    const broken = brokenPrefix(before, isAvoidable, isFirst || isHandoff, tokens, cached, prefix);
    calls.push({
      call,
      agent: agentOf(recipe, call),
      turn: Math.ceil(call / 4),
      eventsBefore: (call - 1) * recipe.eventsPerCall,
      tokens,
      cached,
      byKind: [...byKind],
      flags:
        (isAvoidable ? COLUMN_FLAGS.avoidableBreak : 0) |
        (broken !== null && !isAvoidable ? COLUMN_FLAGS.structuralBreak : 0) |
        (isFirst && call > 1 ? COLUMN_FLAGS.compaction : 0) |
        (isHandoff ? COLUMN_FLAGS.handoff : 0) |
        (call % recipe.errorEvery === 0 ? COLUMN_FLAGS.error : 0),
      break: broken,
    });
  }
  return calls;
}

function brokenPrefix(
  before: FakeCall | undefined,
  isAvoidable: boolean,
  isStructural: boolean,
  tokens: number,
  cached: number,
  atToken: number,
): FakeBreak | null {
  if (before === undefined || (!isAvoidable && !isStructural)) return null;
  return {
    isAvoidable,
    atToken,
    rebilledTokens: Math.max(0, Math.min(before.tokens, tokens) - cached),
    cause: isAvoidable ? 'A time stamp in the instruction changed' : 'The history before it was replaced',
    path: 'sys.0',
    previousCall: before.call,
  };
}

function runningBreaks(calls: readonly FakeCall[]): Int32Array {
  const sums = new Int32Array(calls.length + 1);
  calls.forEach((call, index) => {
    const isWhole = call.break !== null;
    sums[index + 1] = (sums[index] ?? 0) + (isWhole ? 1 : 0);
  });
  return sums;
}

function useOf(recipe: Recipe, events: readonly FakeEvent[], breaks: Int32Array, event: number): FakeUse {
  const made = Math.ceil(event / recipe.eventsPerCall);
  const first = made + 1;
  const last = segmentEnd(recipe, made);
  const tokens = events[event - 1]?.tokens ?? 0;
  if (first > last) return NO_USE;
  const broken = (breaks[last] ?? 0) - (breaks[first] ?? 0);
  return {
    firstCall: first,
    lastCall: last,
    sentIn: last - first + 1,
    lifetimeTokens: tokens * (last - first + 1),
    freshTokens: tokens * (1 + broken),
  };
}

function partsOf(
  recipe: Recipe,
  events: readonly FakeEvent[],
  calls: readonly FakeCall[],
  number: number,
): readonly FakePart[] {
  const call = calls[number - 1];
  if (call === undefined) return [];
  const parts: FakePart[] = [];
  let at = 0;
  const add = (part: Omit<FakePart, 'at' | 'isReframed' | 'version'>): void => {
    parts.push({ ...part, at, isReframed: false, version: part.identity === 'system' ? number : 0 });
    at += part.tokens;
  };
  for (const tool of recipe.tools)
    add({
      kind: 'tools',
      identity: `tool.${tool}`,
      tokens: TOOL_TOKENS,
      path: `tool.${tool}`,
      event: 0,
      from: 'tool seen in the events',
      label: `${tool}: declaration`,
      text: () => contentOf('', `{"name":"${tool}","parameters":{}}`, TOOL_TOKENS, 4),
    });
  add({
    kind: 'system',
    identity: 'system',
    tokens: INSTRUCTION_TOKENS,
    path: 'sys.0',
    event: 0,
    from: 'instruction as recorded',
    label: 'You help people with their orders.',
    text: () => contentOf('', 'You help people with their orders.\n', INSTRUCTION_TOKENS, 6),
  });
  let content = 0;
  const start = segmentStart(recipe, number);
  if (start > 1) {
    add({
      kind: 'summary',
      identity: `summary ${String(start)}`,
      tokens: SUMMARY_TOKENS,
      path: '0.0',
      event: 0,
      from: `summary of C1–C${String(start - 1)}`,
      label: `Summary of calls 1–${String(start - 1)}`,
      text: () => contentOf('', 'What happened so far. ', SUMMARY_TOKENS, 8),
    });
    content = 1;
  }
  for (const event of events.slice((start - 1) * recipe.eventsPerCall, call.eventsBefore)) {
    add({
      kind: event.kind,
      identity: `event ${String(event.event)}`,
      tokens: event.tokens,
      path: `${String(content)}.0`,
      event: event.event,
      from: `E${String(event.event)}`,
      label: event.label === 'result' ? `${event.tool} ${event.what}` : event.what,
      text: event.text,
    });
    content += 1;
  }
  return parts;
}
