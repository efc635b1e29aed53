import {
  LADDER_FLAGS,
  type BreakPage,
  type BreakRow,
  type CallCacheDetail,
  type FixList,
  type PromptDifference,
  type TokenChip,
} from '@/api/gen/api.ts';
import type { Params } from '@/api/client.ts';
import { diffOf } from './parts.ts';
import type { FakeCall, FakePart, FakeSession } from './session.ts';
import { callOf } from './stages.ts';
import { tokenEnds } from './tokens.ts';

const NOWHERE = 0xffffffff;
const RULE = 'OpenAI, automatic';

function costOf(session: FakeSession, tokens: number): number | null {
  const { price } = session;
  return price === null ? null : (tokens * (price.input - price.cachedRead)) / 1e6;
}

function rowOf(session: FakeSession, call: FakeCall): BreakRow | undefined {
  const found = call.break;
  if (found === null) return undefined;
  return {
    call: call.call,
    agent: session.agents[call.agent]?.name ?? '',
    cause: found.isAvoidable ? 'state_in_instruction' : 'hand_off',
    title: found.isAvoidable ? 'state in the instruction' : 'another prompt',
    detail: found.cause,
    nature: found.isAvoidable ? 'avoidable' : 'structural',
    atToken: found.atToken,
    rebilledTokens: found.rebilledTokens,
    costUsd: costOf(session, found.rebilledTokens),
    previousCall: found.previousCall,
  };
}

export function breakPage(
  session: FakeSession,
  compiled: number,
  { order, offset, limit }: Params<'cache/breaks'>,
): BreakPage {
  const calls = session.calls.slice(0, compiled);
  const rows = calls.flatMap((call) => rowOf(session, call) ?? []);
  const byCost = [...rows].sort(
    (a, b) =>
      Number(b.nature === 'avoidable') - Number(a.nature === 'avoidable') ||
      b.rebilledTokens - a.rebilledTokens,
  );
  const avoidable = byCost.filter(({ nature }) => nature === 'avoidable');
  const sum = (of: readonly BreakRow[]): number => of.reduce((all, row) => all + row.rebilledTokens, 0);
  const tokens = (field: 'tokens' | 'cached'): number => calls.reduce((all, call) => all + call[field], 0);
  return {
    total: rows.length,
    rows: (order === 'byCost' ? byCost : rows).slice(offset, offset + limit),
    summary: {
      calls: calls.length,
      promptTokens: tokens('tokens'),
      cachedTokens: tokens('cached'),
      lostTokens: sum(rows),
      mostRebilledTokens: rows.reduce((most, row) => Math.max(most, row.rebilledTokens), 0),
      avoidableBreaks: avoidable.length,
      avoidableCalls: avoidable.slice(0, 4).map(({ call }) => call),
      avoidableTokens: sum(avoidable),
      avoidableCostUsd: costOf(session, sum(avoidable)),
      otherCauses:
        rows.length === avoidable.length
          ? []
          : [{ title: 'another prompt', breaks: rows.length - avoidable.length }],
      reported: null,
      rules: [RULE],
      isRuleKnown: !session.isInferred,
    },
  };
}

/** The bytes of `cache/ladder`. */
export function ladderBytes(
  session: FakeSession,
  compiled: number,
  { from, to }: { readonly from: number; readonly to: number },
): ArrayBuffer {
  const calls = session.calls.slice(from - 1, Math.min(to, compiled));
  const n = calls.length;
  const bytes = new ArrayBuffer(8 + n * 28);
  new Uint32Array(bytes, 0, 2).set([1, n]);
  const words = (index: number): Uint32Array => new Uint32Array(bytes, 8 + index * n * 4, n);
  const halves = (index: number): Uint16Array => new Uint16Array(bytes, 8 + 24 * n + index * n * 2, n);
  calls.forEach((call, i) => {
    words(0)[i] = call.call;
    words(1)[i] = call.tokens;
    words(2)[i] = call.cached;
    words(3)[i] = call.cached;
    words(4)[i] = call.cached;
    words(5)[i] = call.break?.atToken ?? NOWHERE;
    halves(0)[i] = call.agent;
    halves(1)[i] =
      call.break === null
        ? 0
        : call.break.isAvoidable
          ? LADDER_FLAGS.avoidableBreak
          : LADDER_FLAGS.structuralBreak;
  });
  return bytes;
}

/** The call before it of the same agent. */
function previousOf(session: FakeSession, call: FakeCall): FakeCall | undefined {
  return session.calls.slice(0, call.call - 1).findLast(({ agent }) => agent === call.agent);
}

