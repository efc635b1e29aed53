import type {
  ChainStep,
  DiffLine,
  DiffRun,
  PartDetail,
  PartDiff,
  PartSpan,
  PartText,
} from '@/api/gen/api.ts';
import type { Params } from '@/api/client.ts';
import { badInput, notFound } from './failures.ts';
import { eventDetail, findEvent, partName } from './events.ts';
import type { FakeCall, FakePart, FakeSession } from './session.ts';
import { callOf, kindsOf, partsAfter, previousOf, roleOf } from './stages.ts';
import { tokenEnds } from './tokens.ts';

interface Found {
  readonly call: FakeCall;
  readonly part: FakePart;
}

function findPart(session: FakeSession, address: string): Found {
  const match = /^C(\d+)\/(.+)$/.exec(address);
  if (match === null) throw badInput(`${address} does not name a part of a prompt.`);
  const call = callOf(session, Number(match[1]));
  const part = session.partsOf(call.call).find(({ path }) => path === match[2]);
  if (part === undefined)
    throw notFound(
      `${address} is not in the prompt of C${String(call.call)}. The call was compiled with fewer parts.`,
    );
  return { call, part };
}

const TITLES = { tools: 'Tool definition', system: 'Instruction' } as const;

export function partDetail(session: FakeSession, { address }: Params<'part/get'>): PartDetail {
  const { call, part } = findPart(session, address);
  const event = session.events[part.event - 1];
  const cached = Math.max(0, Math.min(part.tokens, call.cached - part.at));
  const title = part.isReframed
    ? 'Rewritten part'
    : part.kind === 'tools' || part.kind === 'system'
      ? TITLES[part.kind]
      : 'Part of the history';
  const isExact = session.basis === 'exact';
  return {
    address,
    title,
    badge: partName(part.path).replace('.parts[0]', ''),
    subtitle: `prompt of C${String(call.call)}, tokens ${part.at.toLocaleString('en-US')}–${(part.at + part.tokens).toLocaleString('en-US')}`,
    kind: part.kind,
    isReframed: part.isReframed,
    tokens: {
      tokens: part.tokens,
      basis: session.basis,
      low: isExact ? part.tokens : Math.round(part.tokens * 0.9),
      high: isExact ? part.tokens : Math.round(part.tokens * 1.1),
    },
    storedTokens: event?.tokens ?? null,
    sentIn:
      event === undefined
        ? session.calls.filter(({ agent }) => agent === call.agent).length
        : session.useOf(event.event).sentIn,
    calls: session.calls.length,
    cachedTokens: cached,
    chain: chainOf(session, call, part),
    spans: spansOf(part),
    promptByKind: kindsOf(session.partsOf(call.call)),
    promptTokens: call.tokens,
    isInferred: session.isInferred,
  };
}

function chainOf(session: FakeSession, call: FakeCall, part: FakePart): ChainStep[] {
  const plain = { kind: null, code: null };
  const sent: ChainStep = {
    ...plain,
    kind: part.kind,
    address: `C${String(call.call)}/${part.path}`,
    label: '',
    isCode: false,
    text: `sent as ${partName(part.path)}`,
  };
  const stage = (processor: string, text: string): ChainStep => ({
    ...plain,
    address: `C${String(call.call)}/${processor}`,
    label: processor,
    isCode: true,
    text,
  });
  if (part.event > 0) {
    const steps = eventDetail(session, part.event).chain.filter(
      ({ address }) => address?.startsWith('E') === true,
    );
    const own = steps.slice(0, steps.findIndex(({ address }) => address === `E${String(part.event)}`) + 1);
    return [...own, stage('contents', part.isReframed ? 'quoted it as user text' : 'kept it'), sent];
  }
  if (part.kind === 'tools')
    return [
      {
        ...plain,
        kind: 'tools',
        address: part.path,
        label: part.path,
        isCode: true,
        text: 'declared by the agent',
      },
      stage('agent_tools', 'added it'),
      sent,
    ];
  const steps: ChainStep[] = [];
  if (part.identity.startsWith('filled'))
    steps.push(
      {
        ...plain,
        kind: 'result',
        address: 'E33',
        label: 'E33',
        isCode: false,
        text: 'tool result wrote state',
      },
      {
        ...plain,
        address: 'state.hits',
        label: 'state.hits',
        isCode: true,
        text: 'fills {hits} in the template',
      },
    );
  return [
    ...steps,
    stage(part.identity.startsWith('identity') ? 'identity' : 'instructions', 'wrote it'),
    sent,
  ];
}

