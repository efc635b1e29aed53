import {
  KINDS,
  type JsonPage,
  type KindTokens,
  type PartPage,
  type PartRow,
  type StageList,
  type StageRow,
  type TextPage,
} from '@/api/gen/api.ts';
import type { Params } from '@/api/client.ts';
import { badInput, notFound } from './failures.ts';
import {
  editedFlow,
  scriptError,
  scriptReport,
  throughPlace,
  type FakePlace,
  type FakeStage,
} from './flow.ts';
import { fold } from './fold.ts';
import type { FakeCall, FakePart, FakeSession } from './session.ts';

type Stage = FakeStage;

const nothing = (): boolean => false;
const idle = (processor: string, note: string): Stage => ({ processor, note: () => note, writes: nothing });
const isIdentity = (part: FakePart): boolean => part.identity.startsWith('identity');
const isTransfer = (part: FakePart): boolean => part.path === 'tool.transfer_to_agent';
const isContent = (part: FakePart): boolean => part.kind !== 'tools' && part.kind !== 'system';

/** The request processors of ADK in their order. */
export const STAGES: readonly Stage[] = [
  idle('basic', 'model, temperature, config'),
  idle('auth', 'no credentials pending'),
  idle('request_confirmation', 'nothing to confirm'),
  {
    processor: 'instructions',
    note: () => 'template with {hits}, {last_query}',
    writes: (part) => part.kind === 'system' && !isIdentity(part),
  },
  { processor: 'identity', note: () => 'agent name and description', writes: isIdentity },
  idle('compaction', 'token threshold not set'),
  idle('interactions', 'no chained interaction'),
  {
    processor: 'contents',
    note: (parts, call) =>
      `${String(call.eventsBefore)} events → ${String(parts.filter(isContent).length)} parts`,
    writes: isContent,
  },
  {
    processor: 'context_cache',
    note: (_, call) =>
      call.cached > 0 ? `matched ${call.cached.toLocaleString('en-US')} tokens` : 'nothing matched',
    writes: nothing,
  },
  idle('nl_planning', 'no planner'),
  idle('code_execution', 'no executor'),
  idle('output_schema', 'no schema'),
  { processor: 'agent_transfer', note: () => 'transfer_to_agent', writes: isTransfer },
  idle('toolset_auth', 'no toolset needs credentials'),
  {
    processor: 'agent_tools',
    note: (parts) =>
      `${String(parts.filter((part) => part.kind === 'tools' && !isTransfer(part)).length)} tool definitions`,
    writes: (part) => part.kind === 'tools' && !isTransfer(part),
  },
  idle('dynamic_instructions', 'none queued'),
];

export function callOf(session: FakeSession, number: number): FakeCall {
  const call = session.calls[number - 1];
  if (call === undefined)
    throw notFound(
      `C${String(number)} is not in this session. Its last call is C${String(session.calls.length)}.`,
    );
  return call;
}

export function kindsOf(parts: readonly FakePart[]): KindTokens[] {
  return KINDS.map((kind) => ({
    kind,
    tokens: parts.reduce((sum, part) => sum + (part.kind === kind ? part.tokens : 0), 0),
  })).filter(({ tokens }) => tokens > 0);
}

/** The flow of a session: ADK's, or what an experiment made of it. */
function flowOf(session: FakeSession): readonly FakePlace[] {
  return session.flow ?? editedFlow(STAGES, []).flow;
}

/** The parts of a prompt after each place of the flow, from a prompt that nothing was taken from. */
export function walkFlow(
  flow: readonly FakePlace[],
  all: readonly FakePart[],
): readonly (readonly FakePart[])[] {
  let parts: readonly FakePart[] = [];
  return flow.map((place) => {
    const { stage, isEnabled } = place;
    // In the order of the prompt, whatever the order of the stages.
    if (stage !== undefined && isEnabled)
      parts = [...parts, ...all.filter(stage.writes)].sort((a, b) => a.at - b.at);
    else parts = throughPlace(place, parts);
    return parts;
  });
}

const sumOf = (parts: readonly FakePart[]): number => parts.reduce((sum, { tokens }) => sum + tokens, 0);

