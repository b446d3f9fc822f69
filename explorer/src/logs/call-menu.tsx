// The calls behind the view: any caller can send them.
import { snippetsOf } from '../code/snippets.ts';
import { CopyButton } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import type { Ask } from '../service/client.ts';
import { useExplorer } from '../state/context.ts';
import { usePopover } from '../time-range/use-popover.ts';
import type { Logs } from './use-logs.ts';

export function CallMenu({ logs: { store, endpoint } }: { readonly logs: Logs }) {
  const { base } = useExplorer();
  const { isOpen, ...popover } = usePopover();
  const calls: readonly (readonly [string, Ask | undefined])[] = [
    ['Rows', store.rows.value.ask],
    ['Histogram', store.histogram.value.ask],
    ['Facets', store.facets.value.ask],
  ];
  return (
    <div ref={popover.root} onKeyDown={popover.onKeyDown} onFocusOut={popover.onFocusOut}>
      <button
        type="button"
        class="button"
        ref={popover.button}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={popover.toggle}
      >
        <Icon name="copy" /> <span class="wide-words">Calls</span>
      </button>
      {isOpen && (
        <div class="log-menu log-calls" role="dialog" aria-label="Calls behind this view" ref={popover.panel}>
          {calls.map(([name, ask]) => (
            <section key={name}>
              <h3>{name}</h3>
              {ask === undefined ? (
                <p class="note">No call: the endpoint or the key does not allow the SQL that it needs.</p>
              ) : (
                <>
                  <pre class="mono">{ask.own?.text}</pre>
                  <div class="log-call-copies">
                    {snippetsOf({ ask, endpoint, base }).map(({ name: language, label, text }) => (
                      <CopyButton
                        key={language}
                        text={() => text}
                        what={`the call as ${label}`}
                        label={label}
                      />
                    ))}
                  </div>
                </>
              )}
            </section>
          ))}
        </div>
      )}
    </div>
  );
}
