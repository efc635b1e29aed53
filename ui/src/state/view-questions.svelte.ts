import type { Answer, CallDetail, Question } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { parseAddress } from '@/model/address.ts';
import { placeFor } from '@/model/edits.ts';
import { formatCompact, formatCounted, formatInteger, formatSigned } from '@/model/format.ts';
import { callsLeft, growthOf } from '@/model/fullness.ts';
import type { ViewQuestion } from '@/model/questions.ts';
import { differenceInWords } from '@/model/session-comparison.ts';
import { runBefore } from '@/model/session-table.ts';
import type { ViewState } from '@/model/view-url.ts';
import { readSessions } from './all-sessions.ts';
import type { Cursor } from './cursor.svelte.ts';
import type { Location } from './location.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';
import type { Pipeline } from './pipeline.svelte.ts';
import { promptSize } from './session-summary.svelte.ts';

interface Places {
  readonly location: Location;
  readonly session: OpenSession;
  readonly cursor: Cursor;
  readonly pipeline: Pipeline;
}

/** What a question came to, and where the window shows it. */
export interface ViewAnswer {
  readonly text: string;
  readonly view: Partial<ViewState>;
}

/** Questions whose answer is put together here, of what several commands say. */
export class ViewQuestions {
  readonly #host: Host;
  readonly #in: Places;

  constructor(host: Host, places: Places) {
    this.#host = host;
    this.#in = places;
  }

  answer(question: ViewQuestion): Promise<ViewAnswer> {
    switch (question) {
      case 'carriedBy':
        return this.#carriedBy();
      case 'swapped':
        return this.#swapped();
      case 'summaryLoss':
        return this.#summaryLoss();
      case 'overflow':
        return this.#overflow();
      case 'handedOff':
        return this.#handedOff();
      case 'sinceLastRun':
        return this.#sinceLastRun();
    }
  }

