import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  snippetCompletion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript, localCompletionSource } from '@codemirror/lang-javascript';
import { bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { membersOf } from '@/model/script-shape.ts';
import { codeHighlight, codeTheme, scriptTheme } from './theme.ts';

/** Where a script failed. Line and column count from 1. */
export interface ScriptMark {
  readonly line: number;
  readonly column: number | undefined;
  readonly message: string;
}

const WORDS = [
  snippetCompletion('for (const content of request.contents) {\n\t${}\n}', {
    label: 'for content',
    detail: 'every content',
  }),
  snippetCompletion('for (const part of content.parts ?? []) {\n\t${}\n}', {
    label: 'for part',
    detail: 'every part of a content',
  }),
  snippetCompletion("console.log(${'what'})", { label: 'console.log', detail: 'shown below the code' }),
  { label: 'request', detail: 'contents, config, model' },
  { label: 'context', detail: 'agent, state, call, session' },
  { label: 'return request', detail: 'what goes on' },
];

/** Members of what is in front of the dot, and words to begin with. */
function completeShape(context: CompletionContext): CompletionResult | null {
  const member = context.matchBefore(/[\w$]+(?:\??\.[\w$]+)*\??\.[\w$]*/);
  if (member !== null) {
    const dot = member.text.lastIndexOf('.');
    const options = membersOf(member.text.slice(0, dot), context.state.doc.toString());
    return options.length === 0
      ? null
      : {
          from: member.from + dot + 1,
          options: options.map(({ name, detail }) => ({ label: name, detail })),
          validFor: /^\w*$/,
        };
  }
  const word = context.matchBefore(/\w+/);
  return word === null && !context.explicit ? null : { from: word?.from ?? context.pos, options: WORDS };
}

/** An editor for scripts. */
export class ScriptEditor {
  readonly #view: EditorView;
  #isSetting = false;

  constructor(parent: HTMLElement, onType: (source: string) => void, onRun: () => void) {
    this.#view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          EditorView.contentAttributes.of({ 'aria-label': 'Code of the script' }),
          lineNumbers(),
          lintGutter(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          highlightSelectionMatches(),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          autocompletion({ override: [completeShape, localCompletionSource], icons: false }),
          search({ top: true }),
          javascript(),
          syntaxHighlighting(codeHighlight),
          EditorState.tabSize.of(2),
          keymap.of([
            {
              key: 'Mod-Enter',
              run: () => {
                onRun();
                return true;
              },
            },
            ...closeBracketsKeymap,
            ...completionKeymap,
            ...lintKeymap,
            ...searchKeymap,
            ...historyKeymap,
            indentWithTab,
            ...defaultKeymap,
          ]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !this.#isSetting) onType(update.state.doc.toString());
          }),
          codeTheme,
          scriptTheme,
        ],
      }),
    });
  }

  /** Shows a source that was not typed here. */
  show(source: string): void {
    const { state } = this.#view;
    if (state.doc.toString() === source) return;
    this.#isSetting = true;
    this.#view.dispatch({ changes: { from: 0, to: state.doc.length, insert: source } });
    this.#isSetting = false;
  }

  /** Puts a source in as if it was typed: one undo takes it back. */
  replace(source: string): void {
    this.#view.dispatch({
      changes: { from: 0, to: this.#view.state.doc.length, insert: source },
      userEvent: 'input.paste',
    });
    this.#view.focus();
  }

  mark(failure: ScriptMark | undefined): void {
    const { state } = this.#view;
    if (failure === undefined) {
      this.#view.dispatch(setDiagnostics(state, []));
      return;
    }
    const line = state.doc.line(Math.min(state.doc.lines, Math.max(1, failure.line)));
    const from = Math.min(line.to, line.from + Math.max(0, (failure.column ?? 1) - 1));
    const word = /^[\w$]+/.exec(state.doc.sliceString(from, line.to))?.[0].length ?? 0;
    const to = word > 0 ? from + word : line.to;
    this.#view.dispatch(setDiagnostics(state, [{ from, to, severity: 'error', message: failure.message }]));
  }

  /** Puts the cursor on a line. */
  open(line: number): void {
    const { doc } = this.#view.state;
    const { from } = doc.line(Math.min(doc.lines, Math.max(1, line)));
    this.#view.dispatch({ selection: { anchor: from }, scrollIntoView: true });
    this.#view.focus();
  }

  destroy(): void {
    this.#view.destroy();
  }
}
