// The filter of a log view: LQL that can be edited, and its clauses, each of which can be removed.
import { useId, useMemo } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { Visible } from '../parts/visible.tsx';
import { counted } from '../parts/words.ts';
import type { LqlWords } from '../query/lql-completion.ts';
import type { Table } from '../service/listing.ts';
import { hintOf, sentence, type Problem } from '../service/problem.ts';
import type { FilterActions } from './filter-buttons.tsx';
import { LqlField } from './lql-field.tsx';
import { partsOf, remove } from './lql-edit.ts';
import type { Logs } from './use-logs.ts';

interface LogFilterProps {
  readonly logs: Logs;
  readonly table: Table;
}

export function LogFilter({ logs, table }: LogFilterProps) {
  const { filter, onFilter, store } = logs;
  const { problem } = store.rows.value;
  const id = useId();
  const facets = store.facets.value.value;
  const words = useMemo<LqlWords>(
    () => ({
      table,
      tables: [],
      valuesOf: (path) =>
        (facets?.find(({ target }) => target.path === path)?.values ?? []).map(({ value, rows }) => ({
          value,
          detail: counted(rows, 'row'),
        })),
    }),
    [table, facets],
  );
  const isRejected = problem !== undefined && isOfFilter(problem);
  return (
    <div class="log-filter">
      <label class="visually-hidden" for={id}>
        Filter, in LQL
      </label>
      <LqlField
        id={id}
        value={filter}
        words={words}
        isInvalid={isRejected}
        describedBy={isRejected ? `${id}-problem` : undefined}
        onApply={onFilter}
      />
      {isRejected && (
        <p class="field-error" id={`${id}-problem`} role="alert">
          <Icon name="warn" />
          {sentence(problem.errors[0]?.message ?? problem.detail)} {hintOf(problem)}
        </p>
      )}
      <button type="button" class="button small log-skip" onClick={skipToRows}>
        Skip to the rows
      </button>
      <Clauses filter={filter} onFilter={onFilter} />
    </div>
  );
}

function skipToRows(): void {
  document.querySelector<HTMLElement>('.log-rows, .log-empty button')?.focus();
}

/** Returns whether the problem is about the text of the filter, and not about a parameter. */
export function isOfFilter({ status, errors }: Problem): boolean {
  return status === 400 && errors.every(({ parameter }) => parameter === undefined);
}

function Clauses({ filter, onFilter }: FilterActions) {
  const clauses = partsOf(filter);
  if (clauses.length === 0) return null;
  return (
    <ul class="log-clauses" aria-label="Clauses of the filter">
      {clauses.map((clause) => {
        const text = filter.slice(clause.start, clause.end);
        return (
          <li key={clause.start} class="mono">
            <Visible text={text.slice(0, 80)} />
            <button
              type="button"
              aria-label={`Remove ${text}`}
              onClick={() => onFilter(remove(filter, clause))}
            >
              ×
            </button>
          </li>
        );
      })}
    </ul>
  );
}
