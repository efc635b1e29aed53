import type { Params } from '@/api/client.ts';

/** Who answers besides servers. */
export const ECHO = 'echo';
export const SCRIPTED = 'scripted';

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
  /** Goes on with the session that is open. */
  isOngoing = $state(false);
  maxCalls = $state('500');
  maxTokens = $state('2000000');
  maxDollars = $state('5');
  holds: readonly string[] = $state.raw(['break']);

  /** Why it cannot be started yet. */
  get missing(): string | undefined {
    if (this.app.trim() === '') return 'Name the file of the app.';
    if (this.answerer === SCRIPTED && this.script.trim() === '') return 'Name the file with the answers.';
    const limits = [this.maxCalls, this.maxTokens, this.maxDollars];
    if (limits.some((limit) => !/^\d+(\.\d+)?$/.test(limit.trim()))) return 'Limits are numbers; 0 is none.';
    return undefined;
  }

  /** `session` is the one that is open. */
  params(session: string): Params<'run/start'> {
    const answerer = this.answerer === SCRIPTED ? `scripted:${this.script.trim()}` : this.answerer;
    const isServer = this.answerer !== SCRIPTED && this.answerer !== ECHO;
    const number = (text: string): number => Number(text.trim());
    return {
      app: this.app.trim(),
      model: isServer && this.model !== '' ? `${answerer}/${this.model}` : answerer,
      tools: this.tools.trim() === '' ? null : this.tools.trim(),
      recorded: null,
      session: this.isOngoing ? session : null,
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
