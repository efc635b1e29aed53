import type { Job, SessionHeader, SessionListItem, StartInfo } from '@/api/gen/api.ts';
import { notFound } from './failures.ts';
import { generateSession, type Recipe } from './generate.ts';
import type { FakeSession } from './session.ts';
import { triageSession } from './triage.ts';

const SUPPORT: Recipe = {
  id: 'support-desk',
  title: 'support-desk, Tuesday',
  format: 'OpenAI chat log',
  source: '/home/ada/logs/support-desk.jsonl',
  calls: 120,
  eventsPerCall: 3,
  callsPerSegment: 40,
  agents: ['triage', 'billing_expert'],
  tools: ['find_order', 'grep', 'sql_query', 'refund'],
  seed: 11,
  errorEvery: 17,
  diagnostics: [
    {
      severity: 'error',
      code: 'cut-off',
      message: 'Record 361 is cut off. 360 events opened.',
      at: 'line 361',
    },
    {
      severity: 'warning',
      code: 'unknown-model',
      message: 'The vocabulary of qwen2.5-32b is not known. Counts are estimates with o200k_base.',
      at: 'model',
    },
    { severity: 'info', code: 'no-usage', message: 'No call reports its tokens.', at: '$.calls' },
  ],
};

const BIG: Recipe = {
  ...SUPPORT,
  id: 'big',
  title: 'nightly-run',
  source: '/var/log/agents/nightly-run.jsonl',
  calls: 10_000,
  eventsPerCall: 10,
  agents: ['planner', 'coder', 'reviewer', 'tester'],
  seed: 23,
  errorEvery: 611,
  diagnostics: [],
};

const EMPTY: Recipe = {
  ...SUPPORT,
  id: 'empty',
  title: 'recording without calls',
  source: '/home/ada/logs/empty.jsonl',
  calls: 0,
  diagnostics: [],
};

/** The sessions of the made-up database, made when they are opened. */
export class FakeStore {
  readonly #makers = new Map<string, () => FakeSession>([
    ['invoice-triage', triageSession],
    ['steady', steadySession],
    ...[SUPPORT, BIG, EMPTY].map((recipe): [string, () => FakeSession] => [
      recipe.id,
      () => generateSession(recipe),
    ]),
  ]);
  readonly #made = new Map<string, FakeSession>();
  readonly #items: SessionListItem[] = [
    item('invoice-triage', 'invoice-triage', 'ADK session', '', 84, 41, true),
    item(SUPPORT.id, SUPPORT.title, SUPPORT.format, SUPPORT.source, 360, SUPPORT.calls, false),
    item(BIG.id, BIG.title, BIG.format, BIG.source, 100_000, BIG.calls, false),
    item(EMPTY.id, EMPTY.title, EMPTY.format, EMPTY.source, 0, 0, false),
  ];

  session(id: string): FakeSession {
    const made = this.#made.get(id) ?? this.#makers.get(id)?.();
    if (made === undefined) throw notFound(`${id} is not in the database any more. Open its file again.`);
    this.#made.set(id, made);
    return made;
  }

  list(filter: string): readonly SessionListItem[] {
    const wanted = filter.toLowerCase();
    return this.#items.filter(({ title, source, session }) =>
      `${title} ${source} ${session}`.toLowerCase().includes(wanted),
    );
  }

  remove(id: string): string {
    const at = this.#items.findIndex(({ session }) => session === id);
    const [removed] = at < 0 ? [] : this.#items.splice(at, 1);
    if (removed === undefined) throw notFound(`${id} was removed before.`);
    return removed.title;
  }

  /** What an import of a file adds. */
  add(path: string): SessionListItem {
    const title = path.split('/').at(-1) ?? path;
    const id = `imported-${String(this.#items.length)}`;
    const recipe = { ...SUPPORT, id, title, source: path, calls: 60, diagnostics: [] };
    this.#makers.set(id, () => generateSession(recipe));
    const added = item(id, title, SUPPORT.format, path, 180, 60, false);
    this.#items.unshift(added);
    return added;
  }

  start(open: string | null): StartInfo {
    return {
      version: '0.0.0',
      host: 'browser',
      openSession: open,
      openJob: null,
      sampleSession: 'invoice-triage',
      recent: [...this.#items],
      settings: {
        theme: 'system',
        zoomPercent: 100,
        isComfortable: false,
        hasPatterns: false,
        isSampleBarDismissed: false,
        learnedKeys: [],
        masksSecrets: false,
      },
    };
  }
}

