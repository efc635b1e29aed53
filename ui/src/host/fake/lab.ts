import type {
  LabBill,
  LabFact,
  LabLoss,
  LabProbe,
  LabProbes,
  LabReplay,
  LabRow,
  LabRun,
  LabRunRow,
  LabSweep,
  LabWindow,
  ProbeChoice,
} from '@/api/gen/api.ts';
import type { FakeSession } from './session.ts';

/** Tokens that a summary of the made-up sessions has. */
const SUMMARY_TOKENS = 812;
const CALLS_OF_A_TURN = 3;

interface Config {
  readonly text: string;
  readonly family: LabRow['family'];
  readonly x: number;
  readonly y: number;
}

/** Expands `interval=2|3,overlap=0..3` as the real one does. */
function readGrid(grid: string): readonly Config[] {
  let texts = [''];
  for (const pair of grid.split(',')) {
    const [key = '', values = ''] = pair.split('=');
    const spelled = values.split('|').flatMap((value) => {
      const [from = '', to = from] = value.split('..');
      return Array.from({ length: Number(to) - Number(from) + 1 }, (_, i) => String(Number(from) + i));
    });
    texts = texts.flatMap((text) =>
      spelled.map((value) => `${text === '' ? '' : `${text},`}${key}=${value}`),
    );
  }
  return texts.map(readConfig);
}

function readConfig(text: string): Config {
  const [, first = 'interval', x = '1', y = '0'] = /^(\w+)=(\d+),\w+=(\d+)/.exec(text) ?? [];
  const families = { interval: 'slidingWindow', threshold: 'tokenThreshold' } as const;
  const family = first === 'interval' || first === 'threshold' ? families[first] : 'steps';
  return { text, family, x: Number(x), y: Number(y) };
}

/** Which calls first see a summary: every so many turns. */
function compactionsOf(session: FakeSession, config: Config): readonly number[] {
  const peak = Math.max(1, ...session.calls.map(({ tokens }) => tokens));
  const turns =
    config.family === 'slidingWindow' ? config.x : Math.max(2, Math.round((config.x / peak) * 10));
  const step = turns * CALLS_OF_A_TURN;
  return session.calls.flatMap((_, i) => (i > 0 && i % step === 0 ? [i + 1] : []));
}

/** Prompts grow as they are recorded and fall to the summary and the overlap where it is due. */
function promptsOf(session: FakeSession, config: Config | undefined): readonly number[] {
  const recorded = session.calls.map(({ tokens }) => tokens);
  if (config === undefined) return unchangedOf(recorded);
  const due = new Set(compactionsOf(session, config));
  let base = 0;
  const unchanged = unchangedOf(recorded);
  return unchanged.map((tokens, i) => {
    if (due.has(i + 1)) base = tokens - SUMMARY_TOKENS - 2000 - config.y * 1500;
    return Math.max(2000, tokens - Math.max(0, base));
  });
}

/** Without its summaries a session only grows. */
function unchangedOf(recorded: readonly number[]): readonly number[] {
  let most = 0;
  return recorded.map((tokens, i) => {
    const before = recorded[i - 1] ?? 0;
    most += tokens > before ? tokens - before : 400;
    return most;
  });
}

function billOf(tokens: readonly number[], compactions: number): LabBill {
  const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  const cached = sum(tokens.map((value, i) => Math.min(value, tokens[i - 1] ?? 0) * 0.9));
  const summaryInput = compactions * 20_000;
  const billed = sum(tokens) - cached;
  const summaryCost = (summaryInput * 2 + compactions * SUMMARY_TOKENS * 12) / 1e6;
  return {
    promptTokens: sum(tokens),
    billedTokens: Math.round(billed),
    cachedTokens: Math.round(cached),
    writtenTokens: 0,
    peakTokens: Math.max(0, ...tokens),
    breaks: compactions + 2,
    compactions,
    costUsd: (billed * 2 + cached * 0.2) / 1e6 + summaryCost,
    summaryCostUsd: summaryCost,
    summaryInputTokens: summaryInput,
    summaryOutputTokens: compactions * SUMMARY_TOKENS,
    latencyS: billed / 5000,
  };
}

export function sweepOf(session: FakeSession, grid: string): LabSweep {
  const unchangedTokens = [...promptsOf(session, undefined)];
  const rows = readGrid(grid).map((config): LabRow => {
    const promptTokens = [...promptsOf(session, config)];
    const atCalls = [...compactionsOf(session, config)];
    return {
      config: config.text,
      x: config.x,
      y: config.y,
      family: config.family,
      bill: billOf(promptTokens, atCalls.length),
      atCalls,
      promptTokens,
      flags: atCalls.length === 0 ? ['never fires'] : [],
    };
  });
  const cheapest = rows.reduce(
    (best, row, i) => ((row.bill.costUsd ?? 0) < (rows[best]?.bill.costUsd ?? 0) ? i : best),
    0,
  );
  return {
    grid,
    unchanged: billOf(unchangedTokens, 0),
    recorded: billOf(
      session.calls.map(({ tokens }) => tokens),
      2,
    ),
    unchangedTokens,
    rows,
    front: [cheapest],
    recommended: cheapest,
    reason: `${rows[cheapest]?.config ?? ''} costs least, and no other has a smaller largest prompt at that price.`,
    sizeBasis: 'assumed',
    readTokensPerS: 5000,
    cachedTokensPerS: 50_000,
    writtenTokensPerS: 80,
  };
}

