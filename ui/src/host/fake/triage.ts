import { COLUMN_FLAGS, KINDS } from '@/api/gen/api.ts';
import { ensureExists } from '@/lib/assert.ts';
import { contentOf } from './content.ts';
import { play, type Draft, type Played } from './play.ts';
import { AGENTS, IDENTITY_TOKENS } from './script.ts';
import {
  NO_USE,
  type FakeBreak,
  type FakeCall,
  type FakeEvent,
  type FakePart,
  type FakeSession,
  type FakeUse,
} from './session.ts';

const FRAMING_TOKENS = 4;
const QUOTING_TOKENS = 19;
const CACHE_BLOCK = 128;
const CACHE_MINIMUM = 1024;
const CACHE_CALLS = 12;

type Unplaced = Omit<FakePart, 'at' | 'path'>;

function fixedParts(draft: Draft): readonly Unplaced[] {
  const agent = ensureExists(AGENTS[draft.agent], 'an agent of the script');
  const plain = { event: 0, isReframed: false, version: 0 };
  const hits = ['41', '2,318', '2,324'][draft.filled - 1] ?? '41';
  return [
    ...agent.tools.map(([name, tokens]): Unplaced => ({
      ...plain,
      kind: 'tools',
      identity: `tool.${name}`,
      tokens,
      from: `tool of ${agent.name}`,
      label: `${name}: declaration`,
      text: () =>
        contentOf(
          '',
          `{"name":"${name}","description":"What ${name} does and when to use it.","parameters":{`,
          tokens,
          5,
        ),
    })),
    {
      ...plain,
      kind: 'system',
      identity: `static ${agent.name}`,
      tokens: agent.instructionTokens,
      from: `instruction of ${agent.name}`,
      label: `You are ${agent.name}. You read logs, code and metrics for invoice triage.`,
      text: () =>
        contentOf(
          '',
          `You are ${agent.name}. You read logs, code and metrics for invoice triage.\n`,
          agent.instructionTokens,
          7,
        ),
    },
    {
      ...plain,
      kind: 'system',
      identity: `filled ${agent.name}`,
      version: draft.filled,
      tokens: agent.filledTokens,
      from: 'state.hits, state.last_query',
      label: `Errors found so far: ${hits}. Answer briefly.`,
      text: () =>
        contentOf(
          '',
          `Errors found so far: ${hits}.\nAnswer briefly. Name the file and line.\n`,
          agent.filledTokens,
          9,
        ),
    },
    {
      ...plain,
      kind: 'system',
      identity: `identity ${agent.name}`,
      tokens: IDENTITY_TOKENS,
      from: `name of ${agent.name}`,
      label: `You are an agent. Your internal name is "${agent.name}".`,
      text: () =>
        contentOf('', `You are an agent. Your internal name is "${agent.name}".`, IDENTITY_TOKENS, 2),
    },
  ];
}

function eventPart(event: FakeEvent, agent: string): Unplaced {
  const isReframed = event.agent !== agent && event.agent !== 'user' && event.kind !== 'summary';
  const quoted = (): string => {
    const verb =
      event.label === 'call'
        ? `called tool ${event.tool}`
        : event.label === 'result'
          ? `${event.tool} returned`
          : 'said';
    return `[${event.agent}] ${verb}:\n<<<BEGIN_QUOTED_AGENT_CONTENT>>>\n${event.text()}\n<<<END_QUOTED_AGENT_CONTENT>>>\n`;
  };
  const label =
    event.label === 'call'
      ? `called tool ${event.tool}`
      : event.label === 'result'
        ? `${event.tool} returned: ${event.what}`
        : `said: ${event.what}`;
  return {
    kind: event.kind,
    identity: `event ${String(event.event)}`,
    version: isReframed ? agent : 0,
    tokens: event.tokens + (event.kind === 'summary' ? 0 : isReframed ? QUOTING_TOKENS : FRAMING_TOKENS),
    event: event.event,
    isReframed,
    from: `E${String(event.event)}${isReframed ? ` ${event.agent}` : ''}`,
    label: isReframed
      ? `[${event.agent}] ${label}`
      : event.label === 'result'
        ? `${event.tool} ${event.what}`
        : event.what,
    text: isReframed ? quoted : event.text,
  };
}

