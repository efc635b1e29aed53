import type { Edit, JsonObject, ProcessorKind } from '@/api/gen/api.ts';
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

  constructor(places: Places) {
    this.#in = places;
  }

  /** The agent whose call is looked at. */
  get agent(): string {
    return this.#in.pipeline.stages.latest?.agent ?? '';
  }

  make(edits: readonly Edit[], replacesLast = false): Promise<boolean> {
    return this.#in.experiments.edit(edits, { agent: this.agent, replacesLast });
  }

  async toggle(index: number = this.#in.pipeline.index): Promise<void> {
    const row = this.#in.pipeline.rows[index];
    if (row === undefined) return;
    const isDone = await this.make([toggleEdit(row)]);
    if (isDone) this.#in.messages.announce(`${row.processor} is ${row.isEnabled ? 'off' : 'on'}`);
  }

  /** Puts the processor at `from` where that at `to` is. */
  async move(from: number, to: number): Promise<void> {
    const { rows } = this.#in.pipeline;
    const names = rows.map(({ processor }) => processor);
    const processor = names[from];
    const wanted = Math.min(names.length - 1, Math.max(0, to));
    const place = placeFor(names, from, wanted);
    if (processor === undefined || place === undefined) return;
    const isDone = await this.make([{ edit: 'move_processor', processor, ...place }]);
    if (isDone) this.#in.messages.announce(`${processor} is number ${String(wanted + 1)}`);
  }

  moveSelected(delta: 1 | -1): Promise<void> {
    const { index } = this.#in.pipeline;
    return this.move(index, index + delta);
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
