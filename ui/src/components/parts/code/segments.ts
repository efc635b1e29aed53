import {
  RangeSet,
  RangeSetBuilder,
  StateEffect,
  StateField,
  type EditorState,
  type Extension,
} from '@codemirror/state';
import {
  Decoration,
  EditorView,
  gutter,
  GutterMarker,
  WidgetType,
  type DecorationSet,
} from '@codemirror/view';
import { segmentAtPosition, type PlacedSegment } from '@/model/prompt-text.ts';

export const setSegments = StateEffect.define<readonly PlacedSegment[]>();
export const setSelected = StateEffect.define<string | undefined>();

interface Placement {
  readonly placed: readonly PlacedSegment[];
  readonly selected: string | undefined;
}

/** Where the segments of the prompt are in the document, and which of them is selected. */
export const placement = StateField.define<Placement>({
  create: () => ({ placed: [], selected: undefined }),
  update: (value, transaction) => {
    let next = value;
    for (const effect of transaction.effects) {
      if (effect.is(setSegments)) next = { ...next, placed: effect.value };
      if (effect.is(setSelected)) next = { ...next, selected: effect.value };
    }
    return next;
  },
});

class SourceMarker extends GutterMarker {
  readonly #placed: PlacedSegment;
  readonly #isFirst: boolean;

  constructor(placed: PlacedSegment, isFirst: boolean) {
    super();
    this.#placed = placed;
    this.#isFirst = isFirst;
  }

  override eq(other: SourceMarker): boolean {
    return other.#placed.segment === this.#placed.segment && other.#isFirst === this.#isFirst;
  }

  override toDOM(): HTMLElement {
    const { segment } = this.#placed;
    const marker = document.createElement('div');
    marker.style.display = 'contents';
    const bar = document.createElement('div');
    bar.className = `cm-kind from-${segment.kind}${segment.isReframed ? ' cm-kind-hatched' : ''}`;
    const source = document.createElement('div');
    source.className = 'cm-source';
    if (this.#isFirst) {
      const from = document.createElement('span');
      from.textContent = segment.from;
      const path = document.createElement('b');
      path.textContent = segment.path;
      source.append(from, path);
      source.dataset['tip'] =
        `${segment.address}, ${segment.kind} as ${segment.role}, ${segment.tokens.toLocaleString('en-US')} tokens, from ${segment.from}`;
    }
    marker.append(source, bar);
    return marker;
  }
}

/** Kind and address of every line, at the left; a press selects the part. */
export function provenanceGutter(onSelect: (address: string) => void): Extension {
  return gutter({
    class: 'cm-provenance',
    lineMarker: (view, line) => {
      const placed = segmentAtPosition(view.state.field(placement).placed, line.from);
      return placed === undefined ? null : new SourceMarker(placed, placed.from === line.from);
    },
    lineMarkerChange: (update) =>
      update.transactions.some((one) => one.effects.some((e) => e.is(setSegments))),
    domEventHandlers: {
      mousedown: (view, line) => {
        const placed = segmentAtPosition(view.state.field(placement).placed, line.from);
        if (placed !== undefined) onSelect(placed.segment.address);
        return placed !== undefined;
      },
    },
  });
}

/** Classes of the lines: kind, first line of a segment, selected segment. Built for what is in view. */
export const segmentLines = EditorView.decorations.of((view): DecorationSet => {
  const { placed, selected } = view.state.field(placement);
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to;) {
      const line = view.state.doc.lineAt(at);
      const found = segmentAtPosition(placed, line.from);
      if (found !== undefined) {
        const classes = [
          `from-${found.segment.kind}`,
          ...(found.from === line.from ? ['cm-segment-start'] : []),
          ...(found.segment.address === selected ? ['cm-segment-selected'] : []),
        ];
        builder.add(line.from, line.from, Decoration.line({ class: classes.join(' ') }));
      }
      at = line.to + 1;
    }
  }
  return builder.finish();
});

class RestWidget extends WidgetType {
  readonly #placed: PlacedSegment;
  readonly #onShow: (placed: PlacedSegment) => void;

  constructor(placed: PlacedSegment, onShow: (placed: PlacedSegment) => void) {
    super();
    this.#placed = placed;
    this.#onShow = onShow;
  }

  override eq(other: RestWidget): boolean {
    return other.#placed.segment === this.#placed.segment;
  }

  override toDOM(): HTMLElement {
    const rest = document.createElement('div');
    rest.className = 'cm-rest';
    const shown = this.#placed.segment.text.length.toLocaleString('en-US');
    const button = document.createElement('button');
    button.textContent = 'Show the rest';
    button.addEventListener('click', () => this.#onShow(this.#placed));
    rest.append(`The first ${shown} characters of ${this.#placed.segment.address}. `, button);
    return rest;
  }
}

/** Says where a long segment was cut, and offers the rest. */
export function cutMarks(onShow: (placed: PlacedSegment) => void): Extension {
  const marks = (state: EditorState): DecorationSet =>
    RangeSet.of(
      state
        .field(placement)
        .placed.filter(({ segment }) => segment.isCut)
        .map((placed) =>
          Decoration.widget({ widget: new RestWidget(placed, onShow), side: 1, block: true }).range(
            placed.to,
          ),
        ),
    );
  return StateField.define<DecorationSet>({
    create: marks,
    update: (value, transaction) =>
      transaction.effects.some((effect) => effect.is(setSegments)) ? marks(transaction.state) : value,
    provide: (field) => EditorView.decorations.from(field),
  });
}
