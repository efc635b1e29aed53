import type { Answer, CallDetail, PaletteItem, PaletteResults } from '@/api/gen/api.ts';
import type { Params, Result } from '@/api/client.ts';
import { totalTokens } from './events.ts';
import { toolNames } from './filter.ts';
import type { FakeEvent, FakeSession } from './session.ts';
import { callOf, kindsOf, stageList } from './stages.ts';

const whole = (value: number): string => value.toLocaleString('en-US');

export function callDetail(session: FakeSession, number: number): CallDetail {
  const call = callOf(session, number);
  const { price } = session;
  const isExact = session.basis === 'exact';
  const failed = session.events.find((event) => event.call === number && event.error !== null);
  return {
    call: number,
    agent: session.agents[call.agent]?.name ?? '',
    model: session.agents[call.agent]?.model ?? '',
    invocation: `inv-${String(call.turn)}`,
    branch: null,
    turn: call.turn,
    answerEvent: session.events.find((event) => event.call === number)?.event ?? null,
    eventsBefore: call.eventsBefore,
    prompt: {
      tokens: call.tokens,
      basis: session.basis,
      low: isExact ? call.tokens : Math.round(call.tokens * 0.94),
      high: isExact ? call.tokens : Math.round(call.tokens * 1.06),
    },
    requestBasis: 'recompiled',
    cachedTokens: call.cached,
    cachedBasis: session.cachedBasis,
    reportedInputTokens: isExact ? call.tokens + 3 : null,
    reportedOutputTokens: isExact
      ? (session.events.find((event) => event.call === number)?.tokens ?? null)
      : null,
    calibrated: null,
    residualTokens: isExact ? 3 : null,
    costUsd:
      price === null
        ? null
        : ((call.tokens - call.cached) * price.input + call.cached * price.cachedRead) / 1e6,
    byKind: kindsOf(session.partsOf(number)),
    startedMs: session.events[call.eventsBefore - 1]?.timeMs ?? null,
    prefixBreak:
      call.break === null
        ? null
        : {
            isAvoidable: call.break.isAvoidable,
            atToken: call.break.atToken,
            rebilledTokens: call.break.rebilledTokens,
            costUsd:
              price === null ? null : (call.break.rebilledTokens * (price.input - price.cachedRead)) / 1e6,
            cause: call.break.cause,
            address: `C${String(number)}/${call.break.path}`,
            previousCall: call.break.previousCall,
          },
    error:
      failed === undefined
        ? null
        : {
            severity: 'error',
            code: 'tool-failed',
            message: failed.error ?? '',
            at: `E${String(failed.event)}`,
          },
    findings: [],
    unknowns: session.isInferred
      ? ['The configuration of the agents: tools that were never called are not counted']
      : [],
  };
}

/** Events of all sessions that say this. */
export function find(
  sessions: readonly FakeSession[],
  { query, session, limit }: Params<'search/find'>,
): Result<'search/find'> {
  const wanted = query.toLowerCase().trim();
  const searched = sessions.filter(({ id }) => session === null || id === session);
  const hits = searched.flatMap(({ id, title, events }) =>
    events
      .filter(({ what }) => what.toLowerCase().includes(wanted))
      .map(({ event, what, agent }) => {
        const from = what.toLowerCase().indexOf(wanted);
        const to = from + wanted.length;
        return {
          session: id,
          title,
          address: `E${String(event)}`,
          author: agent,
          tools: [],
          atMs: null,
          snippet: [
            { text: what.slice(0, from), isMatch: false },
            { text: what.slice(from, to), isMatch: true },
            { text: what.slice(to), isMatch: false },
          ],
        };
      }),
  );
  return {
    hits: hits.slice(0, limit),
    total: hits.length,
    isTotalCapped: false,
    next: null,
    sessionsLeft: 0,
  };
}

export function search(session: FakeSession, { query, limit }: Params<'palette/search'>): PaletteResults {
  const wanted = query.toLowerCase().trim();
  const fits = (text: string): boolean => text.toLowerCase().includes(wanted);
  const items: PaletteItem[] = [
    ...session.agents
      .filter(({ name }) => fits(name))
      .map(({ name, calls }): PaletteItem => ({
        place: 'agent',
        address: `agent.${name}`,
        title: name,
        detail: `agent, ${whole(calls)} calls`,
        kind: null,
      })),
    ...toolNames(session)
      .filter(fits)
      .map((name): PaletteItem => ({
        place: 'tool',
        address: `tool.${name}`,
        title: name,
        detail: 'tool',
        kind: 'tools',
      })),
    ...(fits('state.hits') && session.isSample
      ? [
          {
            place: 'state',
            address: 'state.hits',
            title: 'state.hits',
            detail: '2 changes',
            kind: null,
          } as const,
        ]
      : []),
    ...callItems(session, wanted),
    ...stageItems(session, wanted),
    ...session.events
      .filter((event) => fits(`E${String(event.event)} ${event.tool} ${event.what}`))
      .slice(0, limit)
      .map(eventItem),
  ];
  return { items: items.slice(0, limit) };
}

function callItems(session: FakeSession, wanted: string): readonly PaletteItem[] {
  const number = Number(/^c(\d+)$/.exec(wanted)?.[1] ?? 0);
  const call = session.calls[number - 1];
  if (call === undefined) return [];
  const agent = session.agents[call.agent]?.name ?? '';
  return [
    {
      place: 'call',
      address: `C${String(number)}`,
      title: `C${String(number)}`,
      detail: `${agent}, ${whole(call.tokens)} tokens`,
      kind: null,
    },
  ];
}