export function stageList(session: FakeSession, number: number): StageList {
  const call = callOf(session, number);
  const flow = flowOf(session);
  const after = walkFlow(flow, session.wholeOf?.(number) ?? session.partsOf(number));
  const rows = flow.map((place, index): StageRow => {
    const { stage } = place;
    const before = after[index - 1] ?? [];
    const now = after[index] ?? [];
    const added = stage === undefined || !place.isEnabled ? [] : kindsOf(now.filter(stage.writes));
    const failed =
      place.inserted?.kind === 'script' ? scriptError(place.inserted.params['source']) : undefined;
    return {
      number: index + 1,
      processor: place.name,
      note: place.isEnabled
        ? stage === undefined
          ? failed === undefined
            ? 'changed the request'
            : 'failed; the request is as it was'
          : stage.note(now, call)
        : 'switched off',
      isChanged: added.length > 0 || sumOf(before) !== sumOf(now),
      isReused: number > 1 && place.name === 'agent_tools',
      isEnabled: place.isEnabled,
      inserted: place.inserted === null ? null : { ...place.inserted },
      tokensBefore: sumOf(before),
      tokensAfter: sumOf(now),
      added,
      removedTokens: Math.max(0, sumOf(before) - sumOf(now)),
      diagnostics: [...unknownTemplate(session, place.name, number), ...failure(place.name, failed)],
      orderWarning: orderWarning(flow, index),
      isInferred: session.isInferred && added.length > 0,
      isRecorded: false,
      script:
        place.inserted?.kind === 'script'
          ? scriptReport(place.name, place.inserted.params['source'], sumOf(before), sumOf(now))
          : null,
    };
  });
  return {
    call: number,
    agent: session.agents[call.agent]?.name ?? '',
    rows,
    total: {
      tokens: call.tokens,
      basis: session.basis,
      low: session.basis === 'exact' ? call.tokens : Math.round(call.tokens * 0.94),
      high: session.basis === 'exact' ? call.tokens : Math.round(call.tokens * 1.06),
    },
    overheadTokens: 0,
  };
}

function failure(name: string, line: number | undefined): StageRow['diagnostics'] {
  if (line === undefined) return [];
  const message = `The script failed, and the request goes on as it was: Error: not like this at line ${String(line)}`;
  return [{ severity: 'error', code: 'script-failed', message, at: name }];
}

function unknownTemplate(session: FakeSession, name: string, call: number): StageRow['diagnostics'] {
  if (!session.isInferred || name !== 'instructions') return [];
  return [
    {
      severity: 'warning',
      code: 'template-unknown',
      message: 'The template of the instruction is not in the file. The text is shown as it was sent.',
      at: `C${String(call)}/instructions`,
    },
  ];
}

/** The one constraint of the made-up flow. */
function orderWarning(flow: readonly FakePlace[], index: number): string | null {
  const later = flow.slice(index + 1).some(({ name }) => name === 'compaction');
  return flow[index]?.name === 'contents' && later
    ? 'contents runs before compaction, whose summary it then does not see'
    : null;
}

function stageAt(session: FakeSession, number: number): Stage {
  const place = flowOf(session)[number - 1];
  if (place === undefined) throw badInput(`There is no stage ${String(number)}.`);
  if (place.stage !== undefined && place.isEnabled) return place.stage;
  return idle(place.name, place.isEnabled ? 'put in by the experiment' : 'switched off');
}

/** The parts of a call after a stage. */
export function partsAfter(session: FakeSession, call: number, stage: number): readonly FakePart[] {
  const all = session.wholeOf?.(call) ?? session.partsOf(call);
  return walkFlow(flowOf(session), all)[stage - 1] ?? [];
}

/** The call before this one of the same agent. */
export function previousOf(session: FakeSession, number: number): FakeCall {
  const { agent } = callOf(session, number);
  const before = session.calls.slice(0, number - 1).findLast((call) => call.agent === agent);
  if (before === undefined)
    throw badInput(
      `C${String(number)} is the first call of ${session.agents[agent]?.name ?? ''}, so there is none to compare with. Compare with the stage before.`,
    );
  return before;
}

export function stageParts(session: FakeSession, params: Params<'call/stageParts'>): PartPage {
  const stage = stageAt(session, params.stage);
  const call = callOf(session, params.call);
  const isBefore = params.compareWith === 'stageBefore';
  const rows = isBefore ? rowsOfStage(session, call, stage) : rowsAgainst(session, call, params.stage);
  const shown = params.foldUnchanged ? fold(rows) : rows;
  const sum = (change: PartRow['change'], value: (row: PartRow) => number): number =>
    rows.filter((row) => row.change === change).reduce((total, row) => total + value(row), 0);
  return {
    processor: stage.processor,
    stage: params.stage,
    stages: flowOf(session).length,
    headline: isBefore
      ? headline(stage, call, rows)
      : `${String(rows.length)} parts against the same stage of C${String(previousOf(session, params.call).call)}.`,
    addedTokens:
      sum('added', (row) => row.tokensAfter) + sum('rewritten', (row) => (isBefore ? row.tokensAfter : 0)),
    leftOutTokens: sum('leftOut', (row) => row.tokensBefore),
    rewritingTokens: sum('rewritten', (row) => row.tokensAfter - row.tokensBefore),
    comparedWith: isBefore ? 'stage before' : `C${String(previousOf(session, params.call).call)}`,
    total: shown.length,
    rows: shown.slice(params.offset, params.offset + params.limit),
  };
}

function headline(stage: Stage, call: FakeCall, rows: readonly PartRow[]): string {
  const count = (change: PartRow['change']): number =>
    rows.filter((row) => row.change === change).reduce((n, row) => n + row.count, 0);
  if (rows.length === 0) return `${stage.processor} changed nothing. ${stage.note([], call)}.`;
  if (stage.processor !== 'contents')
    return `${String(count('added'))} parts added. ${stage.note([], call)}.`;
  const out = rows.filter(({ change }) => change !== 'leftOut').length;
  const hidden = count('leftOut');
  return `${String(call.eventsBefore)} events in, ${String(out)} parts out. ${String(count('added') - (hidden > 0 ? 1 : 0))} kept, ${String(count('rewritten'))} rewritten as another agent’s words${hidden > 0 ? `, ${String(hidden)} hidden by 1 summary` : ''}.`;
}

