import type { ChainStep, EventDetail, EventPage, EventRow, StratumCalls } from '@/api/gen/api.ts';
import type { Params } from '@/api/client.ts';
import { ensureExists } from '@/lib/assert.ts';
import { notFound } from './failures.ts';
import { filterEvents, sortEvents } from './filter.ts';
import type { FakeEvent, FakeSession } from './session.ts';

const RAW_LIMIT = 20_000;
const PREVIEW_LIMIT = 400;

/** Sorted and filtered lists, kept for the pages of the same list. */
const lists = new WeakMap<FakeSession, Map<string, readonly FakeEvent[]>>();

export function eventPage(session: FakeSession, params: Params<'event/page'>): EventPage {
  const known = lists.get(session) ?? new Map<string, readonly FakeEvent[]>();
  lists.set(session, known);
  const key = `${params.order} ${params.filter}`;
  const filtered = filterEvents(session, params.filter);
  const sorted = known.get(key) ?? sortEvents(session, filtered.events, params.order);
  known.set(key, sorted);
  return {
    total: sorted.length,
    of: session.events.length,
    rows: sorted.slice(params.offset, params.offset + params.limit).map((event) => rowOf(session, event)),
    maxLifetimeTokens: maxLifetime(session),
    filterError: filtered.error,
  };
}

const maxima = new WeakMap<FakeSession, number>();

function maxLifetime(session: FakeSession): number {
  const known = maxima.get(session);
  if (known !== undefined) return known;
  const most = session.events.reduce(
    (max, { event }) => Math.max(max, session.useOf(event).lifetimeTokens),
    0,
  );
  maxima.set(session, most);
  return most;
}

function carriedBy(session: FakeSession, event: number): string {
  const { firstCall, lastCall, sentIn } = session.useOf(event);
  if (sentIn === 0) return '';
  return firstCall === lastCall ? `C${String(firstCall)}` : `C${String(firstCall)}–C${String(lastCall)}`;
}

function rowOf(session: FakeSession, event: FakeEvent): EventRow {
  const use = session.useOf(event.event);
  return {
    event: event.event,
    call: event.call,
    agent: event.agent,
    kind: event.kind,
    tool: event.tool,
    what: event.label === 'call' && event.tool !== '' ? event.what.slice(event.tool.length) : event.what,
    tokens: event.tokens,
    sentIn: use.sentIn,
    lifetimeTokens: use.lifetimeTokens,
    freshTokens: use.freshTokens,
    carriedBy: carriedBy(session, event.event),
    isError: event.error !== null,
    isSilent: false,
    timeMs: event.timeMs,
    edits: [...(session.eventEdits?.get(event.event) ?? [])],
  };
}

export function findEvent(session: FakeSession, event: number): FakeEvent {
  const found = session.events[event - 1];
  if (found === undefined)
    throw notFound(
      `E${String(event)} is not in this session. Its last event is E${String(session.events.length)}.`,
    );
  return found;
}

export function eventDetail(session: FakeSession, number: number): EventDetail {
  const event = findEvent(session, number);
  const use = session.useOf(number);
  const text = event.text();
  const raw = JSON.stringify(rawOf(event, text), null, 2);
  const cached = use.lifetimeTokens - use.freshTokens;
  const { price } = session;
  const isExact = session.basis === 'exact';
  return {
    row: rowOf(session, event),
    title: titleOf(event),
    subtitle: [
      event.agent,
      ...(event.call === null ? [] : [`call C${String(event.call)}`]),
      new Date(event.timeMs).toLocaleTimeString('en-GB'),
      labelOf(event),
    ].join(' · '),
    id: `ev-${String(number).padStart(4, '0')}`,
    invocation: `inv-${String(event.turn)}`,
    branch: null,
    size: {
      tokens: event.tokens,
      basis: session.basis,
      low: isExact ? event.tokens : Math.round(event.tokens * 0.88),
      high: isExact ? event.tokens : Math.round(event.tokens * 1.12),
    },
    calls: use.sentIn,
    share: use.lifetimeTokens / totalTokens(session),
    cachedTokens: cached,
    costUsd: price === null ? null : (use.freshTokens * price.input + cached * price.cachedRead) / 1e6,
    byCall: carriers(session, number),
    fate: fateOf(session, event),
    chain: chainOf(session, event),
    parts: [
      {
        index: 0,
        kind: event.kind,
        label: event.label,
        tokens: event.tokens,
        preview: text.slice(0, PREVIEW_LIMIT),
      },
    ],
    stateDelta: [...event.state],
    artifacts: event.tool === 'save_artifact' && event.label === 'result' ? [event.what] : [],
    transferTo: event.transferTo,
    usage:
      event.call === null || event.kind === 'result'
        ? []
        : [
            { label: 'Input tokens', value: session.calls[event.call - 1]?.tokens ?? 0 },
            { label: 'Output tokens', value: event.tokens },
          ],
    error: event.error,
    recorded: null,
    content: JSON.stringify(
      { role: event.kind === 'user' ? 'user' : 'model', parts: [{ text: event.text() }] },
      null,
      2,
    ),
    findings: [],
    raw: raw.slice(0, RAW_LIMIT),
    isRawCut: raw.length > RAW_LIMIT,
  };
}

