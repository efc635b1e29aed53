import type { ScriptReport } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import type { Experiments } from './experiments.svelte.ts';
import { Loaded } from './loaded.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';
import type { PipelineEdits } from './pipeline-edits.svelte.ts';
import type { Pipeline } from './pipeline.svelte.ts';
import { Preview } from './preview.svelte.ts';

/** A pause in typing after which the script is run. */
const RUN_MS = 150;
/** A pause after which a script that runs becomes part of the experiment. */
const SAVE_MS = 800;

interface Places {
  readonly host: Host;
  readonly session: OpenSession;
  readonly pipeline: Pipeline;
  readonly experiments: Experiments;
  readonly edits: PipelineEdits;
}

interface Typed {
  readonly processor: string;
  readonly source: string;
}

/** The script of the stage that is looked at, while it is typed: run on the call under the cursor, kept when it works. */
export class ScriptDraft {
  readonly #in: Places;
  readonly #report: Loaded<ScriptReport>;
  readonly preview: Preview;
  #typed: Typed | undefined = $state.raw();
  /** What was typed when typing last paused. */
  #paused: Typed | undefined = $state.raw();
  /** Something was typed since the last save. */
  #isDirty = false;
  /** Further edits of this script take the place of the first one here. */
  #edited: string | undefined;

  constructor(places: Places) {
    this.#in = places;
    const { host, session } = places;
    this.#report = new Loaded(
      () => {
        const key = session.keyOfCall(session.cursor);
        const { tested } = this;
        return key === undefined || tested === undefined ? undefined : `${key} ${this.#name} ${tested}`;
      },
      () =>
        host.invoke('script/check', {
          source: this.tested ?? '',
          on: { session: session.id ?? '', call: session.cursor, before: this.#name },
        }),
    );
    this.preview = new Preview(host, session, () => {
      const { tested } = this;
      return tested === undefined || tested === this.saved
        ? undefined
        : [{ edit: 'configure_processor', processor: this.#name, params: { source: tested } }];
    });
    $effect(() => {
      const typed = this.#typed;
      if (typed === undefined) return undefined;
      const timer = setTimeout(() => (this.#paused = typed), RUN_MS);
      return () => clearTimeout(timer);
    });
    $effect(() => {
      // What was saved is the experiment's from here on: when it is taken back there, it goes here, too.
      if (this.#mine(this.#typed)?.source === this.saved && !this.#isDirty) this.#typed = undefined;
    });
    $effect(() => {
      const isFine = this.#report.value !== undefined && this.#report.value.failure === null;
      if (this.isSaved || !isFine || this.tested !== this.text) return undefined;
      const timer = setTimeout(() => void this.save(), SAVE_MS);
      return () => clearTimeout(timer);
    });
  }

  get isScript(): boolean {
    return this.#in.pipeline.stage?.inserted?.kind === 'script';
  }

  /** The script as the experiment has it. */
  get saved(): string {
    const source = this.#in.pipeline.stage?.inserted?.params['source'];
    if (typeof source === 'string') return source;
    const fallback = this.#in.experiments.kind('script')?.params.find(({ name }) => name === 'source');
    return typeof fallback?.default === 'string' ? fallback.default : '';
  }

  /** The script as it is typed. */
  get text(): string {
    return this.#mine(this.#typed)?.source ?? this.saved;
  }

  /** What is run: the text, a moment later. */
  get tested(): string | undefined {
    if (!this.isScript) return undefined;
    return this.#mine(this.#typed) === undefined
      ? this.saved
      : (this.#mine(this.#paused)?.source ?? this.saved);
  }

  get isSaved(): boolean {
    return this.text === this.saved;
  }

  /** What came of the run; of the one before while a new one is under way. */
  get report(): ScriptReport | undefined {
    return this.isScript ? this.#report.latest : undefined;
  }

  /** Why it could not be run at all. */
  get failure(): string | undefined {
    return this.#report.failure?.message;
  }

  type(source: string): void {
    this.#typed = { processor: this.#name, source };
    this.#isDirty = true;
  }

  /** Makes what is typed part of the experiment, whether it works or not. */
  async save(): Promise<void> {
    const typed = this.#typed;
    if (typed === undefined || !this.#isDirty) return;
    this.#isDirty = false;
    const { processor, source } = typed;
    // Typed back to what it was.
    if (processor === this.#name && source === this.saved) {
      this.#typed = undefined;
      return;
    }
    const isAgain = this.#edited === processor;
    const isDone = await this.#in.edits.configure(processor, { source }, isAgain);
    if (isDone) this.#edited = processor;
  }

  /** The editor is left: nothing that was typed gets lost. */
  leave(): void {
    void this.save();
  }

  get #name(): string {
    return this.#in.pipeline.stage?.processor ?? '';
  }

  #mine(typed: Typed | undefined): Typed | undefined {
    return typed?.processor === this.#name ? typed : undefined;
  }
}
