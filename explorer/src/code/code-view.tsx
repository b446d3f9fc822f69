// The current request as code snippets, and a consumer query as an endpoint file.
import { useMemo } from 'preact/hooks';
import type { Endpoint } from '../service/listing.ts';
import { askOf } from '../state/model.ts';
import { useExplorer } from '../state/context.ts';
import { Tabs } from '../parts/tabs.tsx';
import { CodeBlock } from './code-block.tsx';
import { SaveAsEndpoint } from './save-as-endpoint.tsx';
import { ENDPOINT_FILE, snippetsOf } from './snippets.ts';

export function CodeView({ endpoint }: { readonly endpoint: Endpoint }) {
  const { address, base, change } = useExplorer();
  const ask = askOf(address.value);
  const chosen = address.value.code ?? 'curl';
  const snippets = useMemo(() => snippetsOf({ ask, endpoint, base }), [address.value, endpoint, base]);
  const tabs =
    ask.own === undefined ? snippets : [...snippets, { name: ENDPOINT_FILE, label: 'Endpoint file' }];
  const current = tabs.some(({ name }) => name === chosen) ? chosen : 'curl';
  const shown = snippets.find(({ name }) => name === current);
  return (
    <div class="code">
      <div class="code-bar">
        <Tabs
          label="Language"
          tabs={tabs}
          current={current}
          controls="code-panel"
          onChoose={(code) => change({ code })}
        />
      </div>
      <div id="code-panel" role="tabpanel" aria-label={current}>
        {shown === undefined ? (
          <SaveAsEndpoint endpoint={endpoint} />
        ) : (
          <>
            <CodeBlock text={shown.text} label={shown.label} />
            <p class="note code-note">The key is read from the environment: MILLRACE_KEY.</p>
          </>
        )}
      </div>
    </div>
  );
}
