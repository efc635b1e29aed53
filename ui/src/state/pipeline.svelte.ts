import type { PartDiff, PartPage, PartRow, StageList, StageRow } from '@/api/gen/api.ts';
import type { Host } from '@/host/host.ts';
import { parseAddress, printAddress } from '@/model/address.ts';
import { mostTelling, nextChanged, recordedIndex, stageNames, type RequestLook } from '@/model/stages.ts';
import { Loaded } from './loaded.svelte.ts';
import type { Location } from './location.svelte.ts';
import type { OpenSession } from './open-session.svelte.ts';
import { Pages } from './pages.svelte.ts';

/** How the call under the cursor was compiled: its stages, the parts of one of them, the difference of one part. */
export class Pipeline {
  readonly #location: Location;
  readonly #session: OpenSession;
  readonly stages: Loaded<StageList>;
  readonly parts: Pages<PartRow, PartPage>;
  readonly diff: Loaded<PartDiff>;
  /** Runs of unchanged parts are one row. */
  isFolded = $state(true);

  constructor(host: Host, location: Location, session: OpenSession) {
    this.#location = location;
    this.#session = session;
    const where = (): { readonly session: string; readonly call: number } => ({
      session: session.id ?? '',
      call: session.cursor,
    });
    this.stages = new Loaded(
      () => (this.isShown ? session.keyOfCall(session.cursor) : undefined),
      () => host.invoke('call/stages', where()),
    );
    this.parts = new Pages(
      () =>
        this.#expectedNumber === undefined || location.view.panel !== 'stage' ? undefined : this.partsKey,
      (offset, limit) =>
        host.invoke('call/stageParts', {
          ...where(),
          stage: this.#expectedNumber ?? 1,
          compareWith: location.view.compare,
          foldUnchanged: this.isFolded,
          offset,
          limit,
        }),
    );
    this.diff = new Loaded(
      () => this.#diffKey,
      () =>
        host.invoke('part/diff', {
          session: session.id ?? '',
          address: location.view.selection ?? '',
          stage: this.stageNumber ?? 1,
          compareWith: location.view.compare,
        }),
    );
  }

  get rows(): readonly StageRow[] {
    return this.stages.latest?.rows ?? [];
  }

  get names(): readonly string[] {
    return stageNames(this.rows);
  }

  /** Indices of the rows that the list shows. */
  get shown(): readonly number[] {
    const all = this.rows.map((_, index) => index);
    return this.#location.view.isChangedOnly ? all.filter((i) => this.rows[i]?.isChanged === true) : all;
  }

  /** Index of the stage that is looked at. */
  get index(): number {
    const named = this.names.indexOf(this.#location.view.stage ?? '');
    return named >= 0 ? named : mostTelling(this.rows);
  }

  get stage(): StageRow | undefined {
    return this.rows[this.index];
  }

  get stageName(): string {
    return this.names[this.index] ?? '';
  }

  /** Its number, once the stages of the present call are known. */
  get stageNumber(): number | undefined {
    return this.stages.value === undefined ? undefined : this.stage?.number;
  }

  /**
   * The same from the stages of before an edit, which seldom moves them: the parts are asked for with the stages, and count
   * once these are known.
   */
  get #expectedNumber(): number | undefined {
    return this.stages.latest?.call === this.#session.cursor ? this.stage?.number : undefined;
  }

  /** The parts are not yet known to be those of the stage. */
  get areStale(): boolean {
    return this.parts.isLoading || this.stages.isLoading;
  }

  get partsKey(): string {
    const { compare } = this.#location.view;
    return [
      this.#session.keyOfCall(this.#session.cursor),
      this.#expectedNumber,
      compare,
      this.isFolded ? 'folded' : 'all',
    ].join(' ');
  }

  /** Selected part, if it is one of this call. */
  get part(): string | undefined {
    const { selection } = this.#location.view;
    const address = parseAddress(selection ?? '');
    const isHere = address?.type === 'part' && address.call === this.#session.cursor;
    return isHere ? selection : undefined;
  }

  /** Looked for once for all rows. */
  readonly activePart: number | undefined = $derived.by(() => {
    const { selection } = this.#location.view;
    return selection === undefined ? undefined : this.parts.find((row) => row.address === selection)?.index;
  });

  selectStage(index: number, step: 'jump' | 'walk' = 'jump'): void {
    const processor = this.names[index];
    if (processor === undefined) return;
    const selection = printAddress({ type: 'stage', call: this.#session.cursor, processor });
    this.#location.go({ panel: 'stage', stage: processor, selection }, step);
  }

  /** Which stage tells most may change with an edit, but who looks at one stays with it. */
  stay(): void {
    const { stageName } = this;
    if (stageName !== '') this.#location.go({ stage: stageName }, 'replace');
  }

  /** Which of the two requests of a call is shown, where what was sent is recorded; none while another stage is. */
  get look(): RequestLook | undefined {
    const { tab } = this.#location.view;
    const recorded = recordedIndex(this.rows);
    if (recorded === undefined) return undefined;
    if (this.index === recorded) return tab === 'parts' ? 'difference' : 'recorded';
    return this.index === recorded - 1 && tab !== 'parts' ? 'recompiled' : undefined;
  }

  get hasRecorded(): boolean {
    return recordedIndex(this.rows) !== undefined;
  }

  showRequest(look: RequestLook): void {
    const recorded = recordedIndex(this.rows);
    const stage = this.names[look === 'recompiled' ? (recorded ?? 0) - 1 : (recorded ?? -1)];
    if (recorded === undefined || stage === undefined) return;
    const { tab } = this.#location.view;
    const whole = tab === 'json' ? 'json' : 'text';
    const selection = printAddress({ type: 'stage', call: this.#session.cursor, processor: stage });
    this.#location.go({
      panel: 'stage',
      stage,
      selection,
      tab: look === 'difference' ? 'parts' : whole,
      ...(look === 'difference' ? { compare: 'stageBefore' } : {}),
    });
  }

  /** Recorded, recompiled, difference, and again. */
  nextLook(): void {
    const looks: readonly RequestLook[] = ['recorded', 'recompiled', 'difference'];
    const at = this.look === undefined ? -1 : looks.indexOf(this.look);
    this.showRequest(looks[(at + 1) % looks.length] ?? 'recorded');
  }

  /** Moves among the stages the list shows. */
  moveStage(delta: number): void {
    const { shown } = this;
    const at = shown.findIndex((index) => index >= this.index);
    const next = shown[Math.min(shown.length - 1, Math.max(0, (at < 0 ? shown.length - 1 : at) + delta))];
    if (next !== undefined) this.selectStage(next, 'walk');
  }

  nextChanged(direction: 1 | -1): void {
    const next = nextChanged(this.rows, this.index, direction);
    if (next !== undefined) this.selectStage(next, 'walk');
  }

  async selectPart(index: number): Promise<void> {
    const wanted = Math.min(this.parts.total - 1, Math.max(0, index));
    const row = this.parts.row(wanted) ?? (await this.parts.load(wanted));
    if (row !== undefined && row.address !== '') this.#location.go({ selection: row.address }, 'walk');
  }

  /** Only then are stages asked for. */
  get isShown(): boolean {
    return this.#session.isOpen && this.#location.view.view === 'pipeline';
  }

  get #diffKey(): string | undefined {
    const { tab, panel } = this.#location.view;
    const isShown = panel === 'stage' && tab === 'parts';
    if (this.part === undefined || this.stageNumber === undefined || !isShown) return undefined;
    return `${this.partsKey} ${this.part}`;
  }
}
