import { openSearchPanel } from '@codemirror/search';
import type { EditorView } from '@codemirror/view';
import type { TextSegment } from '@/api/gen/api.ts';
import { growSegment, placeSegments, type PlacedSegment } from '@/model/prompt-text.ts';
import type { Workbench } from '@/state/workbench.svelte.ts';
import { readOnlyEditor } from './code/editor.ts';
import {
  cutMarks,
  placement,
  provenanceGutter,
  segmentLines,
  setSegments,
  setSelected,
} from './code/segments.ts';
import { addTokens, setShaded, TOKEN_PAGE, tokenShading } from './code/shading.ts';

const REST_PAGE = 200_000;

/** The whole prompt after a stage in one editor, with the source of every line. */
export class PromptEditor {
  readonly #workbench: Workbench;
  readonly #stage: () => number | null;
  readonly #view: EditorView;
  #key: string | undefined;

  constructor(parent: HTMLElement, label: string, workbench: Workbench, stage: () => number | null) {
    this.#workbench = workbench;
    this.#stage = stage;
    const { messages, navigation } = workbench;
    this.#view = readOnlyEditor(parent, label, [
      placement,
      provenanceGutter((address) => navigation.select(address)),
      segmentLines,
      cutMarks((placed) => void this.#showRest(placed).catch(messages.report)),
      tokenShading((address, offset) => void this.#fetchTokens(address, offset).catch(messages.report)),
    ]);
  }

  /** Shows the segments of a prompt. More segments of the same prompt are put behind. */
  show(key: string | undefined, segments: readonly TextSegment[]): void {
    const { state } = this.#view;
    const before = this.#key === key ? state.field(placement).placed : [];
    if (this.#key === key && before.length >= segments.length) return;
    this.#key = key;
    const start = before.length === 0 ? 0 : state.doc.length;
    const { text, placed } = placeSegments(segments.slice(before.length), start);
    this.#view.dispatch({
      changes: { from: start, to: before.length === 0 ? state.doc.length : start, insert: text },
      effects: setSegments.of([...before, ...placed]),
    });
    if (before.length === 0) this.#view.scrollDOM.scrollTop = 0;
  }

  select(address: string | undefined): void {
    this.#view.dispatch({ effects: setSelected.of(address) });
  }

  shade(isShaded: boolean): void {
    this.#view.dispatch({ effects: setShaded.of(isShaded) });
  }

  find(): void {
    openSearchPanel(this.#view);
  }

  destroy(): void {
    this.#view.destroy();
  }

  async #fetchTokens(address: string, offset: number): Promise<void> {
    const { tokenEnds } = await this.#fetchText(address, offset, TOKEN_PAGE);
    this.#view.dispatch({ effects: addTokens.of({ address, offset, ends: tokenEnds }) });
  }

  async #showRest(cut: PlacedSegment): Promise<void> {
    const { address } = cut.segment;
    let rest = '';
    for (let total = Infinity, at = cut.segment.text.length; at + rest.length < total;) {
      const page = await this.#fetchText(address, at + rest.length, REST_PAGE);
      if (page.text === '') break;
      rest += page.text;
      total = page.totalLength;
    }
    const { placed } = this.#view.state.field(placement);
    const present = placed.find(({ segment }) => segment === cut.segment);
    if (present === undefined) return;
    this.#view.dispatch({
      changes: { from: present.to, insert: rest },
      effects: setSegments.of(growSegment(placed, present, rest.length)),
    });
  }

  #fetchText(
    address: string,
    offset: number,
    limit: number,
  ): Promise<{ readonly text: string; readonly totalLength: number; readonly tokenEnds: readonly number[] }> {
    const session = this.#workbench.session.id ?? '';
    return this.#workbench.host.invoke('part/text', {
      session,
      address,
      stage: this.#stage(),
      offset,
      limit,
    });
  }
}