function contentsOf(draft: Draft, { events, compactions }: Played): readonly Unplaced[] {
  const agent = ensureExists(AGENTS[draft.agent], 'an agent of the script').name;
  const done = compactions.filter(({ to }) => to < draft.turn);
  const last = done.at(-1);
  const summaries = done.filter((one) => one === last || (last !== undefined && one.to < last.from));
  const seen = events.filter(({ event, kind, turn }) => {
    if (event > draft.eventsBefore || kind === 'summary') return false;
    if (last !== undefined && turn <= last.to) return false;
    return agent !== 'report_writer' || turn >= draft.turn - 1;
  });
  return [
    ...summaries.map(({ event }) => eventPart(ensureExists(events[event - 1], 'the summary'), agent)),
    ...seen.map((event) => eventPart(event, agent)),
  ];
}

/** Gives parts their place: tools by name, system blocks and contents by number, quoted words in one content. */
function place(parts: readonly Unplaced[]): readonly FakePart[] {
  let at = 0;
  let system = 0;
  let content = -1;
  let inContent = 0;
  let wasReframed = false;
  return parts.map((part) => {
    const placed = { ...part, at, path: '' };
    at += part.tokens;
    if (part.kind === 'tools') return { ...placed, path: part.identity };
    if (part.kind === 'system') {
      system += 1;
      return { ...placed, path: `sys.${String(system - 1)}` };
    }
    if (part.isReframed && wasReframed) inContent += 1;
    else {
      content += 1;
      inContent = 0;
    }
    wasReframed = part.isReframed;
    return { ...placed, path: `${String(content)}.${String(inContent)}` };
  });
}

interface Prefix {
  readonly tokens: number;
  readonly parts: number;
  readonly call: number;
}

function longestPrefix(prompts: readonly (readonly FakePart[])[], index: number): Prefix {
  const parts = prompts[index] ?? [];
  let best: Prefix = { tokens: 0, parts: 0, call: 0 };
  for (let j = Math.max(0, index - CACHE_CALLS); j < index; j += 1) {
    const other = prompts[j] ?? [];
    let tokens = 0;
    let same = 0;
    while (
      same < parts.length &&
      other[same]?.identity === parts[same]?.identity &&
      other[same]?.version === parts[same]?.version
    ) {
      tokens += other[same]?.tokens ?? 0;
      same += 1;
    }
    if (tokens >= best.tokens) best = { tokens, parts: same, call: j + 1 };
  }
  return best;
}

const CAUSES = {
  handoff: 'Another agent’s tools and instruction come first',
  state: 'state.hits changed',
  compaction: 'A summary replaced the history',
  history: 'The history starts at a later turn',
} as const;

function findBreak(
  drafts: readonly Draft[],
  prompts: readonly (readonly FakePart[])[],
  index: number,
  prefix: Prefix,
  cached: number,
): { readonly cause: keyof typeof CAUSES; readonly value: FakeBreak } | undefined {
  const draft = ensureExists(drafts[index], 'a call of the script');
  if (index === 0) return undefined;
  const total = (i: number): number => (prompts[i] ?? []).reduce((sum, { tokens }) => sum + tokens, 0);
  const before = drafts.slice(0, index).findLastIndex(({ agent }) => agent === draft.agent);
  const sent = Math.min(before < 0 ? 0 : total(before), total(index));
  const part = prompts[index]?.[prefix.parts];
  const isSame = before >= 0 && prefix.tokens >= total(before) - 60;
  if (isSame) return undefined;
  const cause =
    before < 0 || drafts[prefix.call - 1]?.agent !== draft.agent
      ? 'handoff'
      : part?.kind === 'system'
        ? 'state'
        : part?.kind === 'summary'
          ? 'compaction'
          : 'history';
  const change = draft.filled === 2 ? '41 → 2,318' : '2,318 → 2,324';
  const rebilled =
    cause === 'state'
      ? Math.floor(Math.min(total(index - 1), total(index)) / CACHE_BLOCK) * CACHE_BLOCK
      : sent;
  return {
    cause,
    value: {
      isAvoidable: cause === 'state',
      atToken: prefix.tokens,
      rebilledTokens: Math.max(0, rebilled - cached),
      cause: cause === 'state' ? `state.hits changed ${change} inside the instruction` : CAUSES[cause],
      path: part?.path ?? '',
      previousCall: Math.max(1, prefix.call),
    },
  };
}

