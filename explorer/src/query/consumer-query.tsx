// The consumer query view: editor, diagnostics, the SQL translation of LQL, and the table browser.
import { useEffect, useRef, useState } from 'preact/hooks';
import { sandboxOf, type Endpoint, type Language } from '../service/listing.ts';
import { hintOf, sentence, type Problem } from '../service/problem.ts';
import { useExplorer } from '../state/context.ts';
import { ENDPOINT_FILE } from '../code/snippets.ts';
import { CopyButton } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import type { Editor } from './editor.ts';
import { layOut } from './layout.ts';
import { markedPlaces } from './places.ts';
import { TableBrowser } from './table-browser.tsx';
import { useCheck, type Check } from './use-check.ts';

interface Props {
  readonly endpoint: Endpoint;
  readonly language: Language;
}

export function OwnQuery({ endpoint, language }: Props) {
  const { address, run, change } = useExplorer();
  const text = address.value.texts[language];
  const check = useCheck(endpoint.name, language, text);
  const [editor, setEditor] = useState<Editor>();
  const ran = run.value.kind === 'failed' && run.value.ask.own?.text === text ? run.value.problem : undefined;
  const problem = ran ?? (check.kind === 'refused' ? check.problem : undefined);
  useEffect(() => editor?.mark(markedPlaces(text, problem?.errors ?? [])), [editor, text, problem]);
  const sandbox = sandboxOf(endpoint);
  if (sandbox === undefined) return null;
  return (
    <div class="own">
      <div class="own-text">
        <EditorPlace {...{ endpoint, language }} onReady={setEditor} />
        <Verdict {...{ check, problem, language }} />
        <div class="own-actions">
          <button
            type="button"
            class="button small"
            onClick={() => change({ view: 'code', code: ENDPOINT_FILE })}
          >
            <Icon name="save" /> Save as endpoint
          </button>
        </div>
      </div>
      <TableBrowser sandbox={sandbox} language={language} onPick={(name) => editor?.insert(name)} />
    </div>
  );
}

/** The editor is a separate chunk, loaded when first needed. */
function EditorPlace({
  endpoint,
  language,
  onReady,
}: Props & { readonly onReady: (editor: Editor | undefined) => void }) {
  const { address, change, start } = useExplorer();
  const host = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<Editor>();
  const text = address.value.texts[language];
  useEffect(() => {
    const { current } = host;
    const sandbox = sandboxOf(endpoint);
    if (current === null || sandbox === undefined) return undefined;
    let open: Editor | undefined;
    let isGone = false;
    const onText = (next: string): void => change({ texts: { ...address.value.texts, [language]: next } });
    const onRun = (isFresh: boolean): void => void start({ isFresh });
    void import('./editor.ts').then(({ createEditor }) => {
      if (isGone) return;
      open = createEditor(current, { language, sandbox, text: address.value.texts[language], onText, onRun });
      setEditor(open);
      onReady(open);
    });
    return () => {
      isGone = true;
      open?.close();
      onReady(undefined);
    };
  }, [endpoint, language]);
  // Read the current text: more may have been typed by the time the effect runs.
  useEffect(() => editor?.setText(address.value.texts[language]), [editor, text]);
  return <div class="editor" ref={host} data-language={language} />;
}

interface VerdictProps {
  readonly check: Check;
  readonly problem: Problem | undefined;
  readonly language: Language;
}

function Verdict({ check, problem, language }: VerdictProps) {
  if (problem !== undefined) {
    const [first] = problem.errors;
    return (
      <p class="verdict bad" role="status">
        <Icon name="warn" />
        <span>
          {first?.line !== undefined && (
            <strong>{`Line ${first.line}, column ${first.column ?? 1}: `}</strong>
          )}
          {sentence(first?.message ?? problem.detail)} {hintOf(problem)}
        </span>
      </p>
    );
  }
  if (language === 'sql') return null;
  const sql = check.kind === 'fine' ? layOut(check.sql) : '';
  const isCurrent = check.kind === 'fine' && check.isCurrent;
  return (
    <details class="becomes" open data-current={isCurrent}>
      <summary>The SQL that it becomes</summary>
      <pre class="mono" tabIndex={0} role="group" aria-label="The SQL that your LQL becomes">
        {sql}
      </pre>
      <CopyButton text={() => sql} what="the SQL" label="Copy SQL" />
    </details>
  );
}