const totals = new WeakMap<FakeSession, number>();

export function totalTokens(session: FakeSession): number {
  const total = totals.get(session) ?? session.calls.reduce((sum, { tokens }) => sum + tokens, 0);
  totals.set(session, total);
  return total;
}

function titleOf(event: FakeEvent): string {
  if (event.tool !== '') return `${event.tool} ${event.label}`;
  return event.kind === 'summary' ? event.what : `${event.kind === 'user' ? 'User' : 'Model'} message`;
}

function labelOf(event: FakeEvent): string {
  if (event.kind === 'result') return 'tool result';
  return event.label === 'call' ? 'tool call' : event.kind === 'summary' ? 'compaction' : 'message';
}

function rawOf(event: FakeEvent, text: string): unknown {
  return {
    id: `ev-${String(event.event).padStart(4, '0')}`,
    author: event.agent,
    invocationId: `inv-${String(event.turn)}`,
    timestamp: event.timeMs / 1000,
    content: { role: event.kind === 'model' ? 'model' : 'user', parts: [{ text }] },
    actions: { stateDelta: Object.fromEntries(event.state.map(({ key, after }) => [key, after])) },
  };
}

function carriers(session: FakeSession, event: number): EventDetail['byCall'] {
  const { firstCall, lastCall, sentIn } = session.useOf(event);
  if (sentIn === 0) return [];
  return session.calls.slice(firstCall - 1, lastCall).flatMap(({ call, cached }) => {
    const part = session.partsOf(call).find((candidate) => candidate.event === event);
    if (part === undefined) return [];
    return [
      { call, tokens: part.tokens, cachedTokens: Math.max(0, Math.min(part.tokens, cached - part.at)) },
    ];
  });
}

function summaryOf(session: FakeSession, event: FakeEvent): FakeEvent | undefined {
  const { lastCall } = session.useOf(event.event);
  if (lastCall === 0 || event.kind === 'summary' || lastCall === session.calls.length) return undefined;
  return session.events.find((later) => later.event > event.event && later.kind === 'summary');
}

function fateOf(session: FakeSession, event: FakeEvent): string {
  const calls = carriedBy(session, event.event);
  if (calls === '') return 'Never sent';
  const summary = summaryOf(session, event);
  if (summary !== undefined) return `${calls}, then summarised by E${String(summary.event)}`;
  return session.useOf(event.event).lastCall === session.calls.length ? `${calls}, still sent` : calls;
}

/** From the person's words over the model's call to the prompt, and what came after. */
function chainOf(session: FakeSession, event: FakeEvent): ChainStep[] {
  const step = (of: FakeEvent, text: string, code: string | null = null): ChainStep => ({
    kind: of.kind,
    address: `E${String(of.event)}`,
    label: `E${String(of.event)}`,
    isCode: false,
    text,
    code,
  });
  const asked = session.events
    .slice(0, event.event)
    .findLast(({ kind, turn }) => kind === 'user' && turn === event.turn);
  const steps: ChainStep[] = [];
  if (asked !== undefined && asked !== event) steps.push(step(asked, `user: ${asked.what}`));
  const before = session.events[event.event - 2];
  if (event.kind === 'result' && before !== undefined)
    steps.push(step(before, `model call C${String(before.call ?? 0)} chose`, before.what));
  steps.push(
    step(event, event.kind === 'result' ? `tool result, ${event.what.split(' · ')[0] ?? ''}` : event.what),
  );
  const { firstCall } = session.useOf(event.event);
  if (firstCall > 0) {
    const part = ensureExists(
      session.partsOf(firstCall).find((candidate) => candidate.event === event.event),
      'the part in the first call that carried it',
    );
    steps.push({
      kind: null,
      address: `C${String(firstCall)}/contents`,
      label: 'contents',
      isCode: true,
      text: `${part.isReframed ? 'quoted' : 'kept'} it as ${partName(part.path)}`,
      code: null,
    });
  }
  const summary = summaryOf(session, event);
  if (summary !== undefined) steps.push(step(summary, `${summary.what.toLowerCase()} replaced it`));
  return steps;
}

/** `contents[6].parts[0]` of `6.0`. */
export function partName(path: string): string {
  const [content, part] = path.split('.');
  if (content === 'sys') return `system_instruction[${part ?? ''}]`;
  return content === 'tool' ? `tools.${part ?? ''}` : `contents[${content ?? ''}].parts[${part ?? ''}]`;
}

export function stratumOf(session: FakeSession, params: Params<'event/stratum'>): StratumCalls {
  const calls = carriers(session, params.event)
    .filter(({ call }) => call >= params.calls.from && call <= params.calls.to)
    .map(({ call, tokens }) => ({
      call,
      fromToken: session.partsOf(call).find(({ event }) => event === params.event)?.at ?? 0,
      tokens,
    }));
  return { calls };
}
