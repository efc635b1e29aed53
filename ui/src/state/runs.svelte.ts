import { untrack } from 'svelte';
import type { Params } from '@/api/client.ts';
import type {
  CallDetail,
  Decision,
  HeldCall,
  HeldEdit,
  PartPage,
  RunConversation,
  RunDeeds,
  RunStatus,
  StageList,
  WaitingCall,
} from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import type { Cursor } from './cursor.svelte.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Location } from './location.svelte.ts';
import type { Messages } from './messages.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';
import { RunForm } from './run-form.svelte.ts';

/** Parts of a held call that are shown; what is behind them is in the Pipeline view. */
const MOST_PARTS = 400;

/** What running an app would start and reach. */
interface AskedDeeds extends RunDeeds {
  readonly app: string;
}

interface Around {
  readonly location: Location;
  readonly session: OpenSession;
  readonly cursor: Cursor;
  readonly messages: Messages;
  readonly openSession: (session: string) => void;
}

/** The agents that run in this program. The run that is shown is the last one of the session that is open. */
export class Runs {
  readonly #host: Host;
  readonly #around: Around;
  #list: readonly RunStatus[] = $state.raw([]);
  #isAsking = false;
  #isOutdated = false;
  /** A run is being begun, or something is said to it. */
  isBusy = $state(false);
  /** What is typed and not said yet. */
  message = $state('');
  /** The held call is being edited. */
  isEditing = $state(false);
  /** A new run is begun though the session has one. */
  isStarting = $state(false);
  /** What the app would start and reach, while somebody is asked about it. */
  asked: AskedDeeds | undefined = $state.raw();
  readonly form = new RunForm();
  readonly conversation: Loaded<RunConversation>;
  /** The held call, as every view has it: what would be found in the cache, what it would cost. */
  readonly heldDetail: Loaded<CallDetail>;
  readonly #heldStages: Loaded<StageList>;
  /** The held call's parts beside those of the agent's call before. */
  readonly heldParts: Loaded<PartPage>;

  constructor(host: Host, around: Around) {
    this.#host = host;
    this.#around = around;
    const { session, location } = around;
    this.conversation = new Loaded(
      () => (this.run === undefined || !session.isOpen ? undefined : `${session.key ?? ''} ${this.run.run}`),
      () => host.invoke('run/conversation', { run: this.run?.run ?? '' }),
    );
    const heldKey = (): string | undefined =>
      this.held === undefined || !session.isCurrent ? undefined : session.keyOfCall(this.heldCall);
    const call = () => ({ session: session.id ?? '', call: this.heldCall });
    this.heldDetail = new Loaded(heldKey, () => host.invoke('call/get', call()));
    this.#heldStages = new Loaded(heldKey, () => host.invoke('call/stages', call()));
    this.heldParts = new Loaded(
      () => {
        const key = heldKey();
        const { value } = this.#heldStages;
        return key === undefined || value === undefined ? undefined : `${key} ${String(value.rows.length)}`;
      },
      () =>
        host.invoke('call/stageParts', {
          ...call(),
          stage: this.#heldStages.value?.rows.length ?? 1,
          // The first call of an agent has none before it: its parts stand alone.
          compareWith: this.hasBefore ? 'previousCall' : 'stageBefore',
          foldUnchanged: false,
          offset: 0,
          limit: MOST_PARTS,
        }),
    );
    // Who comes to the view without having heard of runs asks.
    $effect(() => {
      if (location.view.view === 'run') untrack(() => this.refresh());
    });
  }

  /** The run of the session that is open. */
  get run(): RunStatus | undefined {
    return this.#list.find(({ session }) => session === this.#around.session.recording);
  }

  get held(): HeldCall | undefined {
    return this.run?.held ?? undefined;
  }

  /** Whether the held call has one of its agent before it to be compared with. */
  get hasBefore(): boolean {
    return (this.held?.before ?? null) !== null;
  }

  /** The number of the held call: it is the last one of the session. */
  get heldCall(): number {
    return this.#around.session.calls;
  }

  /** Other runs that go on, or wait. */
  get others(): readonly RunStatus[] {
    return this.#list.filter(({ run, phase }) => run !== this.run?.run && phase !== 'stopped');
  }

  /** Whether the open session gets longer by itself. */
  get isGrowing(): boolean {
    return this.run?.phase === 'running' || this.run?.phase === 'held';
  }

  get canSend(): boolean {
    return this.run?.phase === 'idle' && !this.isBusy;
  }

  /** Whether the form to begin a run is shown. */
  get showsForm(): boolean {
    return this.run === undefined || this.isStarting;
  }

