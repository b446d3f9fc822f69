// The query editor: CodeMirror in a shadow tree, where a strict Content-Security-Policy permits its style sheets.
import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  completionStatus,
  selectedCompletionIndex,
  setSelectedCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { lintKeymap, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view';
import type { Language, Sandbox } from '../service/listing.ts';
import { EDITOR_LOOK } from './editor-theme.ts';
import type { ErrorRange } from './error-ranges.ts';
import { lqlLanguage } from './lql-language.ts';
import { sqlLanguage } from './sql-language.ts';

export interface EditorOptions {
  readonly language: Language;
  readonly sandbox: Sandbox;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onRun: (isFresh: boolean) => void;
}

export interface Editor {
  /** Replaces the document if it differs. */
  setText(text: string): void;
  /** Replaces the names that completion offers. */
  setSandbox(sandbox: Sandbox): void;
  mark(ranges: readonly ErrorRange[]): void;
  /** Inserts text at the cursor. */
  insert(text: string): void;
  focus(): void;
  close(): void;
}

const PLACEHOLDERS: Readonly<Record<Language, string>> = {
  sql: 'SELECT … FROM … (Ctrl+Space: completion, Tab: accept)',
  lql: 'error t:last@1h m.response.status_code:>=500 (Ctrl+Space: completion, Tab: accept)',
};

export function createEditor(host: HTMLElement, options: EditorOptions): Editor {
  const names = new Compartment();
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const state = EditorState.create({
    doc: options.text,
    extensions: [names.of(vocabularyOf(options)), extensionsOf(options)],
  });
  const view = new EditorView({ state, parent: root, root });
  return {
    setText: (next) => {
      const { doc } = view.state;
      if (doc.toString() !== next) view.dispatch({ changes: { from: 0, to: doc.length, insert: next } });
    },
    setSandbox: (sandbox) =>
      view.dispatch({ effects: names.reconfigure(vocabularyOf({ ...options, sandbox })) }),
    mark: (ranges) => {
      const length = view.state.doc.length;
      const inside = ranges.filter(({ to }) => to <= length);
      view.dispatch(
        setDiagnostics(
          view.state,
          inside.map((range) => ({ ...range, severity: 'error' })),
        ),
      );
    },
    insert: (next) => {
      view.dispatch(view.state.replaceSelection(next), { userEvent: 'input' });
      view.focus();
    },
    focus: () => view.focus(),
    close: () => view.destroy(),
  };
}

function vocabularyOf({ language, sandbox }: Pick<EditorOptions, 'language' | 'sandbox'>): Extension {
  return language === 'sql' ? sqlLanguage(sandbox) : lqlLanguage(sandbox);
}

function extensionsOf({ language, onText, onRun }: EditorOptions): Extension {
  const run = (isFresh: boolean) => () => {
    onRun(isFresh);
    return true;
  };
  return [
    keymap.of([
      { key: 'Mod-Enter', run: run(false), shift: run(true) },
      { key: 'Tab', run: acceptFirst },
    ]),
    keymap.of([...closeBracketsKeymap, ...completionKeymap]),
    keymap.of([...lintKeymap, ...historyKeymap, ...defaultKeymap]),
    lineNumbers(),
    history(),
    drawSelection(),
    bracketMatching(),
    closeBrackets(),
    replaceSelectionOnInput,
    EditorView.lineWrapping,
    EditorState.tabSize.of(2),
    // Nothing is preselected, so Enter starts a new line unless an arrow key has selected a completion.
    autocompletion({ icons: false, maxRenderedOptions: 60, selectOnOpen: false }),
    placeholder(PLACEHOLDERS[language]),
    EditorView.contentAttributes.of({ 'aria-label': `Your ${language.toUpperCase()}`, spellcheck: 'false' }),
    EDITOR_LOOK,
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) onText(state.doc.toString());
    }),
  ];
}

/** Accepts the selected completion, or the first. Without an open list, Tab moves the focus as usual. */
function acceptFirst(view: EditorView): boolean {
  if (completionStatus(view.state) === null) return false;
  if ((selectedCompletionIndex(view.state) ?? -1) < 0) view.dispatch({ effects: setSelectedCompletion(0) });
  acceptCompletion(view);
  return true; // a list that is still opening must not move the focus out of the editor
}

/**
 * Typing over a selection is applied here: left to the browser, Chromium copies the deleted text's colors into a style
 * attribute, which the Content-Security-Policy blocks.
 */
const replaceSelectionOnInput = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { main } = view.state.selection;
    const { data } = event;
    if (event.inputType !== 'insertText' || data === null || main.empty || view.composing) return false;
    event.preventDefault();
    const insert = () => view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type' });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, main.from, main.to, data, insert))) view.dispatch(insert());
    return true;
  },
});
