import type { Edit, JsonObject, ProcessorKind, StageRow } from '@/api/gen/api.ts';
import { placeFor, toggleEdit } from '@/model/edits.ts';
import type { Experiments } from './experiments.svelte.ts';
import type { Location } from './location.svelte.ts';
import type { Messages } from './messages.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';
import type { Pipeline } from './pipeline.svelte.ts';

interface Places {
  readonly location: Location;
  readonly session: OpenSession;
  readonly pipeline: Pipeline;
  readonly experiments: Experiments;
  readonly messages: Messages;
}

/** What keys and pointers do to the processors of the call under the cursor. */
export class PipelineEdits {
  readonly #in: Places;
  /** What edits under way will make of the processors: quick keys build on that, not on what is shown. */
  #wanted: { readonly isOn: Map<string, boolean>; names: readonly string[] } | undefined;

  constructor(places: Places) {
    this.#in = places;
  }

  /** The agent whose call is looked at. */
  get agent(): string {
    return this.#in.pipeline.stages.latest?.agent ?? '';
  }

  make(edits: readonly Edit[], replacesLast = false): Promise<boolean> {
    this.#in.pipeline.stay();
    return this.#in.experiments.edit(edits, { agent: this.agent, replacesLast });
  }

  async toggle(index: number = this.#in.pipeline.index): Promise<void> {
    const row = this.#in.pipeline.rows[index];
    if (row === undefined || this.#refusesRecorded(row)) return;
    const { isOn } = this.#expected();
    const isEnabled = isOn.get(row.processor) ?? row.isEnabled;
    isOn.set(row.processor, !isEnabled);
    const isDone = await this.make([toggleEdit({ ...row, isEnabled })]);
    if (isDone) this.#in.messages.announce(`${row.processor} is ${isEnabled ? 'off' : 'on'}`);
  }

  /** Puts the processor at `from` where that at `to` is. */
  move(from: number, to: number): Promise<void> {
    const row = this.#in.pipeline.rows[from];
    const processor = row === undefined || this.#refusesRecorded(row) ? undefined : row.processor;
    return processor === undefined ? Promise.resolve() : this.#moveBy(processor, () => to);
  }

  moveSelected(delta: 1 | -1): Promise<void> {
    const row = this.#in.pipeline.stage;
    const processor = row === undefined || this.#refusesRecorded(row) ? undefined : row.processor;
    return processor === undefined ? Promise.resolve() : this.#moveBy(processor, (at) => at + delta);
  }

  async #moveBy(processor: string, target: (at: number) => number): Promise<void> {
    const expected = this.#expected();
    const { names } = expected;
    const from = names.indexOf(processor);
    const to = Math.min(names.length - 1, Math.max(0, target(from)));
    const place = placeFor(names, from, to);
    if (place === undefined) return;
    const others = names.filter((name) => name !== processor);
    expected.names = [...others.slice(0, to), processor, ...others.slice(to)];
    const isDone = await this.make([{ edit: 'move_processor', processor, ...place }]);
    if (isDone) this.#in.messages.announce(`${processor} is number ${String(to + 1)}`);
  }

  /** What was sent is no processor, and says so. */
  #refusesRecorded(row: StageRow): boolean {
    if (row.isRecorded) this.#in.messages.announce('What was really sent cannot be changed');
    return row.isRecorded;
  }

  #expected(): { readonly isOn: Map<string, boolean>; names: readonly string[] } {
    const { pipeline, experiments } = this.#in;
    const isSettled = !experiments.isBusy && !pipeline.stages.isLoading;
    const rows = pipeline.rows.filter(({ isRecorded }) => !isRecorded);
    const fresh = { isOn: new Map(), names: rows.map((row) => row.processor) };
    this.#wanted = isSettled ? fresh : (this.#wanted ?? fresh);
    return this.#wanted;
  }

  /** Puts a processor in and shows it. `before` is another processor; absent: where its kind belongs. */
  async insert(kind: ProcessorKind, params: JsonObject, before: string | undefined): Promise<boolean> {
    const name = this.#freeName(kind.name);
    const isDone = await this.make([
      {
        edit: 'insert_processor',
        use: kind.name,
        name,
        ...(before === undefined ? {} : { before }),
        ...(Object.keys(params).length === 0 ? {} : { params }),
      },
    ]);
    if (!isDone) return false;
    const { location, session } = this.#in;
    const selection = `C${String(session.cursor)}/${name}`;
    const tab = kind.name === 'script' ? 'code' : 'parts';
    location.go({ view: 'pipeline', panel: 'stage', stage: name, selection, tab });
    return true;
  }

  configure(processor: string, params: JsonObject, replacesLast: boolean): Promise<boolean> {
    return this.make([{ edit: 'configure_processor', processor, params }], replacesLast);
  }

  /** Takes the processor out that is looked at, if an experiment put it in. */
  async remove(): Promise<void> {
    const { stage, index, names } = this.#in.pipeline;
    if (stage === undefined || stage.inserted === null) return;
    const { processor } = stage;
    const next = names[index + 1] ?? names[index - 1];
    const isDone = await this.make([{ edit: 'remove_processor', processor }]);
    if (!isDone) return;
    this.#in.location.go({ stage: next, selection: undefined }, 'replace');
    this.#in.messages.announce(`Removed ${processor}`);
  }

  #freeName(kind: string): string {
    const taken = new Set(this.#in.pipeline.rows.map(({ processor }) => processor));
    if (!taken.has(kind)) return kind;
    let number = 2;
    while (taken.has(`${kind}_${String(number)}`)) number += 1;
    return `${kind}_${String(number)}`;
  }
}