function rowOf(
  call: number,
  part: FakePart,
  before: number,
  change: PartRow['change'],
  isInferred: boolean,
): PartRow {
  const code = /^[a-z_]+(?=[ (])/.exec(part.label)?.[0] ?? '';
  const isCall = part.kind === 'model' && part.label.includes('(') && !part.isReframed && code !== '';
  return {
    change,
    path: part.path,
    address: `C${String(call)}/${part.path}`,
    kind: part.kind,
    count: 1,
    isReframed: part.isReframed,
    from: part.from,
    tokensBefore: before,
    tokensAfter: part.tokens,
    text: part.label,
    codeLength: isCall ? part.label.length : part.kind === 'result' && !part.isReframed ? code.length : 0,
    isInferred,
  };
}

function rowsOfStage(session: FakeSession, call: FakeCall, stage: Stage): readonly PartRow[] {
  const written = session.partsOf(call.call).filter(stage.writes);
  const rows = written.map((part) => {
    const stored = session.events[part.event - 1]?.tokens ?? 0;
    return rowOf(
      call.call,
      part,
      part.isReframed ? stored : 0,
      part.isReframed ? 'rewritten' : 'added',
      session.isInferred,
    );
  });
  return stage.processor === 'contents' ? [...leftOut(session, call, written), ...rows] : rows;
}

/** The events a summary stands for, as one row. */
function leftOut(session: FakeSession, call: FakeCall, parts: readonly FakePart[]): readonly PartRow[] {
  const seen = new Set(parts.map(({ event }) => event));
  const hidden = session.events
    .slice(0, call.eventsBefore)
    .filter(({ event, kind }) => kind !== 'summary' && !seen.has(event));
  const summary = parts.find(({ kind }) => kind === 'summary');
  const [first] = hidden;
  const last = hidden.at(-1);
  if (first === undefined || last === undefined) return [];
  return [
    {
      change: 'leftOut',
      path: '',
      address: '',
      kind: null,
      count: hidden.length,
      isReframed: false,
      from: `E${String(first.event)}–E${String(last.event)}`,
      tokensBefore: hidden.reduce((sum, { tokens }) => sum + tokens, 0),
      tokensAfter: 0,
      text:
        summary === undefined
          ? 'not part of the last turn'
          : `hidden: the ${summary.label.toLowerCase().replace('summary of', 'summary covers')}`,
      codeLength: 0,
      isInferred: false,
    },
  ];
}

function rowsAgainst(session: FakeSession, call: FakeCall, stage: number): readonly PartRow[] {
  const before = previousOf(session, call.call);
  const old = new Map(partsAfter(session, before.call, stage).map((part) => [part.identity, part]));
  const rows = partsAfter(session, call.call, stage).map((part) => {
    const was = old.get(part.identity);
    old.delete(part.identity);
    const change = was === undefined ? 'added' : was.version === part.version ? 'unchanged' : 'rewritten';
    return rowOf(call.call, part, was?.tokens ?? 0, change, false);
  });
  const gone = [...old.values()].map((part) => ({
    ...rowOf(before.call, part, part.tokens, 'leftOut', false),
    tokensAfter: 0,
  }));
  return [...gone, ...rows];
}

const TEXT_LIMIT = 20_000;

export function stageText(session: FakeSession, params: Params<'call/text'>): TextPage {
  callOf(session, params.call);
  const parts = partsAfter(session, params.call, params.stage);
  return {
    total: parts.length,
    segments: parts.slice(params.offset, params.offset + params.limit).map((part) => {
      const text = part.text();
      return {
        path: part.path,
        address: `C${String(params.call)}/${part.path}`,
        kind: part.kind,
        role: roleOf(part),
        from: part.from,
        tokens: part.tokens,
        isReframed: part.isReframed,
        text: text.slice(0, TEXT_LIMIT),
        isCut: text.length > TEXT_LIMIT,
      };
    }),
  };
}

export function roleOf(part: FakePart): string {
  if (part.kind === 'tools' || part.kind === 'system') return 'system';
  return part.kind === 'model' && !part.isReframed ? 'model' : 'user';
}

export function stageJson(session: FakeSession, params: Params<'call/json'>): JsonPage {
  const call = callOf(session, params.call);
  const parts = partsAfter(session, params.call, params.stage);
  const request = {
    model: session.agents[call.agent]?.model,
    config: {
      systemInstruction: parts.filter(({ kind }) => kind === 'system').map((part) => part.text()),
      tools: parts
        .filter(({ kind }) => kind === 'tools')
        .map((part) => ({ name: part.path.slice('tool.'.length) })),
      temperature: 0.2,
    },
    contents: parts.filter(isContent).map((part) => ({ role: roleOf(part), parts: [{ text: part.text() }] })),
  };
  const text = JSON.stringify(request, null, 2);
  return { totalLength: text.length, text: text.slice(params.offset, params.offset + params.limit) };
}
