import type { Answer } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { callOf, parseAddress } from '@/model/address.ts';
import { isViewQuestion, QUESTIONS, type AskedQuestion } from '@/model/questions.ts';
import type { ViewState } from '@/model/view-url.ts';
import type { Location } from './location.svelte.ts';
import type { Messages } from './messages.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';
import type { ViewQuestions } from './view-questions.svelte.ts';

interface Answered {
  readonly session: string;
  readonly question: AskedQuestion;
  readonly title: string;
  readonly answer: { readonly text: string };
}

/** Asks a question and shows the state of the view that answers it. */
export class Answers {
  readonly #host: Host;
  readonly #location: Location;
  readonly #session: OpenSession;
  readonly #messages: Messages;
  readonly #here: ViewQuestions;
  #answered: Answered | undefined = $state.raw();

  constructor(host: Host, location: Location, session: OpenSession, messages: Messages, here: ViewQuestions) {
    this.#host = host;
    this.#location = location;
    this.#session = session;
    this.#messages = messages;
    this.#here = here;
  }

  /** The last answer about the open session. */
  get shown(): Answered | undefined {
    return this.#answered?.session === this.#session.id ? this.#answered : undefined;
  }

  async ask(question: AskedQuestion): Promise<void> {
    const session = this.#session.id;
    const asked = QUESTIONS.find((known) => known.question === question);
    if (session === undefined || asked === undefined) return;
    const { cursor } = this.#session;
    const { title, view } = asked;
    if (isViewQuestion(question)) {
      const answer = await this.#here.answer(question);
      return this.#show({ session, question, title, answer }, answer.view);
    }
    const answer = await this.#host.invoke('palette/ask', { session, question, cursor });
    this.#show({ session, question, title, answer }, this.#viewOf(view, answer));
  }

  #show(answered: Answered, view: Partial<ViewState>): void {
    this.#answered = answered;
    this.#messages.announce(answered.answer.text);
    this.#location.go(view);
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
