import type { ComparedCall, Effect, PartDiff, PartPage, PartRow } from '@/api/gen/api.ts';
import type { Params } from '@/api/client.ts';
import { notFound } from './failures.ts';
import { diffOf } from './parts.ts';
import type { FakePart, FakeSession } from './session.ts';

const whole = (value: number): string => value.toLocaleString('en-US');

/** The parts that differ between the prompts of a call. */
export function comparedParts(
  before: FakeSession,
  after: FakeSession,
  { call, offset, limit }: Pick<Params<'experiment/compareParts'>, 'call' | 'offset' | 'limit'>,
): PartPage {
  const old = new Map(before.partsOf(call).map((part) => [part.identity, part]));
  const now = after.partsOf(call);
  const present = new Set(now.map(({ identity }) => identity));
  const gone = [...old.values()].filter(({ identity }) => !present.has(identity));
  const rows = [
    ...gone.map((part) => rowOf(call, part, part.tokens, 0)),
    ...now.flatMap((part) => {
      const was = old.get(part.identity);
      return was?.version === part.version ? [] : [rowOf(call, part, was?.tokens ?? 0, part.tokens)];
    }),
  ];
  return {
    processor: '',
    stage: 0,
    stages: 0,
    headline: `${String(rows.length)} parts differ.`,
    addedTokens: 0,
    leftOutTokens: gone.reduce((sum, { tokens }) => sum + tokens, 0),
    rewritingTokens: rows.reduce(
      (sum, row) => sum + (row.change === 'rewritten' ? row.tokensAfter - row.tokensBefore : 0),
      0,
    ),
    comparedWith: 'the same call',
    total: rows.length,
    rows: rows.slice(offset, offset + limit),
  };
}

/** A part of the prompts of a call, line by line. */
export function comparedText(
  before: FakeSession,
  after: FakeSession,
  { call, path, isLeftOut }: Pick<Params<'experiment/compareText'>, 'call' | 'path' | 'isLeftOut'>,
): PartDiff {
  const [old, now] = [before.partsOf(call), after.partsOf(call)];
  const part = (isLeftOut ? old : now).find((candidate) => candidate.path === path);
  if (part === undefined) throw notFound(`C${String(call)} has no part ${path} to compare.`);
  const was = old.find(({ identity }) => identity === part.identity);
  const is = now.find(({ identity }) => identity === part.identity);
  const label = (name: string, side: FakePart | undefined): string =>
    side === undefined ? `${name}: not in the prompt` : `${name}, ${whole(side.tokens)} tokens`;
  return {
    title: path,
    subtitle: is === undefined ? 'taken out' : was === undefined ? 'added' : 'rewritten',
    beforeLabel: label('Recorded', was),
    afterLabel: label('Experiment', is),
    ...diffOf(was?.text() ?? '', is?.text() ?? ''),
  };
}

function costOf({ price }: FakeSession, tokens: number, cached: number): number | null {
  return price === null ? null : ((tokens - cached) * price.input + cached * price.cachedRead) / 1e6;
}

export function compared(before: FakeSession, after: FakeSession): readonly ComparedCall[] {
  return before.calls.map((a, index) => {
    const b = after.calls[index] ?? a;
    return {
      call: a.call,
      agent: before.agents[a.agent]?.name ?? '',
      isChanged: a.tokens !== b.tokens,
      tokensA: a.tokens,
      tokensB: b.tokens,
      cachedA: a.cached,
      cachedB: b.cached,
      costAUsd: costOf(before, a.tokens, a.cached),
      costBUsd: costOf(after, b.tokens, b.cached),
      breaksA: a.break !== null,
      breaksB: b.break !== null,
    };
  });
}

export function effectOf(before: FakeSession, after: FakeSession): Effect {
  const rows = compared(before, after);
  const sum = (value: (row: ComparedCall) => number): number =>
    rows.reduce((all, row) => all + value(row), 0);
  const priced = before.price !== null;
  return {
    callsCompared: rows.length,
    calls: rows.length,
    callsChanged: rows.filter(({ isChanged }) => isChanged).length,
    tokensBefore: sum(({ tokensA }) => tokensA),
    tokensAfter: sum(({ tokensB }) => tokensB),
    cachedBefore: sum(({ cachedA }) => cachedA),
    cachedAfter: sum(({ cachedB }) => cachedB),
    costBeforeUsd: priced ? sum(({ costAUsd }) => costAUsd ?? 0) : null,
    costAfterUsd: priced ? sum(({ costBUsd }) => costBUsd ?? 0) : null,
    breaksBefore: sum(({ breaksA }) => Number(breaksA)),
    breaksAfter: sum(({ breaksB }) => Number(breaksB)),
  };
}

function rowOf(call: number, part: FakePart, before: number, after: number): PartRow {
  return {
    change: after === 0 ? 'leftOut' : before === 0 ? 'added' : 'rewritten',
    path: part.path,
    address: after === 0 ? '' : `C${String(call)}/${part.path}`,
    kind: part.kind,
    count: 1,
    isReframed: part.isReframed,
    from: part.from,
    tokensBefore: before,
    tokensAfter: after,
    text: after === 0 ? part.label : `${part.label}, ${whole(after)} tokens`,
    codeLength: 0,
    isInferred: false,
  };
}
