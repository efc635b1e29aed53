import type { Params } from '@/api/client.ts';

/** Who answers besides servers. */
export const ECHO = 'echo';
export const SCRIPTED = 'scripted';

/** In which session a run takes place: a new one, the open one, or one that begins as the open one did. */
export type RunPlace = 'new' | 'ongoing' | 'again';

/** What a run is started with, while somebody fills it in. */
export class RunForm {
  app = $state('');
  tools = $state('');
  /** The name of a server, `echo` or `scripted`. */
  answerer: string = $state(SCRIPTED);
  /** In place of those that the agents name; empty for these. */
  model = $state('');
  /** A file with answers. */
  script = $state('');
  place: RunPlace = $state('new');
  /** Of the session that is run again, the first call that is answered anew. */
  call = $state('1');
  maxCalls = $state('500');
  maxTokens = $state('2000000');
  maxDollars = $state('5');
  holds: readonly string[] = $state.raw(['break']);

  /** Why it cannot be started yet. */
  get missing(): string | undefined {
    const isAgain = this.place === 'again';
    if (this.app.trim() === '' && !isAgain) return 'Name the file of the app.';
    if (isAgain && !/^[1-9]\d*$/.test(this.#callDigits)) return 'Calls are numbers from 1 on, such as C12.';
    if (this.answerer === SCRIPTED && this.script.trim() === '') return 'Name the file with the answers.';
    const limits = [this.maxCalls, this.maxTokens, this.maxDollars];
    if (limits.some((limit) => !/^\d+(\.\d+)?$/.test(limit.trim()))) return 'Limits are numbers; 0 is none.';
    return undefined;
  }

  get #callDigits(): string {
    return this.call.trim().replace(/^c/i, '');
  }

  /** `open` is what is open: a session or an experiment, and the session it is laid over. */
  params(open: { readonly shown: string; readonly recording: string }): Params<'run/start'> {
    const answerer = this.answerer === SCRIPTED ? `scripted:${this.script.trim()}` : this.answerer;
    const isServer = this.answerer !== SCRIPTED && this.answerer !== ECHO;
    const number = (text: string): number => Number(text.trim());
    return {
      app: this.app.trim() === '' ? null : this.app.trim(),
      from: this.place === 'again' ? { session: open.shown, call: Number(this.#callDigits) } : null,
      model: isServer && this.model !== '' ? `${answerer}/${this.model}` : answerer,
      tools: this.tools.trim() === '' ? null : this.tools.trim(),
      recorded: null,
      session: this.place === 'ongoing' ? open.recording : null,
      user: null,
      limits: {
        calls: Math.round(number(this.maxCalls)),
        tokens: number(this.maxTokens),
        dollars: number(this.maxDollars),
      },
      holds: [...this.holds],
    };
  }
}