function compile({ drafts, ...played }: Played): {
  readonly calls: readonly FakeCall[];
  readonly prompts: readonly (readonly FakePart[])[];
} {
  const prompts = drafts.map((draft) =>
    place([...fixedParts(draft), ...contentsOf(draft, { drafts, ...played })]),
  );
  const calls = drafts.map((draft, index): FakeCall => {
    const parts = prompts[index] ?? [];
    const prefix = longestPrefix(prompts, index);
    const cached = prefix.tokens >= CACHE_MINIMUM ? Math.floor(prefix.tokens / CACHE_BLOCK) * CACHE_BLOCK : 0;
    const broken = findBreak(drafts, prompts, index, prefix, cached);
    const handoff = index > 0 && drafts[index - 1]?.agent !== draft.agent;
    const flags =
      COLUMN_FLAGS.reportedCache |
      (broken?.cause === 'state' ? COLUMN_FLAGS.avoidableBreak : 0) |
      (broken !== undefined && broken.cause !== 'state' ? COLUMN_FLAGS.structuralBreak : 0) |
      (broken?.cause === 'compaction' ? COLUMN_FLAGS.compaction : 0) |
      (handoff ? COLUMN_FLAGS.handoff : 0);
    return {
      call: draft.call,
      agent: draft.agent,
      turn: draft.turn,
      eventsBefore: draft.eventsBefore,
      tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
      cached,
      byKind: KINDS.map((kind) =>
        parts.reduce((sum, part) => sum + (part.kind === kind ? part.tokens : 0), 0),
      ),
      flags,
      break: broken?.value ?? null,
    };
  });
  return { calls, prompts };
}

function useOf(
  calls: readonly FakeCall[],
  prompts: readonly (readonly FakePart[])[],
  event: number,
): FakeUse {
  let use = NO_USE;
  for (const call of calls) {
    const part = prompts[call.call - 1]?.find((candidate) => candidate.event === event);
    if (part === undefined) continue;
    use = {
      firstCall: use.firstCall === 0 ? call.call : use.firstCall,
      lastCall: call.call,
      sentIn: use.sentIn + 1,
      lifetimeTokens: use.lifetimeTokens + part.tokens,
      freshTokens: use.freshTokens + Math.max(0, Math.min(part.tokens, part.at + part.tokens - call.cached)),
    };
  }
  return use;
}

/** The sample: three agents, two compactions, two breaks that need not have been. */
export function triageSession(): FakeSession {
  const played = play();
  const { calls, prompts } = compile(played);
  const uses = played.events.map(({ event }) => useOf(calls, prompts, event));
  const compacted = played.compactions.map(({ from, to, tokens }) => ({
    read: played.events
      .filter(({ turn, kind }) => kind !== 'summary' && turn >= from && turn <= to)
      .reduce((sum, event) => sum + event.tokens, 310),
    written: tokens,
  }));
  return {
    id: 'invoice-triage',
    title: 'invoice-triage',
    format: 'ADK session',
    source: '',
    isSample: true,
    agents: AGENTS.map(({ name }, index) => ({
      name,
      model: 'gemini-3-pro',
      calls: calls.filter(({ agent }) => agent === index).length,
      events: played.events.filter((event) => event.agent === name).length,
      isInferred: false,
    })),
    events: played.events,
    calls,
    compactions: played.compactions.length,
    basis: 'exact',
    cachedBasis: 'reported',
    price: {
      model: 'gemini-3-pro',
      input: 2,
      cachedRead: 0.2,
      output: 12,
      source: 'Price list of the provider, seen 2026-11-20',
    },
    summariserUsd: compacted.reduce((sum, { read, written }) => sum + (read * 2 + written * 12) / 1e6, 0),
    isInferred: false,
    diagnostics: [],
    partsOf: (call) => prompts[call - 1] ?? [],
    useOf: (event) => uses[event - 1] ?? NO_USE,
  };
}
