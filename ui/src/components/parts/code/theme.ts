import { HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { KINDS } from '@/api/gen/api.ts';

const kinds = Object.fromEntries(KINDS.map((kind) => [`.from-${kind}`, { '--kind': `var(--kind-${kind})` }]));

export const codeTheme = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--panel)', color: 'var(--text-hi)' },
  '&.cm-focused': { outline: 'none' },
  '&.cm-focused .cm-content': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': {
    fontFamily: 'var(--font-mono)',
    fontSize: 'var(--size-small)',
    fontFeatureSettings: "'calt' 0, 'zero'",
    lineHeight: '17px',
  },
  '.cm-content': { padding: '6px 0', userSelect: 'text', cursor: 'text' },
  '.cm-line': { padding: '0 14px 0 10px' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--text-low)', border: 'none' },
  '.cm-foldGutter': { width: '18px' },
  '& > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground':
    { backgroundColor: 'color-mix(in srgb, var(--focus) 34%, transparent)' },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text-hi)', zIndex: 2 },
  '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': {
    display: 'flex',
    alignItems: 'center',
    gap: '8px',
    height: '34px',
    padding: '0 34px 0 14px',
    fontFamily: 'var(--font-ui)',
    fontSize: 'var(--size-small)',
  },
  '.cm-panel.cm-search input, .cm-panel.cm-search button, .cm-panel.cm-search label': {
    margin: '0',
    fontSize: 'var(--size-small)',
  },
  '.cm-panel.cm-search label': {
    display: 'flex',
    alignItems: 'center',
    gap: '5px',
    color: 'var(--text-mid)',
  },
  '.cm-panel.cm-search label input': { accentColor: 'var(--text-mid)' },
  // There is nothing to do with a selection of all matches in a text that cannot be changed.
  '.cm-panel.cm-search [name=select], .cm-panel.cm-search br': { display: 'none' },
  '.cm-panel.cm-search [name=close]': { top: '7px', right: '12px', fontSize: '16px' },
  '.cm-textfield': {
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--app)',
    padding: '2px 6px',
  },
  '.cm-button': {
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    background: 'var(--panel)',
    padding: '1px 8px',
  },
  '.cm-searchMatch': { backgroundColor: 'color-mix(in srgb, var(--focus) 28%, transparent)' },
  '.cm-searchMatch-selected': { backgroundColor: 'color-mix(in srgb, var(--focus) 55%, transparent)' },
  '.cm-segment-start': { borderTop: '1px solid var(--line)' },
  '.cm-segment-selected': { backgroundColor: 'var(--hover)' },
  '.cm-token-odd': { backgroundColor: 'color-mix(in srgb, var(--kind) 24%, transparent)' },
  '.cm-token-even': { backgroundColor: 'color-mix(in srgb, var(--kind) 10%, transparent)' },
  '.cm-provenance': { width: '184px' },
  '.cm-provenance .cm-gutterElement': { display: 'flex', justifyContent: 'flex-end', padding: '0' },
  '.cm-source': {
    display: 'flex',
    gap: '8px',
    justifyContent: 'flex-end',
    flex: '1',
    minWidth: '0',
    padding: '0 8px 0 14px',
    fontSize: '11px',
    whiteSpace: 'nowrap',
    cursor: 'default',
  },
  '.cm-source > *': { overflow: 'hidden', textOverflow: 'ellipsis' },
  '.cm-source b': { flex: '0 1 auto', color: 'var(--text-mid)', fontWeight: '500' },
  '.cm-source span': { flex: '0 1000 auto', minWidth: '0', fontFamily: 'var(--font-ui)' },
  '.cm-kind': { flex: 'none', width: '4px', background: 'var(--kind)' },
  '.cm-kind-hatched': {
    background: 'repeating-linear-gradient(135deg, var(--kind) 0 2px, var(--panel) 2px 3.2px)',
  },
  '.cm-rest': { padding: '2px 10px', color: 'var(--text-low)', fontFamily: 'var(--font-ui)' },
  '.cm-rest button': { textDecoration: 'underline', textUnderlineOffset: '3px' },
  ...kinds,
});

/** Shades of grey: hue is kept for the kinds of tokens. */
export const greyHighlight = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--text-mid)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--text-hi)', fontWeight: '600' },
  { tag: [tags.punctuation, tags.separator, tags.brace, tags.squareBracket], color: 'var(--text-low)' },
]);

/** What only an editor has in which something is written. */
export const scriptTheme = EditorView.theme({
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '30px', padding: '0 6px 0 8px' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--hover) 55%, transparent)' },
  '.cm-cursor': { borderLeftColor: 'var(--text-hi)', borderLeftWidth: '1.5px' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--hover)',
    outline: '1px solid var(--line-strong)',
  },
  // Drawn without pictures: the page fetches none, not even from itself.
  '.cm-gutter-lint': { width: '16px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0' },
  '.cm-gutter-lint .cm-lint-marker': {
    width: '14px',
    height: '17px',
    content: 'none',
    color: 'var(--break)',
    textAlign: 'center',
  },
  '.cm-gutter-lint .cm-lint-marker::before': { content: '"⚠"', fontSize: '11px' },
  '.cm-lintRange.cm-lintRange-error': {
    backgroundImage: 'none',
    paddingBottom: '0',
    textDecoration: 'underline wavy var(--break)',
    textUnderlineOffset: '3px',
  },
  '.cm-tooltip': {
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    backgroundColor: 'var(--raised)',
    color: 'var(--text-hi)',
    boxShadow: 'var(--shadow)',
  },
  '.cm-diagnostic': { borderLeft: 'none', padding: '5px 10px', fontFamily: 'var(--font-ui)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--font-mono)',
    fontSize: 'var(--size-small)',
    maxHeight: '220px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 10px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--hover)',
    color: 'var(--text-hi)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-completionDetail': {
    marginLeft: '14px',
    color: 'var(--text-low)',
    fontFamily: 'var(--font-ui)',
    fontStyle: 'normal',
  },
});

/** Greys and weights for code, as hue is kept for the kinds of tokens. */
export const codeHighlight = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.definitionKeyword, tags.moduleKeyword], fontWeight: '600' },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: 'var(--text-low)', fontStyle: 'italic' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--text-mid)' },
  { tag: [tags.number, tags.bool, tags.null], fontWeight: '600' },
  { tag: [tags.punctuation, tags.brace, tags.squareBracket, tags.paren], color: 'var(--text-mid)' },
]);
