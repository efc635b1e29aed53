import { RangeSetBuilder, StateEffect, StateField, type Extension } from '@codemirror/state';
import {
  Decoration,
  ViewPlugin,
  type DecorationSet,
  type EditorView,
  type ViewUpdate,
} from '@codemirror/view';
import type { PlacedSegment } from '@/model/prompt-text.ts';
import { placement, setSegments } from './segments.ts';

/** Characters whose tokens are fetched at a time. */
export const TOKEN_PAGE = 20_000;

export interface TokenPage {
  readonly address: string;
  /** Where in the segment the page begins. */
  readonly offset: number;
  readonly ends: readonly number[];
}

export const setShaded = StateEffect.define<boolean>();
export const addTokens = StateEffect.define<TokenPage>();

interface Tokens {
  readonly isShaded: boolean;
  readonly pages: ReadonlyMap<string, readonly number[]>;
}

const pageKey = (address: string, offset: number): string => `${address} ${String(offset)}`;

const tokens = StateField.define<Tokens>({
  create: () => ({ isShaded: false, pages: new Map() }),
  update: (value, transaction) => {
    let next = value;
    for (const effect of transaction.effects) {
      if (effect.is(setShaded)) next = { ...next, isShaded: effect.value };
      if (effect.is(addTokens)) {
        const { address, offset, ends } = effect.value;
        next = { ...next, pages: new Map([...next.pages, [pageKey(address, offset), ends]]) };
      }
    }
    return next;
  },
});

const ODD = Decoration.mark({ class: 'cm-token-odd' });
const EVEN = Decoration.mark({ class: 'cm-token-even' });

/** Alternating shades for the tokens in view. `onNeed` fetches what is not known yet. */
export function tokenShading(onNeed: (address: string, offset: number) => void): Extension {
  const asked = new Set<string>();

  const shadePage = (
    builder: RangeSetBuilder<Decoration>,
    placed: PlacedSegment,
    offset: number,
    ends: readonly number[],
    view: { readonly from: number; readonly to: number },
  ): void => {
    let from = placed.from + offset;
    ends.forEach((end, index) => {
      const to = Math.min(placed.to, placed.from + offset + end);
      if (to > view.from && from < view.to && to > from) builder.add(from, to, index % 2 === 0 ? ODD : EVEN);
      from = to;
    });
  };

  const build = (view: EditorView): DecorationSet => {
    const { isShaded, pages } = view.state.field(tokens);
    const builder = new RangeSetBuilder<Decoration>();
    if (!isShaded) return builder.finish();
    for (const range of view.visibleRanges) {
      for (const placed of view.state.field(placement).placed) {
        if (placed.to < range.from || placed.from > range.to) continue;
        const first = Math.floor(Math.max(0, range.from - placed.from) / TOKEN_PAGE) * TOKEN_PAGE;
        for (let offset = first; placed.from + offset < Math.min(placed.to, range.to); offset += TOKEN_PAGE) {
          const key = pageKey(placed.segment.address, offset);
          const ends = pages.get(key);
          if (ends !== undefined) shadePage(builder, placed, offset, ends, range);
          else if (!asked.has(key)) {
            asked.add(key);
            onNeed(placed.segment.address, offset);
          }
        }
      }
    }
    return builder.finish();
  };

  const plugin = ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;

      constructor(view: EditorView) {
        this.decorations = build(view);
      }

      update(update: ViewUpdate): void {
        const hasNews = update.transactions.some((one) =>
          one.effects.some(
            (effect) => effect.is(setShaded) || effect.is(addTokens) || effect.is(setSegments),
          ),
        );
        if (update.startState.field(placement).placed.length > update.state.field(placement).placed.length)
          asked.clear();
        if (hasNews || update.docChanged || update.viewportChanged) this.decorations = build(update.view);
      }
    },
    { decorations: (value) => value.decorations },
  );
  return [tokens, plugin];
}