export function why(session: FakeSession, { call: number }: Params<'cache/why'>): CallCacheDetail {
  const call = callOf(session, number);
  const row = rowOf(session, call);
  const previous = previousOf(session, call);
  const address = call.break === null ? null : `C${String(number)}/${call.break.path}`;
  return {
    call: number,
    agent: session.agents[call.agent]?.name ?? '',
    model: session.agents[call.agent]?.model ?? '',
    promptTokens: call.tokens,
    cachedTokens: call.cached,
    writtenTokens: call.tokens - call.cached,
    costUsd: costOf(session, call.tokens - call.cached),
    previous:
      previous === undefined
        ? null
        : { call: previous.call, promptTokens: previous.tokens, cachedTokens: previous.cached },
    prefixBreak:
      row === undefined
        ? null
        : {
            row,
            sentence: row.detail,
            stage: 'instructions',
            address,
            chain: [
              {
                kind: null,
                address,
                label: '',
                isCode: false,
                text: `prefix ends at token ${row.atToken.toLocaleString('en-US')}`,
                code: null,
              },
            ],
            couldHaveTokens: call.cached + row.rebilledTokens,
          },
    zones: [
      { zone: 'stable' as const, from: 0, to: call.cached, meaning: 'found in the cache' },
      { zone: 'variable' as const, from: call.cached, to: call.tokens, meaning: 'not sent before' },
    ].filter(({ from, to }) => to > from),
    reported: null,
    rule: {
      name: RULE,
      isKnown: !session.isInferred,
      isBestEffort: true,
      minimumTokens: 1024,
      blockTokens: 128,
      lifetimeS: 600,
      source: 'made up',
      seenOn: '2026-11-20',
      note: null,
    },
  };
}

const keyOf = (part: FakePart): string => `${part.identity} ${String(part.version)}`;

export function difference(
  session: FakeSession,
  { call: number }: Params<'cache/difference'>,
): PromptDifference {
  const call = callOf(session, number);
  const previous = previousOf(session, call);
  const nothing = {
    call: number,
    total: 0,
    sameTokens: 0,
    againTokens: 0,
    newTokens: call.tokens,
    shown: null,
  };
  if (previous === undefined) return { ...nothing, previousCall: null };
  const before = session.partsOf(previous.call);
  const after = session.partsOf(number);
  const first = after.findIndex((part, i) => {
    const old = before[i];
    return old === undefined || keyOf(old) !== keyOf(part);
  });
  const part = after[first];
  if (part === undefined)
    return { ...nothing, previousCall: previous.call, sameTokens: call.tokens, newTokens: 0 };
  const old = before[first];
  const known = new Set(before.slice(first).map(keyOf));
  const again = after
    .slice(first)
    .filter((other) => known.has(keyOf(other)))
    .reduce((sum, { tokens }) => sum + tokens, 0);
  const texts = { before: old?.text() ?? '', after: part.text() };
  const chips = { before: chipsOf(old, texts.before), after: chipsOf(part, texts.after) };
  const common = chips.after.findIndex((chip, i) => chip.text !== chips.before[i]?.text);
  return {
    call: number,
    previousCall: previous.call,
    total: 1,
    sameTokens: part.at,
    againTokens: again,
    newTokens: call.tokens - part.at - again,
    shown: {
      number: 1,
      kind: old === undefined ? 'continued' : 'rewritten',
      atToken: part.at,
      place: part.path,
      source: part.from,
      address: `C${String(number)}/${part.path}`,
      ...chips,
      commonChips: Math.max(0, common),
      lines: diffOf(texts.before, texts.after).lines.slice(0, 40),
      hiddenLines: 0,
      isWhitespaceOnly: false,
    },
  };
}

function chipsOf(part: FakePart | undefined, text: string): TokenChip[] {
  if (part === undefined) return [];
  const start = text.slice(0, 200);
  const ends = tokenEnds(start);
  return ends.map((end, i) => ({ text: start.slice(ends[i - 1] ?? 0, end), kind: part.kind }));
}

export function fixList(session: FakeSession): FixList {
  const agents = new Set(
    session.calls.flatMap((call) => (call.break?.isAvoidable === true ? [call.agent] : [])),
  );
  const lost = session.calls.reduce(
    (sum, call) => sum + (call.break?.isAvoidable === true ? call.break.rebilledTokens : 0),
    0,
  );
  return {
    isComplete: true,
    calls: session.calls.length,
    rows: [...agents].flatMap((agent) => {
      const name = session.agents[agent]?.name ?? '';
      const row = { agent: name, causes: ['state_in_instruction'], savesCostUsd: costOf(session, lost) };
      return [
        {
          ...row,
          kind: 'drop_value',
          title: `Leave state.hits out of ${name}’s instruction`,
          savesTokens: lost,
          changedPrompts: 28,
          edits: [{ edit: 'insert_processor', use: 'drop_tools' }],
        },
      ];
    }),
  };
}