function stageItems(session: FakeSession, wanted: string): readonly PaletteItem[] {
  const call = session.calls.at(-1)?.call;
  if (call === undefined || wanted.length < 3) return [];
  return stageList(session, call)
    .rows.filter(({ processor }) => processor.includes(wanted))
    .map(({ processor, note }) => ({
      place: 'stage',
      address: `C${String(call)}/${processor}`,
      title: processor,
      detail: note,
      kind: null,
    }));
}

function eventItem(event: FakeEvent): PaletteItem {
  return {
    place: 'event',
    address: `E${String(event.event)}`,
    title: `${event.tool === '' || event.label === 'call' ? '' : `${event.tool} `}${event.what}`,
    detail: `E${String(event.event)}, ${event.agent}`,
    kind: event.kind,
  };
}

export function answer(session: FakeSession, { question, cursor }: Params<'palette/ask'>): Answer {
  const nowhere = { address: null, filter: null, order: null };
  switch (question) {
    case 'costliestToolResult': {
      const best = costliest(session, ({ kind }) => kind === 'result');
      if (best === undefined) return { ...nowhere, text: 'No tool result was sent.' };
      const use = session.useOf(best.event);
      return {
        text: `E${String(best.event)} ${best.tool}, ${whole(best.tokens)} tokens in ${String(use.sentIn)} calls, ${whole(use.lifetimeTokens)} over the session`,
        address: `E${String(best.event)}`,
        filter: 'kind:result',
        order: 'byLifetime',
      };
    }
    case 'largestCalls': {
      const ranked = [...session.calls].sort((a, b) => b.tokens - a.tokens).slice(0, 3);
      return {
        ...nowhere,
        text: ranked.map(({ call, tokens }) => `C${String(call)} ${whole(tokens)}`).join(', '),
        address: ranked[0] === undefined ? null : `C${String(ranked[0].call)}`,
      };
    }
    case 'promptByKind': {
      const kinds = [...kindsOf(session.partsOf(cursor))].sort((a, b) => b.tokens - a.tokens);
      return {
        ...nowhere,
        text: `C${String(cursor)} holds ${kinds.map(({ kind, tokens }) => `${kind} ${whole(tokens)}`).join(', ')}`,
        address: `C${String(cursor)}`,
      };
    }
    case 'toolsNeverCalled':
      return {
        ...nowhere,
        text: 'Every declared tool was called at least once.',
        filter: 'kind:model',
        order: 'inOrder',
      };
    case 'costliestTurn': {
      const turns = new Map<number, number>();
      for (const { turn, tokens } of session.calls) turns.set(turn, (turns.get(turn) ?? 0) + tokens);
      const [turn, tokens] = [...turns].sort((a, b) => b[1] - a[1])[0] ?? [0, 0];
      const calls = session.calls.filter((call) => call.turn === turn);
      return {
        ...nowhere,
        text: `Turn ${String(turn)}, ${whole(tokens)} tokens in ${String(calls.length)} calls`,
        filter: `call:${String(calls[0]?.call ?? 1)}..${String(calls.at(-1)?.call ?? 1)}`,
      };
    }
    case 'costliestAgent': {
      const ranked = session.agents
        .map(({ name }, agent) => ({
          name,
          tokens: session.calls
            .filter((call) => call.agent === agent)
            .reduce((sum, { tokens }) => sum + tokens, 0),
        }))
        .sort((a, b) => b.tokens - a.tokens);
      const [best] = ranked;
      return {
        ...nowhere,
        text: `${best?.name ?? ''}, ${whole(best?.tokens ?? 0)} of ${whole(totalTokens(session))} tokens`,
        filter: `agent:${best?.name ?? ''}`,
        order: 'byLifetime',
      };
    }
    case 'stageThatAddedMost': {
      const rows = [...stageList(session, cursor).rows].sort(
        (a, b) => b.tokensAfter - b.tokensBefore - a.tokensAfter + a.tokensBefore,
      );
      const [best] = rows;
      return {
        ...nowhere,
        text: `${best?.processor ?? ''} added ${whole((best?.tokensAfter ?? 0) - (best?.tokensBefore ?? 0))} tokens to C${String(cursor)}`,
        address: `C${String(cursor)}/${best?.processor ?? ''}`,
      };
    }
    case 'stagesThatDidNothing': {
      const rows = stageList(session, cursor).rows.filter(({ isChanged }) => !isChanged);
      return {
        ...nowhere,
        text: `${String(rows.length)} of 16 processors left C${String(cursor)} as it was`,
      };
    }
    case 'whatGrewSincePreviousCall': {
      const call = callOf(session, cursor);
      const before = session.calls[cursor - 2];
      return {
        ...nowhere,
        text: `C${String(cursor)} is ${whole(call.tokens - (before?.tokens ?? 0))} tokens larger than the call before`,
        address: `C${String(cursor)}`,
      };
    }
    case 'hiddenContext':
      return {
        ...nowhere,
        text: `The contents stage left out what summaries cover`,
        address: `C${String(cursor)}/contents`,
      };
  }
}

function costliest(session: FakeSession, fits: (event: FakeEvent) => boolean): FakeEvent | undefined {
  let best: FakeEvent | undefined;
  for (const event of session.events)
    if (
      fits(event) &&
      (best === undefined ||
        session.useOf(event.event).lifetimeTokens > session.useOf(best.event).lifetimeTokens)
    )
      best = event;
  return best;
}
