import type { Answer, Question } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { callOf, parseAddress } from '@/model/address.ts';
import { QUESTIONS } from '@/model/questions.ts';
import type { ViewState } from '@/model/view-url.ts';
import type { Location } from './location.svelte.ts';
import type { Messages } from './messages.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';

interface Answered {
  readonly session: string;
  readonly question: Question;
  readonly title: string;
  readonly answer: Answer;
}

/** Asks a question and shows the state of the view that answers it. */
export class Answers {
  readonly #host: Host;
  readonly #location: Location;
  readonly #session: OpenSession;
  readonly #messages: Messages;
  #answered: Answered | undefined = $state.raw();

  constructor(host: Host, location: Location, session: OpenSession, messages: Messages) {
    this.#host = host;
    this.#location = location;
    this.#session = session;
    this.#messages = messages;
  }

  /** The last answer about the open session. */
  get shown(): Answered | undefined {
    return this.#answered?.session === this.#session.id ? this.#answered : undefined;
  }

  async ask(question: Question): Promise<void> {
    const session = this.#session.id;
    const asked = QUESTIONS.find((known) => known.question === question);
    if (session === undefined || asked === undefined) return;
    const { cursor } = this.#session;
    const answer = await this.#host.invoke('palette/ask', { session, question, cursor });
    this.#answered = { session, question, title: asked.title, answer };
    this.#messages.announce(answer.text);
    this.#location.go(this.#viewOf(asked.view, answer));
  }

  dismiss(): void {
    this.#answered = undefined;
  }

  #viewOf(view: ViewState['view'], answer: Answer): Partial<ViewState> {
    const address = parseAddress(answer.address ?? '');
    const call = address === undefined ? undefined : callOf(address);
    return {
      view,
      // There the inspector says why the call under the cursor missed, unless something else is selected.
      ...(view === 'cache' || view === 'lab' ? { selection: undefined } : {}),
      ...(answer.address === null || view === 'cache' ? {} : { selection: answer.address }),
      ...(answer.filter === null ? {} : { filter: answer.filter }),
      ...(answer.order === null ? {} : { order: answer.order }),
      ...(call === undefined ? {} : { cursor: call }),
      ...(address?.type === 'stage' ? { stage: address.processor, isChangedOnly: false } : {}),
    };
  }
}
