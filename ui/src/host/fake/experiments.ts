import type {
  Comparison,
  Edit,
  EventEdit,
  ExperimentDetail,
  Exported,
  FindingList,
  FixRow,
  PartDiff,
  PartPage,
  PreviewResult,
  ScriptReport,
} from '@/api/gen/api.ts';
import type { Params } from '@/api/client.ts';
import { compared, comparedParts, comparedText, effectOf } from './comparison.ts';
import { badInput, notFound } from './failures.ts';
import { editedFlow, scriptReport } from './flow.ts';
import type { FakePart, FakeSession } from './session.ts';
import { stageList, STAGES, walkFlow } from './stages.ts';

interface Entry {
  readonly id: string;
  readonly session: string;
  name: string;
  edits: readonly Edit[];
  applied: number;
}

/** Experiments in memory. Edits of processors and dropped events really change the prompts; other edits are only kept. */
export class FakeExperiments {
  readonly #recording: (id: string) => FakeSession;
  #entries: readonly Entry[] = [];
  #made = 0;

  constructor(recording: (id: string) => FakeSession) {
    this.#recording = recording;
  }

  /** The experiment with this id as a session, if it is one. */
  session(id: string): FakeSession {
    const entry = this.#entries.find((candidate) => candidate.id === id);
    return entry === undefined
      ? this.#recording(id)
      : withEdits(this.#recording(entry.session), id, appliedOf(entry));
  }

  /** The row of the experiment, or nothing for a recording. */
  find(id: string): ExperimentDetail | undefined {
    const entry = this.#entries.find((candidate) => candidate.id === id);
    return entry === undefined ? undefined : this.#detail(entry);
  }

  /** The recording that an id means, be it its own or an experiment's. */
  recordingOf(id: string): string {
    return this.#base(id);
  }

  list(session: string): readonly ExperimentDetail[] {
    const base = this.#base(session);
    return this.#entries.filter((entry) => entry.session === base).map((entry) => this.#detail(entry));
  }

  create(session: string, name: string | null, edits: readonly Edit[] = []): ExperimentDetail {
    this.#made += 1;
    const entry: Entry = {
      id: `x${String(this.#made)}`,
      session: this.#base(session),
      name: name ?? `Experiment ${String(this.#made)}`,
      edits,
      applied: edits.length,
    };
    this.#entries = [entry, ...this.#entries];
    return this.#detail(entry);
  }

  edit({ experiment, edits, replacesLast }: Params<'experiment/edit'>): ExperimentDetail {
    const entry = this.#entry(experiment);
    const applied = appliedOf(entry);
    const last = applied.at(-1);
    const isAgain =
      replacesLast === true &&
      last?.edit === edits[0]?.edit &&
      last !== undefined &&
      'processor' in last &&
      edits[0] !== undefined &&
      'processor' in edits[0] &&
      last.processor === edits[0].processor;
    entry.edits = [...(isAgain ? applied.slice(0, -1) : applied), ...edits];
    entry.applied = entry.edits.length;
    return this.#detail(entry);
  }

  move(experiment: string, by: 1 | -1): ExperimentDetail {
    const entry = this.#entry(experiment);
    const next = entry.applied + by;
    if (next < 0 || next > entry.edits.length) throw badInput('There is no such edit.');
    entry.applied = next;
    return this.#detail(entry);
  }

  rename(experiment: string, name: string): ExperimentDetail {
    const entry = this.#entry(experiment);
    entry.name = name;
    return this.#detail(entry);
  }

  duplicate(experiment: string): ExperimentDetail {
    const entry = this.#entry(experiment);
    return this.create(entry.session, `${entry.name} copy`, appliedOf(entry));
  }

  remove(experiment: string): string {
    const { name } = this.#entry(experiment);
    this.#entries = this.#entries.filter(({ id }) => id !== experiment);
    return name;
  }

  /** In place of what an experiment has, `more` behind its edits. */
  preview({ session, call, edits }: Params<'experiment/preview'>): PreviewResult {
    const before = this.session(session);
    const entry = this.#entries.find(({ id }) => id === session);
    const all = [...(entry === undefined ? [] : appliedOf(entry)), ...edits];
    const after = withEdits(this.#recording(this.#base(session)), session, all);
    const rows = stageList(after, call).rows;
    return {
      thisCall: {
        call,
        tokensBefore: before.calls[call - 1]?.tokens ?? 0,
        tokensAfter: after.calls[call - 1]?.tokens ?? 0,
        firstChangedStage: null,
        stagesRun: rows.filter(({ isReused }) => !isReused).length,
        stages: rows.length,
      },
      allCalls: effectOf(before, after),
      diagnostics: [],
      scripts: rows.flatMap(({ script }) => (script === null ? [] : [script])),
    };
  }

  compare({ a, b, onlyChanged, offset, limit }: Params<'experiment/compare'>): Comparison {
    const [before, after] = [this.session(a), this.session(b)];
    const rows = compared(before, after).filter(({ isChanged }) => isChanged || !onlyChanged);
    return {
      effect: effectOf(before, after),
      total: rows.length,
      rows: rows.slice(offset, offset + limit),
    };
  }

  compareParts({ a, b, call, offset, limit }: Params<'experiment/compareParts'>): PartPage {
    return comparedParts(this.session(a), this.session(b), { call, offset, limit });
  }

  compareText({ a, b, call, path, isLeftOut }: Params<'experiment/compareText'>): PartDiff {
    return comparedText(this.session(a), this.session(b), { call, path, isLeftOut });
  }

  findings(id: string): FindingList {
    const session = this.session(id);
    const largest = session.events
      .filter(({ kind }) => kind === 'result')
      .map((event) => ({ event, use: session.useOf(event.event) }))
      .sort((a, b) => b.use.lifetimeTokens - a.use.lifetimeTokens)
      .slice(0, 3);
    return {
      isComplete: true,
      rows: [],
      bloat: largest.map(({ event, use }) => ({
        address: `E${String(event.event)}`,
        name: `E${String(event.event)} ${event.tool}`,
        tokens: event.tokens,
        basis: session.basis,
        calls: use.sentIn,
        lifetimeTokens: use.lifetimeTokens,
        costUsd: session.price === null ? null : (use.freshTokens * session.price.input) / 1e6,
        fixes: [this.#fix(id, `Cap results of ${event.tool} at 2,000 tokens`)],
      })),
    };
  }

  check({ source, on }: Params<'script/check'>): ScriptReport {
    if (on === null) return { stage: '', failure: null, console: [], tokens: null };
    const session = this.session(on.session);
    const before = session.calls[on.call - 1]?.tokens ?? 0;
    const edits: Edit[] = [{ edit: 'insert_processor', use: 'script', params: { source } }];
    const after = withEdits(session, session.id, edits).calls[on.call - 1]?.tokens ?? 0;
    return scriptReport('script', source, before, after);
  }

  export({ session, as }: Params<'experiment/export'>): Exported {
    const { agents, id } = this.session(session);
    const app = {
      name: id,
      rootAgent: {
        name: agents[0]?.name,
        instruction: `You are ${agents[0]?.name ?? ''}.`,
        subAgents: agents.slice(1).map(({ name }) => ({ name, instruction: `You are ${name}.` })),
      },
    };
    const text = as === 'adk-json' ? JSON.stringify(app, null, 2) : `# ${as} of ${id}\n`;
    return { file: `${id}.${as === 'adk-python' ? 'py' : as.replace('adk-', '')}`, text, diagnostics: [] };
  }

  #fix(id: string, title: string): FixRow {
    const edits: Edit[] = [{ edit: 'insert_processor', use: 'cap_results' }];
    const { allCalls } = this.preview({ session: id, call: 1, edits });
    const { costBeforeUsd, costAfterUsd } = allCalls;
    return {
      title,
      edits,
      savesTokens: allCalls.tokensBefore - allCalls.tokensAfter,
      savesUsd: costBeforeUsd === null || costAfterUsd === null ? null : costBeforeUsd - costAfterUsd,
      basis: 'exact',
      effect: allCalls,
      warnings: ['It changes what was sent before: the prefix breaks in 1 more call.'],
    };
  }

  #base(id: string): string {
    return this.#entries.find((entry) => entry.id === id)?.session ?? id;
  }

  #entry(id: string): Entry {
    const entry = this.#entries.find((candidate) => candidate.id === id);
    if (entry === undefined) throw notFound(`There is no experiment ${id}.`);
    return entry;
  }

