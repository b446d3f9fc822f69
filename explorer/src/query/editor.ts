// The query editor: CodeMirror in a shadow tree, where a strict Content-Security-Policy permits its style sheets.
import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view';
import type { Language, Sandbox } from '../service/listing.ts';
import { EDITOR_LOOK } from './editor-theme.ts';
import { lqlLanguage } from './lql-language.ts';
import type { Marked } from './places.ts';
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
  mark(places: readonly Marked[]): void;
  /** Inserts text at the cursor. */
  insert(text: string): void;
  focus(): void;
  close(): void;
}

const PLACEHOLDERS: Readonly<Record<Language, string>> = {
  sql: 'SELECT … FROM … — Ctrl Space completes',
  lql: 'error t:last@1h m.response.status_code:>=500 — Ctrl Space completes',
};

export function createEditor(host: HTMLElement, options: EditorOptions): Editor {
  const { language, sandbox, text, onText, onRun } = options;
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const run = (isFresh: boolean) => () => {
    onRun(isFresh);
    return true;
  };
  const extensions = [
    keymap.of([{ key: 'Mod-Enter', run: run(false), shift: run(true) }]),
    keymap.of([...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
    lineNumbers(),
    history(),
    drawSelection(),
    bracketMatching(),
    EditorView.lineWrapping,
    EditorState.tabSize.of(2),
    autocompletion({ icons: false, maxRenderedOptions: 60 }),
    placeholder(PLACEHOLDERS[language]),
    EditorView.contentAttributes.of({ 'aria-label': `Your ${language.toUpperCase()}`, spellcheck: 'false' }),
    language === 'sql' ? sqlLanguage(sandbox) : lqlLanguage(sandbox),
    EDITOR_LOOK,
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) onText(state.doc.toString());
    }),
  ];
  const view = new EditorView({ state: EditorState.create({ doc: text, extensions }), parent: root, root });
  return {
    setText: (next) => {
      const { doc } = view.state;
      if (doc.toString() !== next) view.dispatch({ changes: { from: 0, to: doc.length, insert: next } });
    },
    mark: (places) => {
      const length = view.state.doc.length;
      const inside = places.filter(({ to }) => to <= length);
      view.dispatch(
        setDiagnostics(
          view.state,
          inside.map((place) => ({ ...place, severity: 'error' })),
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
