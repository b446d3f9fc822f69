// The filter of a log view: LQL that can be edited, and its clauses, each of which can be removed.
import { useEffect, useId, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { Visible } from '../parts/visible.tsx';
import { hintOf, sentence, type Problem } from '../service/problem.ts';
import type { FilterActions } from './filter-buttons.tsx';
import { partsOf, remove } from './lql-edit.ts';

interface Props extends FilterActions {
  /** Why the filter was rejected. */
  readonly problem: Problem | undefined;
}

export function LogFilter({ filter, onFilter, problem }: Props) {
  const id = useId();
  const [text, setText] = useState(filter);
  useEffect(() => setText(filter), [filter]);
  const isRejected = problem !== undefined && isOfFilter(problem);
  return (
    <div class="log-filter">
      <label class="visually-hidden" for={id}>
        Filter, in LQL
      </label>
      <div class="log-filter-field">
        <Icon name="search" />
        <input
          id={id}
          class="input mono"
          type="text"
          autocomplete="off"
          spellcheck={false}
          placeholder={'error -timeout m.status:>=500   (LQL; Enter applies it)'}
          value={text}
          aria-invalid={isRejected}
          aria-describedby={isRejected ? `${id}-problem` : undefined}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.isComposing || event.ctrlKey || event.metaKey) return;
            event.preventDefault();
            onFilter(text.trim());
          }}
          onBlur={() => text.trim() !== filter && onFilter(text.trim())}
        />
      </div>
      {isRejected && (
        <p class="field-error" id={`${id}-problem`} role="alert">
          <Icon name="warn" />
          {sentence(problem.errors[0]?.message ?? problem.detail)} {hintOf(problem)}
        </p>
      )}
      <Clauses filter={filter} onFilter={onFilter} />
    </div>
  );
}

/** Whether the problem is about the text of the filter, and not about a parameter. */
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
