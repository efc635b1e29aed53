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
import type { FakeCall, FakePart, FakeSession } from './session.ts';

interface Stage {
  readonly processor: string;
  readonly note: (parts: readonly FakePart[], call: FakeCall) => string;
  /** The parts it writes. */
  readonly writes: (part: FakePart) => boolean;
}

const nothing = (): boolean => false;
const idle = (processor: string, note: string): Stage => ({ processor, note: () => note, writes: nothing });
const isIdentity = (part: FakePart): boolean => part.identity.startsWith('identity');
const isTransfer = (part: FakePart): boolean => part.path === 'tool.transfer_to_agent';
const isContent = (part: FakePart): boolean => part.kind !== 'tools' && part.kind !== 'system';

/** The request processors of ADK in their order. */
const STAGES: readonly Stage[] = [
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

export function stageList(session: FakeSession, number: number): StageList {
  const call = callOf(session, number);
  const parts = session.partsOf(number);
  let before = 0;
  const rows = STAGES.map((stage, index): StageRow => {
    const added = kindsOf(parts.filter(stage.writes));
    const tokensAfter = before + added.reduce((sum, { tokens }) => sum + tokens, 0);
    const row = {
      number: index + 1,
      processor: stage.processor,
      note: stage.note(parts, call),
      isChanged: added.length > 0,
      isReused: number > 1 && stage.processor === 'agent_tools',
      tokensBefore: before,
      tokensAfter,
      added,
      removedTokens: 0,
      diagnostics:
        session.isInferred && stage.processor === 'instructions'
          ? [
              {
                severity: 'warning' as const,
                code: 'template-unknown',
                message:
                  'The template of the instruction is not in the file. The text is shown as it was sent.',
                at: `C${String(number)}/instructions`,
              },
            ]
          : [],
      orderWarning: null,
      isInferred: session.isInferred && added.length > 0,
    };
    before = tokensAfter;
    return row;
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

function stageAt(number: number): Stage {
  const stage = STAGES[number - 1];
  if (stage === undefined) throw badInput(`There is no stage ${String(number)}.`);
  return stage;
}

/** The parts of a call after a stage. */
export function partsAfter(session: FakeSession, call: number, stage: number): readonly FakePart[] {
  const done = STAGES.slice(0, stage);
  return session.partsOf(call).filter((part) => done.some(({ writes }) => writes(part)));
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
  const stage = stageAt(params.stage);
  const call = callOf(session, params.call);
  const isBefore = params.compareWith === 'stageBefore';
  const rows = isBefore ? rowsOfStage(session, call, stage) : rowsAgainst(session, call, params.stage);
  const shown = params.foldUnchanged ? fold(rows) : rows;
  const sum = (change: PartRow['change'], value: (row: PartRow) => number): number =>
    rows.filter((row) => row.change === change).reduce((total, row) => total + value(row), 0);
  return {
    processor: stage.processor,
    stage: params.stage,
    stages: STAGES.length,
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

/** Runs of three and more unchanged parts become one row. */
function fold(rows: readonly PartRow[]): readonly PartRow[] {
  const folded: PartRow[] = [];
  for (let i = 0; i < rows.length;) {
    let end = i;
    while (rows[end]?.change === 'unchanged') end += 1;
    const run = rows.slice(i, end);
    const [first] = run;
    const last = run.at(-1);
    if (first !== undefined && last !== undefined && run.length >= 3) {
      const tokens = run.reduce((sum, row) => sum + row.tokensAfter, 0);
      folded.push({
        ...first,
        path: '',
        address: '',
        kind: null,
        count: run.length,
        from: `${first.path}–${last.path}`,
        tokensBefore: tokens,
        tokensAfter: tokens,
        text: `${String(run.length)} unchanged`,
        codeLength: 0,
      });
      i = end;
    } else {
      folded.push(...rows.slice(i, Math.max(end, i + 1)));
      i = Math.max(end, i + 1);
    }
  }
  return folded;
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