function spansOf(part: FakePart): PartSpan[] {
  const text = part.text();
  if (!part.isReframed)
    return [
      {
        from: 0,
        to: text.length,
        source: part.from,
        address: part.event > 0 ? `E${String(part.event)}` : null,
      },
    ];
  const from =
    text.indexOf('<<<BEGIN_QUOTED_AGENT_CONTENT>>>\n') + '<<<BEGIN_QUOTED_AGENT_CONTENT>>>\n'.length;
  const to = text.lastIndexOf('\n<<<END_QUOTED_AGENT_CONTENT>>>');
  const framing = 'the runtime’s framing';
  return [
    { from: 0, to: from, source: framing, address: null },
    { from, to, source: part.from, address: `E${String(part.event)}` },
    { from: to, to: text.length, source: framing, address: null },
  ];
}

export function partText(session: FakeSession, params: Params<'part/text'>): PartText {
  const event = /^E(\d+)\/\d+$/.exec(params.address);
  const text =
    event === null
      ? findPart(session, params.address).part.text()
      : findEvent(session, Number(event[1])).text();
  const page = text.slice(params.offset, params.offset + params.limit);
  return { totalLength: text.length, offset: params.offset, text: page, tokenEnds: tokenEnds(page) };
}

export function partDiff(session: FakeSession, params: Params<'part/diff'>): PartDiff {
  const { call, part } = findPart(session, params.address);
  const sent = `sent in C${String(call.call)}, ${part.tokens.toLocaleString('en-US')} tokens`;
  const after = `role: ${roleOf(part)}\n${part.text()}`;
  if (params.compareWith === 'previousCall') {
    const before = previousOf(session, call.call);
    const old = partsAfter(session, before.call, params.stage).find(
      ({ identity }) => identity === part.identity,
    );
    return {
      title: partName(part.path),
      subtitle:
        old === undefined
          ? `not in C${String(before.call)}`
          : old.version === part.version
            ? 'unchanged'
            : 'rewritten',
      beforeLabel:
        old === undefined
          ? `not in C${String(before.call)}`
          : `sent in C${String(before.call)}, ${old.tokens.toLocaleString('en-US')} tokens`,
      afterLabel: sent,
      ...diffOf(old === undefined ? '' : `role: ${roleOf(old)}\n${old.text()}`, after),
    };
  }
  const event = session.events[part.event - 1];
  const isRewritten = part.isReframed && event !== undefined;
  return {
    title: partName(part.path),
    subtitle: isRewritten ? `role model → user, quoted as ${event.agent}’s words` : 'added by this stage',
    beforeLabel: isRewritten
      ? `E${String(event.event)} in the session, ${event.tokens.toLocaleString('en-US')} tokens`
      : 'not in the prompt before',
    afterLabel: sent,
    ...diffOf(isRewritten ? `role: model\n${event.text()}` : '', after),
  };
}

const LINE_LIMIT = 400;

export function diffOf(
  before: string,
  after: string,
): Pick<PartDiff, 'lines' | 'isApproximate' | 'isWhitespaceOnly' | 'hiddenLines'> {
  const lines = diffLines(toLines(before), toLines(after));
  return {
    lines: lines.slice(0, LINE_LIMIT),
    isApproximate: false,
    isWhitespaceOnly: before !== after && before.replace(/\s/g, '') === after.replace(/\s/g, ''),
    hiddenLines: Math.max(0, lines.length - LINE_LIMIT),
  };
}

function toLines(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** What both texts begin and end with is the same, the rest was replaced. Enough for made-up data. */
function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let b = 0;
  let a = 0;
  const plain = (text: string): DiffRun[] => [{ text, isEmphasised: false }];
  while (b < before.length || a < after.length) {
    const old = before[b];
    const now = after[a];
    if (old !== undefined && old === now) {
      lines.push({ sign: 'same', beforeLine: b + 1, afterLine: a + 1, runs: plain(old) });
      b += 1;
      a += 1;
      continue;
    }
    const nextAfter = old === undefined ? -1 : after.indexOf(old, a);
    const nextBefore = now === undefined ? -1 : before.indexOf(now, b);
    if (old !== undefined && nextAfter < 0) {
      const isPair = now !== undefined && nextBefore < 0;
      lines.push({
        sign: 'removed',
        beforeLine: b + 1,
        afterLine: null,
        runs: isPair ? emphasise(old, now) : plain(old),
      });
      b += 1;
      if (isPair) {
        lines.push({ sign: 'added', beforeLine: null, afterLine: a + 1, runs: emphasise(now, old) });
        a += 1;
      }
    } else if (now !== undefined) {
      lines.push({ sign: 'added', beforeLine: null, afterLine: a + 1, runs: plain(now) });
      a += 1;
    }
  }
  return lines;
}

function emphasise(line: string, other: string): DiffRun[] {
  let start = 0;
  while (start < line.length && line[start] === other[start]) start += 1;
  let end = 0;
  while (end < Math.min(line.length, other.length) - start && line.at(-1 - end) === other.at(-1 - end))
    end += 1;
  return [
    { text: line.slice(0, start), isEmphasised: false },
    { text: line.slice(start, line.length - end), isEmphasised: true },
    { text: line.slice(line.length - end), isEmphasised: false },
  ].filter(({ text }) => text !== '');
}
