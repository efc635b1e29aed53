import type { CallDetail, ChainStep, EventDetail, PartDetail, StageList, StageRow } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { parseAddress, type Address } from '@/model/address.ts';
import { stageNames } from '@/model/stages.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Location } from './location.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';
import type { Pipeline } from './pipeline.svelte.ts';

/** What the inspector knows about the selection; without one it shows the call under the cursor. */
export class Inspector {
  readonly #location: Location;
  readonly #session: OpenSession;
  readonly event: Loaded<EventDetail>;
  readonly part: Loaded<PartDetail>;
  /** The call under the cursor, for its note in the map, whatever is selected. */
  readonly cursorCall: Loaded<CallDetail>;
  readonly #otherCall: Loaded<CallDetail>;
  readonly #pipeline: Pipeline;
  readonly #otherStages: Loaded<StageList>;

  constructor(host: Host, location: Location, session: OpenSession, pipeline: Pipeline) {
    this.#location = location;
    this.#session = session;
    this.#pipeline = pipeline;
    const id = (): string => session.id ?? '';
    const keyFor = (type: Address['type']): string | undefined =>
      this.subject?.type === type ? `${session.key ?? ''} ${this.address}` : undefined;
    const keyForCall = (type: 'call' | 'stage'): string | undefined =>
      this.subject?.type === type ? session.keyOfCall(callNumber(this.subject)) : undefined;
    this.event = new Loaded(
      () => keyFor('event'),
      () => host.invoke('event/get', { session: id(), event: eventNumber(this.subject) }),
    );
    this.part = new Loaded(
      () => {
        const key = keyFor('part');
        return key === undefined ? undefined : `${key} ${String(this.#stageOfPart(pipeline))}`;
      },
      () =>
        host.invoke('part/get', {
          session: id(),
          address: this.address,
          stage: this.#stageOfPart(pipeline),
        }),
    );
    this.#otherCall = new Loaded(
      () => (callNumber(this.subject) === session.cursor ? undefined : keyForCall('call')),
      () => host.invoke('call/get', { session: id(), call: callNumber(this.subject) }),
    );
    this.#otherStages = new Loaded(
      () => (this.#isOfPipeline ? undefined : keyForCall('stage')),
      () => host.invoke('call/stages', { session: id(), call: callNumber(this.subject) }),
    );
    this.cursorCall = new Loaded(
      () => session.keyOfCall(session.cursor),
      () => host.invoke('call/get', { session: id(), call: session.cursor }),
    );
  }

  /** What is shown. */
  get subject(): Address | undefined {
    if (!this.#session.isOpen) return undefined;
    const selected = parseAddress(this.#location.view.selection ?? '');
    if (selected !== undefined && ['event', 'call', 'stage', 'part'].includes(selected.type)) return selected;
    const { cursor } = this.#session;
    return cursor > 0 ? { type: 'call', call: cursor } : undefined;
  }

  /** The selected call, which most often is the one under the cursor. */
  get call(): Loaded<CallDetail> {
    return callNumber(this.subject) === this.#session.cursor ? this.cursorCall : this.#otherCall;
  }

  get address(): string {
    return this.#location.view.selection ?? `C${String(this.#session.cursor)}`;
  }

  /** Of the selected call. */
  get stages(): Loaded<StageList> {
    return this.#isOfPipeline ? this.#pipeline.stages : this.#otherStages;
  }

  /** The row of the selected stage. */
  get stage(): StageRow | undefined {
    const { subject } = this;
    const rows = this.stages.latest?.rows ?? [];
    return subject?.type === 'stage' ? rows[stageNames(rows).indexOf(subject.processor)] : undefined;
  }

  /** The agent whose prompt the selected part is in, if that is the call under the cursor. */
  get agentOfPart(): string {
    const { subject } = this;
    const call = this.cursorCall.latest;
    return subject?.type === 'part' && call?.call === subject.call ? call.agent : '';
  }

  /** Where the selection came from, if it has a source. */
  get chain(): readonly ChainStep[] {
    const { subject } = this;
    if (subject?.type === 'event') return this.event.value?.chain ?? [];
    return subject?.type === 'part' ? (this.part.value?.chain ?? []) : [];
  }

  /** The Pipeline view has asked for the stages of the selected call. */
  get #isOfPipeline(): boolean {
    return this.#pipeline.isShown && callNumber(this.subject) === this.#session.cursor;
  }

  /** A part is looked at after the stage of the Pipeline view, elsewhere after the last one. */
  #stageOfPart(pipeline: Pipeline): number | null {
    const isInPipeline = this.#location.view.view === 'pipeline' && pipeline.part !== undefined;
    return isInPipeline ? (pipeline.stageNumber ?? null) : null;
  }
}

function eventNumber(address: Address | undefined): number {
  return address?.type === 'event' ? address.event : 0;
}

function callNumber(address: Address | undefined): number {
  return address !== undefined && 'call' in address ? address.call : 0;
}
