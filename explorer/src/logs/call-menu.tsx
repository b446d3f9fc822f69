// The calls behind the view: any caller can send them.
import { snippetsOf } from '../code/snippets.ts';
import { CopyButton } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import { PopoverButton } from '../parts/popover-button.tsx';
import type { Ask } from '../service/client.ts';
import { useExplorer } from '../state/context.ts';
import type { Logs } from './use-logs.ts';

interface Props {
  readonly logs: Logs;
}

export function CallMenu({ logs }: Props) {
  return (
    <PopoverButton
      label="Calls behind this view"
      panelClass="log-calls"
      words={
        <>
          <Icon name="copy" /> <span class="wide-words">Calls</span>
        </>
      }
    >
      {() => <CallList logs={logs} />}
    </PopoverButton>
  );
}

export function CallList({ logs: { store, endpoint } }: Props) {
  const { base } = useExplorer();
  const calls: readonly (readonly [string, Ask | undefined])[] = [
    ['Rows', store.rows.value.ask],
    ['Histogram', store.histogram.value.ask],
    ['Facets', store.facets.value.ask],
  ];
  return (
    <>
      {calls.map(([name, ask]) => (
        <section key={name}>
          <h2>{name}</h2>
          {ask === undefined ? (
            <p class="note">No call: the endpoint or the key does not allow the SQL that it needs.</p>
          ) : (
            <>
              <pre class="mono" tabIndex={0} role="region" aria-label={`The query: ${name}`}>
                {ask.own?.text}
              </pre>
              <div class="log-call-copies">
                {snippetsOf({ ask, endpoint, base }).map(({ name: language, label, text }) => (
                  <CopyButton key={language} text={() => text} what={`the call as ${label}`} label={label} />
                ))}
              </div>
            </>
          )}
        </section>
      ))}
    </>
  );
}
