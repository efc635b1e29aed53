import type { ModelList, ReplayAnswer, ReplayRequest } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import type { Jobs } from './jobs.svelte.ts';
import type { Lab } from './lab.svelte.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Messages } from './messages.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';
import type { Panels } from './panels.svelte.ts';
import { ServerChoice } from './server-choice.svelte.ts';

/** How often an answer is asked for what came of it. */
const LOOK_MS = 200;

/** The call under the cursor, sent again: the request in the provider's form first, then the answer as it comes. */
export class CallReplay {
  readonly #host: Host;
  readonly #session: OpenSession;
  readonly #jobs: Jobs;
  readonly #lab: Lab;
  readonly #messages: Messages;
  readonly request: Loaded<ReplayRequest>;
  readonly server: ServerChoice;
  /** Pictures and files give way to a word. */
  withoutPictures = $state(false);
  #answer: { readonly key: string; readonly job: string; readonly value: ReplayAnswer } | undefined =
    $state.raw();

  constructor(
    host: Host,
    session: OpenSession,
    jobs: Jobs,
    panels: Panels,
    lab: Lab,
    models: Loaded<ModelList>,
    messages: Messages,
  ) {
    this.#host = host;
    this.#session = session;
    this.#jobs = jobs;
    this.#lab = lab;
    this.server = new ServerChoice(models);
    this.#messages = messages;
    this.request = new Loaded(
      () => (panels.dialog === 'replay' && this.server.chosen !== undefined ? this.#key : undefined),
      () => host.invoke('call/replayPreview', this.#params),
    );
  }

  /** The answer to the request that is shown. */
  get answer(): ReplayAnswer | undefined {
    return this.#answer?.key === this.#key ? this.#answer.value : undefined;
  }

  get isRunning(): boolean {
    return this.answer?.isEnded === false;
  }

  /** Whether summaries of the Lab stand in the prompt. */
  get hasSummaries(): boolean {
    return this.#params.run !== null;
  }

  send(): void {
    this.#follow().catch(this.#messages.report);
  }

  sendWithoutPictures(): void {
    this.withoutPictures = true;
    this.send();
  }

  stop(): void {
    if (this.#answer !== undefined) this.#jobs.cancel(this.#answer.job).catch(this.#messages.report);
  }

  get #params(): {
    session: string;
    call: number;
    endpoint: string;
    model: string | null;
    run: string | null;
    withoutPictures?: boolean;
  } {
    const { run } = this.#lab.runs;
    return {
      session: this.#session.id ?? '',
      call: this.#session.cursor,
      ...this.server.params,
      run: run?.replay ? run.run : null,
      ...(this.withoutPictures ? { withoutPictures: true } : {}),
    };
  }

  get #key(): string {
    const { session, call, endpoint, model, run, withoutPictures } = this.#params;
    return [
      session,
      String(call),
      endpoint,
      model ?? '',
      run ?? '',
      withoutPictures === true ? 'bare' : '',
    ].join(' ');
  }

  async #follow(): Promise<void> {
    const key = this.#key;
    const { job } = await this.#host.invoke('call/replay', this.#params);
    let isOver = false;
    const ended = this.#jobs.whenEnded(job).then(() => {
      isOver = true;
    });
    while (!isOver) {
      await this.#look(key, job);
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, LOOK_MS))]);
    }
    await this.#look(key, job);
  }

  async #look(key: string, job: string): Promise<void> {
    this.#answer = { key, job, value: await this.#host.invoke('call/replayResult', { job }) };
  }
}
