import { standardKeymap } from '@codemirror/commands';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, keymap } from '@codemirror/view';
import { codeTheme } from './theme.ts';

/** The words of the search panel, written as everywhere else. */
const PHRASES = {
  next: 'Next',
  previous: 'Previous',
  'match case': 'Match case',
  regexp: 'Regular expression',
  'by word': 'Whole words',
};

/** An editor that shows and finds, and changes nothing. */
export function readOnlyEditor(parent: HTMLElement, label: string, extensions: Extension): EditorView {
  return new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        EditorState.readOnly.of(true),
        EditorView.editable.of(false),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' }),
        drawSelection(),
        highlightSelectionMatches(),
        search({ top: true }),
        EditorState.phrases.of(PHRASES),
        keymap.of([...searchKeymap, ...standardKeymap]),
        codeTheme,
        extensions,
      ],
    }),
  });
}