  get #session(): string {
    return this.#in.session.id ?? '';
  }

  /** Of the selected event, else of the one that cost most. */
  async #carriedBy(): Promise<ViewAnswer> {
    const selected = parseAddress(this.#in.location.view.selection ?? '');
    const dearest = { order: 'byLifetime', filter: '', offset: 0, limit: 1 } as const;
    const event =
      selected?.type === 'event'
        ? selected.event
        : (await this.#host.invoke('event/page', { session: this.#session, ...dearest })).rows[0]?.event;
    if (event === undefined) return { text: 'The session has no events.', view: {} };
    const { title, calls, fate } = await this.#host.invoke('event/get', { session: this.#session, event });
    const name = `E${String(event)}`;
    return {
      text: `${name} ${title}: ${calls === 0 ? fate : `${fate}, in ${formatCounted(calls, 'call')}`}`,
      view: { view: 'session', selection: name },
    };
  }

  /** Of the stage that is looked at and the one before it. Nothing is edited. */
  async #swapped(): Promise<ViewAnswer> {
    const { session, pipeline } = this.#in;
    const call = session.cursor;
    const { rows } = await this.#host.invoke('call/stages', { session: this.#session, call });
    const flow = rows.filter(({ isRecorded }) => !isRecorded).map(({ processor }) => processor);
    const at = flow.indexOf(pipeline.stage?.processor ?? '');
    const from = at > 0 ? at : flow.indexOf('contents');
    const [processor, other] = [flow[from], flow[from - 1]];
    const place = placeFor(flow, from, from - 1);
    const view = { view: 'pipeline', panel: 'stage' } as const;
    if (processor === undefined || other === undefined || place === undefined)
      return { text: 'This call has no two processors to swap.', view };
    const { thisCall, allCalls, diagnostics } = await this.#host.invoke('experiment/preview', {
      session: this.#session,
      call,
      edits: [{ edit: 'move_processor', processor, ...place }],
    });
    const [here, all] = [thisCall, allCalls].map(({ tokensBefore, tokensAfter }) =>
      formatSigned(tokensAfter - tokensBefore),
    );
    const effect = `C${String(call)} ${here ?? ''} tokens, ${formatCounted(allCalls.callsCompared, 'call')} ${all ?? ''}`;
    const isSame = allCalls.callsChanged === 0 ? 'no request changes' : effect;
    return {
      text: [`${processor} before ${other}: ${isSame}`, ...diagnostics.map(({ message }) => message)].join(
        '. ',
      ),
      view: { ...view, cursor: call, stage: processor, isChangedOnly: false },
    };
  }

  /** Of the newest run that ended. */
  async #summaryLoss(): Promise<ViewAnswer> {
    const { rows } = await this.#host.invoke('lab/runs', { session: this.#session });
    const run = rows.find(({ state, kept }) => state === 'done' && kept !== null);
    const view = { view: 'lab', selection: undefined } as const;
    if (run === undefined)
      return {
        text: 'No summary is written yet. Run the setting in view with S: each path, number and name of the events is then kept or lost.',
        view,
      };
    const [kept, dropped] = [run.kept ?? 0, run.dropped ?? 0];
    return {
      text: `${run.config}: ${formatInteger(dropped)} of ${formatCounted(kept + dropped, 'fact')} are lost, ${formatInteger(kept)} are kept`,
      view: { ...view, config: run.config },
    };
  }

  /** At the rate of the last calls. */
  async #overflow(): Promise<ViewAnswer> {
    const { session } = this.#in;
    const last = await this.#call(session.calls);
    const view = { view: 'session', cursor: session.calls, selection: undefined } as const;
    const window = session.info?.agents.find(({ name }) => name === last.agent)?.contextWindow ?? undefined;
    const tokens = promptSize(last);
    const size = `The last prompt, C${String(session.calls)}, has ${formatCompact(tokens)} tokens`;
    if (window === undefined) return { text: `${size}. How much ${last.model} takes is not known`, view };
    const of = `${size} of ${formatCompact(window.tokens)}`;
    const perCall = growthOf(session.columns)?.perCall ?? 0;
    const left = callsLeft(tokens, perCall, window.tokens);
    if (left === undefined) return { text: `${of}. Prompts do not grow, so it never fills up`, view };
    return {
      text: `${of} and grew ${formatCompact(Math.round(perCall))} a call: full in about ${formatCounted(left, 'call')}`,
      view,
    };
  }

  /** Of the hand-off under the cursor or before it, else of the next one. */
  async #handedOff(): Promise<ViewAnswer> {
    const call = await this.#in.cursor.nearest('handoff');
    if (call === undefined || call < 2) return { text: 'No agent hands work to another here.', view: {} };
    const ask = (question: Question): Promise<Answer> =>
      this.#host.invoke('palette/ask', { session: this.#session, question, cursor: call });
    const [before, after, reframed, leftOut] = await Promise.all([
      this.#call(call - 1),
      this.#call(call),
      ask('reframed'),
      ask('leftOut'),
    ]);
    const side = (detail: CallDetail): string =>
      `C${String(detail.call)} ${detail.agent} ${formatInteger(detail.prompt.tokens)}`;
    return {
      text: `${side(before)} → ${side(after)} tokens. ${reframed.text.replace(/\.$/, '')}. ${leftOut.text}`,
      view: { view: 'pipeline', panel: 'stage', cursor: call, stage: 'contents', selection: undefined },
    };
  }

  /** The recording beside the run before it. */
  async #sinceLastRun(): Promise<ViewAnswer> {
    const { recording } = this.#in.session;
    const { rows } = await readSessions(this.#host);
    const row = rows.find(({ session }) => session === recording);
    const before = row === undefined ? undefined : runBefore(rows, row);
    if (row === undefined || before === undefined)
      return {
        text: 'No earlier run of this task or in this folder is stored. Mark any two sessions with X to compare them.',
        view: { view: 'sessions' },
      };
    const sides = { a: before.session, b: row.session } as const;
    const compared = await this.#host.invoke('session/compare', {
      ...sides,
      by: 'tokens',
      offset: 0,
      limit: 0,
    });
    return {
      text: differenceInWords(before, compared),
      view: { view: 'sessions', marked: [before.session, row.session] },
    };
  }

  #call(call: number): Promise<CallDetail> {
    return this.#host.invoke('call/get', { session: this.#session, call });
  }
}
