// The side of a log view: its facets.
import { LogFacets } from './log-facets.tsx';
import type { LayoutProps } from './log-layout.ts';
import { canSendSql } from './questions.ts';
import { SideFold } from './side-fold.tsx';
import type { Logs } from './use-logs.ts';
import type { Sheet } from './use-sheet.ts';

interface LogSideProps extends LayoutProps {
  readonly logs: Logs;
  readonly sheet: Sheet;
}

export function LogSide({ logs, sheet, layout, onLayout }: LogSideProps) {
  const { filter, onFilter, question } = logs;
  const facets = logs.store.facets.value;
  return (
    <SideFold
      layout={sheet.isOpen ? { ...layout, isSideFolded: false } : layout}
      onLayout={onLayout}
      sheet={sheet}
    >
      {!canSendSql(question) && (
        <p class="note">Facets need SQL, which this endpoint or your key does not allow.</p>
      )}
      <LogFacets facets={facets.value ?? []} {...{ question, filter, onFilter }} />
    </SideFold>
  );
}