const SUMMARY =
  'Invoices fail because load_rates() parses JSON floats since v8.15. Fault: invoice.py:214. 1,204 invoices are affected; 62 were paid.';

const FACTS: readonly Pick<LabFact, 'kind' | 'text' | 'verdict' | 'usedLater'>[] = [
  { kind: 'path', text: 'invoice.py:214', verdict: 'kept', usedLater: 3 },
  { kind: 'number', text: '1,204 invoices', verdict: 'paraphrased', usedLater: 1 },
  { kind: 'identifier', text: 'bill-2', verdict: 'dropped', usedLater: 2 },
  { kind: 'date', text: '2026-11-17', verdict: 'dropped', usedLater: 0 },
];

export function replayOf(session: FakeSession, text: string, isWritten: boolean): LabReplay {
  const config = readConfig(text);
  const promptTokens = [...promptsOf(session, config)];
  const atCalls = compactionsOf(session, config);
  const recordedTokens = session.calls.map(({ tokens }) => tokens);
  const unchangedTokens = [...promptsOf(session, undefined)];
  const eventsPerWindow = Math.max(2, Math.floor(session.events.length / (atCalls.length + 1)));
  const windows = atCalls.map((atCall, i): LabWindow => {
    const first = Math.max(1, i * eventsPerWindow + 1 - config.y);
    return {
      atCall,
      isWaitedFor: config.family !== 'slidingWindow',
      trigger: config.family === 'slidingWindow' ? 'slidingWindow' : 'tokenThreshold',
      firstEvent: `E${String(first)}`,
      lastEvent: `E${String((i + 1) * eventsPerWindow)}`,
      events: (i + 1) * eventsPerWindow - first + 1,
      seed: null,
      tokensBefore: 20_000 + i,
      tokensAfter: SUMMARY_TOKENS,
      summarizer: isWritten ? 'extractive' : 'gpt-5',
      summary: isWritten ? SUMMARY : '',
      blocked: null,
      kept: 1,
      paraphrased: 1,
      dropped: 2,
      lostShare: 0.4,
    };
  });
  return {
    config: text,
    isAdk: config.family !== 'steps',
    windows,
    bill: billOf(promptTokens, atCalls.length),
    unchanged: billOf(unchangedTokens, 0),
    recorded: billOf(recordedTokens, 2),
    promptTokens,
    unchangedTokens,
    recordedTokens,
    cleared: [],
    survival: isWritten
      ? windows.map((_, window) => ({ window, facts: 4 * (window + 1), alive: 2 * (window + 1) }))
      : [],
  };
}

export function runOf(job: string, row: LabRunRow, replay: LabReplay, done: number): LabRun {
  const isEnded = done >= replay.windows.length;
  return {
    job,
    run: row.run,
    state: isEnded ? 'done' : 'running',
    config: row.config,
    writer: row.writer,
    model: row.model,
    written: done,
    expected: replay.windows.length,
    fromBefore: 0,
    inputTokens: 0,
    outputTokens: 0,
    costUsd: null,
    streaming: isEnded ? '' : `Summary ${String(done + 1)}: ${SUMMARY.slice(0, 60)}`,
    replay: isEnded ? replay : null,
    failure: null,
  };
}

export function lossOf(window: number): LabLoss {
  return {
    total: FACTS.length,
    kept: 1,
    paraphrased: 1,
    dropped: 2,
    lostShare: 0.4,
    summary: SUMMARY,
    items: FACTS.map((fact, i) => ({
      ...fact,
      event: `E${String(window * 4 + i + 1)}`,
      weight: 1 + fact.usedLater,
    })),
  };
}

export function questionsOf({ facts, questions }: ProbeChoice): string[] {
  const made = FACTS.slice(0, facts).map(({ kind }) => `Which ${kind} stands at ____ in “the ____ of it”?`);
  return [...made, ...questions];
}

/** Every other question is answered from the summary. */
export function probesOf(questions: readonly string[], isEnded: boolean): LabProbes {
  const rows = questions.map((question, i): LabProbe => {
    const fact = FACTS[i];
    const known = fact?.text ?? 'Invoices fail.';
    const isKept = i % 2 === 0;
    return {
      question,
      expected: fact?.text ?? null,
      event: fact === undefined ? null : `E${String(i + 1)}`,
      fromEvents: known,
      fromSummary: isKept ? known : 'unknown',
      grade: isKept ? 'kept' : 'lost',
    };
  });
  const kept = rows.filter(({ grade }) => grade === 'kept').length;
  return { rows, kept, lost: rows.length - kept, unanswered: 0, isEnded, failure: null };
}
