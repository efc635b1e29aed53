import type { Edit, ProcessorKind, ScriptReport } from '@/api/gen/api.ts';
import type { FakeCall, FakePart } from './session.ts';

/** A processor of a made-up flow. */
export interface FakeStage {
  readonly processor: string;
  readonly note: (parts: readonly FakePart[], call: FakeCall) => string;
  /** The parts it writes. */
  readonly writes: (part: FakePart) => boolean;
}

/** A processor in its place, as edits left it. */
export interface FakePlace {
  readonly name: string;
  readonly isEnabled: boolean;
  /** The agent's own. */
  readonly stage: FakeStage | undefined;
  /** What an experiment put in. */
  readonly inserted: { readonly kind: string; readonly params: Readonly<Record<string, unknown>> } | null;
}

export const FAKE_KINDS: readonly ProcessorKind[] = [
  {
    name: 'cap_results',
    title: 'Cap tool results',
    summary: 'Keeps the start of long tool results, and says how much was left out.',
    place: 'agent_tools',
    params: [
      {
        name: 'max_tokens',
        input: { kind: 'integer', min: 100, max: 100_000 },
        default: 2_000,
        unit: 'tokens',
        doc: 'What is kept of a result.',
      },
      {
        name: 'tools',
        input: { kind: 'words' },
        default: [],
        unit: null,
        doc: 'Only results of these tools; of all where there are none.',
      },
    ],
  },
  {
    name: 'drop_tools',
    title: 'Drop tools',
    summary: 'Declares no tool that the session never calls.',
    place: 'dynamic_instructions',
    params: [{ name: 'tools', input: { kind: 'words' }, default: [], unit: null, doc: 'Names of tools.' }],
  },
  {
    name: 'script',
    title: 'Script',
    summary: 'Runs JavaScript on the request.',
    place: 'dynamic_instructions',
    params: [
      {
        name: 'source',
        input: { kind: 'code' },
        default: 'export function process(request, context) {\n  return request\n}\n',
        unit: null,
        doc: 'The script.',
      },
    ],
  },
];

/** Edits laid over a flow; those that do not fit are left out and named. */
export function editedFlow(
  stages: readonly FakeStage[],
  edits: readonly Edit[],
): { readonly flow: readonly FakePlace[]; readonly misfits: ReadonlyMap<number, string> } {
  let flow: readonly FakePlace[] = stages.map((stage) => ({
    name: stage.processor,
    isEnabled: true,
    stage,
    inserted: null,
  }));
  const misfits = new Map<number, string>();
  edits.forEach((edit, at) => {
    const next = applied(flow, edit);
    if (next === undefined) misfits.set(at, 'There is no such processor. The edit was left out.');
    else flow = next;
  });
  return { flow, misfits };
}

function applied(flow: readonly FakePlace[], edit: Edit): readonly FakePlace[] | undefined {
  if (edit.edit === 'insert_processor') {
    const kind = FAKE_KINDS.find(({ name }) => name === edit.use);
    if (kind === undefined) return undefined;
    const made: FakePlace = {
      name: edit.name ?? edit.use,
      isEnabled: true,
      stage: undefined,
      inserted: { kind: edit.use, params: edit.params ?? {} },
    };
    return putBefore(flow, made, edit.before ?? kind.place);
  }
  if (!('processor' in edit)) return flow;
  const found = flow.find(({ name }) => name === edit.processor);
  if (found === undefined) return undefined;
  const others = flow.filter((place) => place !== found);
  const replaced = (place: FakePlace): readonly FakePlace[] =>
    flow.map((old) => (old === found ? place : old));
  switch (edit.edit) {
    case 'enable_processor':
      return replaced({ ...found, isEnabled: true });
    case 'disable_processor':
      return replaced({ ...found, isEnabled: false });
    case 'move_processor':
      return putBefore(others, found, edit.before);
    case 'remove_processor':
      return others;
    case 'configure_processor':
      return replaced({ ...found, inserted: { kind: found.inserted?.kind ?? '', params: edit.params } });
  }
}

function putBefore(
  flow: readonly FakePlace[],
  place: FakePlace,
  before: string | undefined,
): readonly FakePlace[] {
  const at = flow.findIndex(({ name }) => name === before);
  return at < 0 ? [...flow, place] : [...flow.slice(0, at), place, ...flow.slice(at)];
}

/** What is left of a prompt's parts after a place. */
export function throughPlace(place: FakePlace, parts: readonly FakePart[]): readonly FakePart[] {
  if (!place.isEnabled || place.inserted === null) return parts;
  const { kind, params } = place.inserted;
  if (kind === 'drop_tools') {
    const dropped = Array.isArray(params['tools']) ? params['tools'] : [];
    return parts.filter(({ path }) => !dropped.includes(path.replace(/^tool\./, '')));
  }
  const limit =
    kind === 'cap_results' ? Number(params['max_tokens'] ?? 2_000) : scriptLimit(params['source']);
  if (limit === undefined) return parts;
  return parts.map((part) =>
    part.kind === 'result' && part.tokens > limit
      ? { ...part, tokens: limit, version: `${String(part.version)} ≤${String(limit)}` }
      : part,
  );
}

/** All that a made-up script can do: cut results at the number behind `LIMIT =`. */
function scriptLimit(source: unknown): number | undefined {
  const limit = /LIMIT = (\d+)/.exec(typeof source === 'string' ? source : '')?.[1];
  return limit === undefined || scriptError(source) !== undefined ? undefined : Number(limit);
}

/** The line of a `throw` in a script, if it has one. */
export function scriptError(source: unknown): number | undefined {
  const lines = (typeof source === 'string' ? source : '').split('\n');
  const at = lines.findIndex((line) => line.includes('throw '));
  return at < 0 ? undefined : at + 1;
}

/** What a script that only can fail or cut results says. */
export function scriptReport(stage: string, source: unknown, before: number, after: number): ScriptReport {
  const line = scriptError(source);
  return {
    stage,
    failure:
      line === undefined
        ? null
        : {
            code: 'thrown',
            message: 'Error: not like this',
            line,
            column: 3,
            stack: `at process (script.js:${String(line)}:3)`,
          },
    console: line === undefined ? [{ level: 'log', text: `${String(before)} tokens` }] : [],
    tokens: { before, after },
  };
}
