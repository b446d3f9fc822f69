// The side of a log view: its facets.
import { LogFacets } from './log-facets.tsx';
import { canSendSql } from './questions.ts';
import type { Logs } from './use-logs.ts';

export function LogSide({ logs }: { readonly logs: Logs }) {
  const { filter, onFilter, question } = logs;
  const facets = logs.store.facets.value;
  return (
    <nav class="logs-side" aria-label="Facets">
      {!canSendSql(question) && (
        <p class="note">Facets need SQL, which this endpoint or your key does not allow.</p>
      )}
      <LogFacets facets={facets.value ?? []} {...{ question, filter, onFilter }} />
    </nav>
  );
}
