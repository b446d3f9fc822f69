// The side of a log view: its facets.
import { LogFacets } from './log-facets.tsx';
import type { LayoutProps } from './log-layout.ts';
import { canSendSql } from './questions.ts';
import { SideFold } from './side-fold.tsx';
import type { Logs } from './use-logs.ts';

interface LogSideProps extends LayoutProps {
  readonly logs: Logs;
}

export function LogSide({ logs, ...layout }: LogSideProps) {
  const { filter, onFilter, question } = logs;
  const facets = logs.store.facets.value;
  return (
    <SideFold {...layout}>
      {!canSendSql(question) && (
        <p class="note">Facets need SQL, which this endpoint or your key does not allow.</p>
      )}
      <LogFacets facets={facets.value ?? []} {...{ question, filter, onFilter }} />
    </SideFold>
  );
}