/** The sample with nothing in it that ends a prefix. */
function steadySession(): FakeSession {
  const sample = triageSession();
  const calls = sample.calls.map((call) => ({ ...call, break: null }));
  return { ...sample, id: 'steady', title: 'steady', isSample: false, calls };
}

function item(
  session: string,
  title: string,
  format: string,
  source: string,
  events: number,
  calls: number,
  isSample: boolean,
): SessionListItem {
  return {
    session,
    title,
    format,
    source,
    events,
    calls,
    lastEventMs: calls === 0 ? null : Date.UTC(2026, 10, 20, 14, 20),
    openedMs: Date.UTC(2026, 10, 20, 15, 0),
    isSample,
  };
}

export function headerOf(session: FakeSession, compiled: number, appPath: string | null): SessionHeader {
  const calls = session.calls.slice(0, compiled);
  const total = calls.reduce((sum, { tokens }) => sum + tokens, 0);
  const cached = calls.reduce((sum, call) => sum + call.cached, 0);
  const { price } = session;
  const isExact = session.basis === 'exact';
  const isInferred = session.isInferred && appPath === null;
  return {
    session: session.id,
    experiment: null,
    title: session.title,
    format: session.format,
    source: session.source,
    isSample: session.isSample,
    events: session.events.length,
    calls: session.calls.length,
    compiledCalls: compiled,
    invocations: session.events.at(-1)?.turn ?? 0,
    compactions: session.compactions,
    agents: [...session.agents],
    totalTokens: total,
    totalBasis: session.basis,
    calibrated: null,
    cachedTokens: cached,
    cachedBasis: session.cachedBasis,
    costUsd:
      price === null
        ? null
        : ((total - cached) * price.input + cached * price.cachedRead) / 1e6 + session.summariserUsd,
    reported: isExact
      ? {
          inputTokens: total + 3 * calls.length,
          cachedTokens: cached,
          cacheWriteTokens: 0,
          outputTokens: 6_214,
          calls: calls.length,
          residualTokens: 3 * calls.length,
          caveat: null,
        }
      : null,
    tokenizer: {
      vocabulary: 'o200k_base',
      basis: session.basis,
      explanation: isExact
        ? 'Counted with the vocabulary and the message format of the model. Reported usage agrees within 3 tokens a call.'
        : 'The vocabulary of qwen2.5-32b is not known. Counts with o200k_base are off by up to 12%.',
    },
    prices: price === null ? [] : [price],
    app: {
      name: appPath ?? (isInferred ? 'inferred from the session' : 'invoice_triage'),
      isInferred,
      source: appPath ?? (isInferred ? null : 'invoice_triage/agent.py'),
      notes: isInferred
        ? [
            'Agents and tools are those seen in the events.',
            'Templates of the instructions are not known; the text is shown as it was sent.',
          ]
        : [],
    },
    diagnostics: [...session.diagnostics],
    unmapped: session.isInferred && session.calls.length > 0 ? [{ name: 'x_trace_id', count: 360 }] : [],
    peakTokens: calls.reduce((peak, { tokens }) => Math.max(peak, tokens), 0),
    follow: { isOn: false, problem: null, impossible: null },
  };
}

/** A job of the made-up backend, with what changes over its life left out. */
export function newJob(job: string, title: string, total: number, unit: string): Job {
  return {
    job,
    title,
    state: 'running',
    done: 0,
    total,
    unit,
    secondsElapsed: 0,
    secondsLeft: null,
    outcome: null,
    sessions: [],
    diagnostics: [],
    files: null,
    paths: [],
  };
}
