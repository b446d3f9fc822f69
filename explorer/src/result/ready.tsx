// Shows before the first run what is missing, or else a button, and the columns that will come.
import type { Endpoint } from '../service/listing.ts';
import { Icon } from '../parts/icon.tsx';
import { Visible } from '../parts/visible.tsx';
import { useExplorer } from '../state/context.ts';
import { missingOf } from '../state/navigation.ts';

const MAX_COLUMNS = 40;

export function Ready({ endpoint }: { readonly endpoint: Endpoint }) {
  const { address, start } = useExplorer();
  const missing = missingOf(endpoint, address.value);
  // The columns of a query that the visitor writes are not known.
  const columns = address.value.query === 'saved' ? (endpoint.columns ?? []) : [];
  return (
    <div class="ready" role="status">
      {missing.length === 0 ? (
        <>
          <h2>Ready</h2>
          <button type="button" class="button primary" onClick={() => void start()}>
            <Icon name="play" /> Run the request
          </button>
        </>
      ) : (
        <>
          <h2>Almost ready</h2>
          <p>
            Fill in <span class="mono">{missing.join(', ')}</span>, then run the request.
          </p>
        </>
      )}
      {columns.length > 0 && (
        <>
          <p>These columns will come:</p>
          <ul class="ready-columns" aria-label="Columns of the result">
            {columns.slice(0, MAX_COLUMNS).map(({ name, type }) => (
              <li key={name} class="mono">
                <Visible text={name} /> <span class="note">{type.slice(0, 40)}</span>
              </li>
            ))}
          </ul>
          {columns.length > MAX_COLUMNS && (
            <p>and {(columns.length - MAX_COLUMNS).toLocaleString('en')} more</p>
          )}
        </>
      )}
    </div>
  );
}