  #detail(entry: Entry): ExperimentDetail {
    const { misfits } = editedFlow(STAGES, appliedOf(entry));
    return {
      experiment: entry.id,
      session: entry.session,
      name: entry.name,
      edits: entry.applied,
      undone: entry.edits.length - entry.applied,
      changedMs: Date.UTC(2026, 10, 20, 15, 0),
      list: entry.edits.map((edit, at) => {
        const misfit = misfits.get(at);
        return {
          number: at + 1,
          title: titleOf(edit),
          edit,
          isUndone: at >= entry.applied,
          diagnostics:
            misfit === undefined
              ? []
              : [{ severity: 'error', code: 'edit-misfit', message: misfit, at: `edits[${String(at)}]` }],
        };
      }),
    };
  }
}

function appliedOf(entry: Entry): readonly Edit[] {
  return entry.edits.slice(0, entry.applied);
}

function titleOf(edit: Edit): string {
  const words = edit.edit.replaceAll('_', ' ');
  if ('processor' in edit) return `${words}: ${edit.processor}`;
  if ('event' in edit) return `${words}: E${String(edit.event)}`;
  return edit.edit === 'insert_processor' ? `${words}: ${edit.name ?? edit.use}` : words;
}

/** A session whose prompts are those of a recording with edits laid over it. */
function withEdits(base: FakeSession, id: string, edits: readonly Edit[]): FakeSession {
  const { flow } = editedFlow(STAGES, edits);
  const dropped = new Set(edits.flatMap((edit) => (edit.edit === 'drop_event' ? [edit.event] : [])));
  const wholeOf = (call: number): readonly FakePart[] =>
    base.partsOf(call).filter(({ event }) => !dropped.has(event));
  const partsOf = (call: number): readonly FakePart[] => walkFlow(flow, wholeOf(call)).at(-1) ?? [];
  return {
    ...base,
    id,
    flow,
    eventEdits: eventEdits(edits),
    wholeOf,
    partsOf,
    calls: base.calls.map((call) => {
      const lost = base.partsOf(call.call).reduce((sum, part) => sum + part.tokens, 0);
      const kept = partsOf(call.call).reduce((sum, part) => sum + part.tokens, 0);
      const tokens = call.tokens - lost + kept;
      return { ...call, tokens, cached: Math.min(call.cached, tokens) };
    }),
  };
}

/** What edits made of events, by their numbers. */
function eventEdits(edits: readonly Edit[]): ReadonlyMap<number, readonly EventEdit[]> {
  const words = { drop_event: 'dropped', edit_event: 'edited', pin_event: 'pinned' } as const;
  const changed = edits.flatMap((edit) => ('event' in edit ? [[edit.event, words[edit.edit]] as const] : []));
  return new Map(
    changed.map(([event]) => [
      event,
      [...new Set(changed.flatMap(([other, word]) => (other === event ? [word] : [])))],
    ]),
  );
}
