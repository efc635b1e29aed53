import { KINDS } from '@/api/gen/api.ts';
import { ensureExists } from '@/lib/assert.ts';
import type { FakeCall, FakeSession } from './session.ts';

const NOT_COMPILED = 64;
const NOT_KNOWN = 0xffffffff;

interface Bucket {
  readonly first: number;
  readonly peak: FakeCall;
  readonly flags: number;
}

function buckets(session: FakeSession, from: number, to: number, maxColumns: number): readonly Bucket[] {
  const calls = session.calls.slice(from - 1, to);
  const count = Math.min(calls.length, Math.max(1, maxColumns));
  return Array.from({ length: count }, (_, i) => {
    const group = calls.slice(
      Math.floor((i * calls.length) / count),
      Math.floor(((i + 1) * calls.length) / count),
    );
    const first = ensureExists(group[0], 'a call in every bucket');
    return {
      first: first.call,
      peak: group.reduce((best, call) => (call.tokens > best.tokens ? call : best), first),
      flags: group.reduce((all, { flags }) => all | flags, 0),
    };
  });
}

/** The bytes of `call/columns`. Calls beyond `compiled` are marked as not compiled yet. */
export function columnBytes(
  session: FakeSession,
  compiled: number,
  { from, to, maxColumns }: { readonly from: number; readonly to: number; readonly maxColumns: number },
): ArrayBuffer {
  const columns = buckets(session, from, to, maxColumns);
  const n = columns.length;
  const bytes = new ArrayBuffer(8 + n * 48);
  new Uint32Array(bytes, 0, 2).set([1, n]);
  const words = (index: number): Uint32Array => new Uint32Array(bytes, 8 + index * n * 4, n);
  const halves = (index: number): Uint16Array => new Uint16Array(bytes, 8 + 11 * n * 4 + index * n * 2, n);
  columns.forEach(({ first, peak, flags }, i) => {
    const isCompiled = peak.call <= compiled;
    words(0)[i] = first;
    words(1)[i] = peak.call;
    words(2)[i] = isCompiled ? peak.tokens : 0;
    words(3)[i] = isCompiled ? peak.cached : NOT_KNOWN;
    KINDS.forEach((_, kind) => {
      words(4 + kind)[i] = isCompiled ? (peak.byKind[kind] ?? 0) : 0;
    });
    halves(0)[i] = peak.agent;
    halves(1)[i] = isCompiled ? flags : NOT_COMPILED;
  });
  return bytes;
}

interface Segment {
  readonly tokens: number;
  readonly event: number;
  readonly kind: number;
  readonly flags: number;
}

function segmentsOf(session: FakeSession, call: number, minTokens: number): readonly Segment[] {
  const segments: Segment[] = [];
  for (const part of session.partsOf(call)) {
    const kind = KINDS.indexOf(part.kind);
    const last = segments.at(-1);
    if (last !== undefined && last.kind === kind && last.tokens + part.tokens < minTokens)
      segments[segments.length - 1] = { tokens: last.tokens + part.tokens, event: 0, kind, flags: 2 };
    else segments.push({ tokens: part.tokens, event: part.event, kind, flags: part.isReframed ? 1 : 0 });
  }
  return segments;
}

/** The bytes of `call/map`. */
export function mapBytes(
  session: FakeSession,
  compiled: number,
  asked: {
    readonly from: number;
    readonly to: number;
    readonly maxColumns: number;
    readonly minTokens: number;
  },
): ArrayBuffer {
  const shown = buckets(session, asked.from, Math.min(asked.to, compiled), asked.maxColumns);
  return partBytes(
    session,
    shown.map(({ peak }) => peak.call),
    asked.minTokens,
  );
}

/** The bytes of `cache/rows`. */
export function rowBytes(
  session: FakeSession,
  compiled: number,
  asked: { readonly calls: readonly number[]; readonly minTokens: number },
): ArrayBuffer {
  return partBytes(
    session,
    asked.calls.filter((call) => call <= compiled),
    asked.minTokens,
  );
}

function partBytes(session: FakeSession, calls: readonly number[], minTokens: number): ArrayBuffer {
  const columns = calls.map((call) => ({ call, segments: segmentsOf(session, call, minTokens) }));
  const c = columns.length;
  const s = columns.reduce((sum, { segments }) => sum + segments.length, 0);
  const bytes = new ArrayBuffer(12 + (2 * c + 1) * 4 + s * 10);
  new Uint32Array(bytes, 0, 3).set([1, c, s]);
  const call = new Uint32Array(bytes, 12, c);
  const start = new Uint32Array(bytes, 12 + c * 4, c + 1);
  const base = 12 + (2 * c + 1) * 4;
  const tokens = new Uint32Array(bytes, base, s);
  const event = new Uint32Array(bytes, base + s * 4, s);
  const kind = new Uint8Array(bytes, base + s * 8, s);
  const flags = new Uint8Array(bytes, base + s * 9, s);
  let next = 0;
  columns.forEach((column, i) => {
    call[i] = column.call;
    start[i] = next;
    for (const segment of column.segments) {
      tokens[next] = segment.tokens;
      event[next] = segment.event;
      kind[next] = segment.kind;
      flags[next] = segment.flags;
      next += 1;
    }
  });
  start[c] = next;
  return bytes;
}