  /** Asks for the runs again; while they are asked for, once more afterwards. */
  refresh(): void {
    if (this.#isAsking) {
      this.#isOutdated = true;
      return;
    }
    this.#isAsking = true;
    this.#host
      .invoke('run/list', {})
      .then(({ runs }) => {
        this.#list = runs;
        if (this.held === undefined) this.isEditing = false;
      }, this.#around.messages.report)
      .finally(() => {
        this.#isAsking = false;
        if (!this.#isOutdated) return;
        this.#isOutdated = false;
        this.refresh();
      });
  }

  /** Begins the run, or asks first about what its app would start and reach. */
  start(): void {
    if (this.form.missing !== undefined) return;
    this.#act(async () => {
      const { app } = this.#params;
      // The app of a recording starts nothing.
      const deeds = app === null ? undefined : await this.#host.invoke('run/deeds', { app });
      if (app === null || deeds === undefined || deeds.isAgreed) await this.#begin();
      else this.asked = { app, ...deeds };
    });
  }

  /** Agrees to what was asked, for as long as the app stays as it is, and begins the run. */
  agree(): void {
    const { asked } = this;
    if (asked === undefined) return;
    this.asked = undefined;
    this.#act(async () => {
      await this.#host.invoke('run/agree', { app: asked.app, mark: asked.mark });
      await this.#begin();
    });
  }

  get #params(): Params<'run/start'> {
    const { id = '', recording } = this.#around.session;
    return this.form.params({ shown: id, recording });
  }

  async #begin(): Promise<void> {
    const run = await this.#host.invoke('run/start', this.#params);
    this.#take(run);
    this.isStarting = false;
    this.form.place = 'new';
    this.#around.openSession(run.session);
    if (run.from?.waits === true) await this.#takeTurn(run);
  }

  /** Takes the recorded turn again that the run was begun for. */
  takeTurn(): void {
    const { run } = this;
    if (run?.from?.waits === true && this.canSend) this.#act(() => this.#takeTurn(run));
  }

  #takeTurn({ run }: RunStatus): Promise<unknown> {
    return this.#host.invoke('run/send', { run, message: '', answers: [] });
  }

  /** Fills in that the open session is run again from the call under the cursor. */
  startFrom(call: number): void {
    this.form.place = 'again';
    this.form.call = `C${String(call)}`;
    this.isStarting = true;
    this.#around.location.go({ view: 'run' });
  }

  /** Says what was typed. */
  send(): void {
    const { run, message } = this;
    if (run === undefined || !this.canSend || message.trim() === '') return;
    this.#act(async () => {
      await this.#host.invoke('run/send', { run: run.run, message, answers: [] });
      this.message = '';
    });
  }

  answer({ id }: WaitingCall, answer: string): void {
    const { run } = this;
    if (run === undefined || !this.canSend) return;
    this.#act(() => this.#host.invoke('run/send', { run: run.run, message: '', answers: [{ id, answer }] }));
  }

  release(decision: Decision): void {
    const { run } = this;
    if (run === undefined || this.held === undefined) return;
    this.isEditing = false;
    this.#act(async () => this.#take(await this.#host.invoke('run/release', { run: run.run, decision })));
  }

  edit(edits: readonly HeldEdit[]): void {
    const { run } = this;
    if (run === undefined || edits.length === 0) {
      this.isEditing = false;
      return;
    }
    this.#act(async () => {
      this.#take(await this.#host.invoke('run/edit', { run: run.run, edits: [...edits] }));
      this.isEditing = false;
    });
  }

  /** When calls are held: of the run, or of the one that would be begun. */
  get holds(): readonly string[] {
    return this.showsForm ? this.form.holds : (this.run?.holds ?? []);
  }

  setHolds(holds: readonly string[]): void {
    const { run } = this;
    if (run === undefined || this.showsForm) {
      this.form.holds = holds;
      return;
    }
    this.#act(async () =>
      this.#take(await this.#host.invoke('run/setHolds', { run: run.run, holds: [...holds] })),
    );
  }

  stop(): void {
    const { run } = this;
    if (run === undefined) return;
    this.#act(async () => this.#take(await this.#host.invoke('run/stop', { run: run.run })));
  }

  /** Fills in what the run was begun with, to go on with its session. */
  startAgain(): void {
    this.form.place = 'ongoing';
    this.isStarting = true;
  }

  /** Goes to where the run is: its newest call. */
  toNewest(): void {
    if (this.#around.session.calls > 0) this.#around.cursor.set(this.#around.session.calls);
  }

  #take(status: RunStatus): void {
    this.#list = [status, ...this.#list.filter(({ run }) => run !== status.run)];
  }

  #act(work: () => Promise<unknown>): void {
    this.isBusy = true;
    work()
      .catch(this.#around.messages.report)
      .finally(() => {
        this.isBusy = false;
        this.refresh();
      });
  }
}
