// The consumer query view: editor, dialect, diagnostics, the SQL translation of LQL, and the table browser.
import { useEffect, useState } from 'preact/hooks';
import { sandboxOf, type Endpoint, type Language } from '../service/listing.ts';
import { useExplorer } from '../state/context.ts';
import { ENDPOINT_FILE } from '../code/snippets.ts';
import { Icon } from '../parts/icon.tsx';
import { CheckResult } from './check-result.tsx';
import { DialectSwitch } from './dialect-switch.tsx';
import { EditorHost } from './editor-host.tsx';
import type { Editor } from './editor.ts';
import { errorRanges } from './error-ranges.ts';
import { TableBrowser } from './table-browser.tsx';
import { useCheck } from './use-check.ts';

interface Props {
  readonly endpoint: Endpoint;
  readonly language: Language;
}

export function ConsumerQueryView({ endpoint, language }: Props) {
  const { address, run, change } = useExplorer();
  const text = address.value.texts[language];
  const dialect = language === 'sql' ? address.value.dialect : undefined;
  const check = useCheck(endpoint, { language, text, dialect });
  const [editor, setEditor] = useState<Editor>();
  const { value: last } = run;
  const isOfLastRun =
    last.kind === 'failed' && last.ask.own?.text === text && last.ask.own.dialect === dialect;
  const problem = isOfLastRun ? last.problem : check.kind === 'rejected' ? check.problem : undefined;
  useEffect(() => editor?.mark(errorRanges(text, problem?.errors ?? [])), [editor, text, problem]);
  const sandbox = sandboxOf(endpoint);
  if (sandbox === undefined) return null;
  return (
    <div class="consumer-query">
      <div class="consumer-query-text">
        {language === 'sql' && sandbox.dialects.length > 1 && (
          <DialectSwitch sandbox={sandbox} check={check} />
        )}
        <EditorHost {...{ sandbox, language }} onReady={setEditor} />
        <CheckResult {...{ check, problem, language }} />
        <div class="consumer-query-actions">
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
