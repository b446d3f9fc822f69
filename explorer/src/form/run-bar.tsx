// Run and cancel buttons, and the history of requests made in this tab.
import { useRef } from 'preact/hooks';
import type { Endpoint } from '../service/listing.ts';
import { useExplorer } from '../state/context.ts';
import { Icon } from '../parts/icon.tsx';
import { MODIFIER } from '../parts/modifier.ts';

export function RunBar({ endpoint }: { readonly endpoint: Endpoint }) {
  const { run, start, cancel } = useExplorer();
  const isRunning = run.value.kind === 'running';
  return (
    <div class="run-bar">
      <History />
      {endpoint.cache !== null && (
        <button
          type="button"
          class="button"
          disabled={isRunning}
          title={`Run the query even if a cached response exists (Shift ${MODIFIER} ↵)`}
          onClick={() => void start({ isFresh: true })}
        >
          <Icon name="again" /> <span class="run-bar-words">Bypass cache</span>
        </button>
      )}
      {isRunning ? (
        <button type="button" class="button run cancel" onClick={cancel}>
          <Icon name="stop" /> Cancel <kbd>Esc</kbd>
        </button>
      ) : (
        <button type="button" class="button primary run" onClick={() => void start()}>
          <Icon name="play" /> Run <kbd>{MODIFIER} ↵</kbd>
        </button>
      )}
    </div>
  );
}

function History() {
  const { past, recall } = useExplorer();
  const details = useRef<HTMLDetailsElement>(null);
  if (past.value.length === 0)
    // The button is as wide as with requests, so that the buttons beside it do not move.
    return (
      <button type="button" class="button" disabled>
        <Icon name="history" /> History <span class="count">0</span>
      </button>
    );
  const close = (): void => details.current?.removeAttribute('open');
  return (
    <details
      class="menu"
      ref={details}
      onKeyDown={(event) => event.key === 'Escape' && close()}
      onFocusOut={(event) => {
        if (event.relatedTarget instanceof Node && !details.current?.contains(event.relatedTarget)) close();
      }}
    >
      <summary class="button">
        <Icon name="history" /> History <span class="count">{past.value.length}</span>
      </summary>
      <ol class="menu-body" aria-label="Requests of this tab, newest first">
        {past.value.map((each) => {
          const { address, outcome, isFine, at } = each;
          const text =
            address.query === 'saved'
              ? Object.values(address.parameters).join(' ')
              : address.texts[address.query];
          return (
            <li key={at}>
              <button type="button" class="past" data-fine={isFine} onClick={() => (close(), recall(each))}>
                <span class="past-name mono">{address.endpoint}</span>
                <span class="past-text mono">{text}</span>
                <span class="past-outcome">
                  <time>{new Date(at).toISOString().slice(11, 16)} UTC</time> {outcome}
                </span>
              </button>
            </li>
          );
        })}
      </ol>
    </details>
  );
}
