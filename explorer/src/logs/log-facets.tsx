// Facets: the most frequent values of fields. A value is included or excluded by a clause of the filter.
import type { Json } from '../service/json.ts';
import { preview, printJson } from '../service/json.ts';
import { Visible } from '../parts/visible.tsx';
import type { Facet } from './facets.ts';
import { exclude, include, remove, stateOf, unfilterable, type Target } from './lql-edit.ts';
import { clausesOf } from './lql-clauses.ts';

export interface FilterActions {
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
}

const MAX_TEXT = 120;

export function LogFacets({ facets, ...actions }: FilterActions & { readonly facets: readonly Facet[] }) {
  return (
    <div class="log-facets">
      {facets.map((facet) => (
        <details key={facet.target.path} open>
          <summary class="mono" title={facet.target.path}>
            <Visible text={facet.target.path.replace(/^metadata\./, '')} />
          </summary>
          <ul aria-label={`Values of ${facet.target.path}`}>
            {facet.values.map(({ value, rows }) => (
              <li key={printJson(value)}>
                <FacetValue target={facet.target} value={value} rows={rows} {...actions} />
              </li>
            ))}
          </ul>
          {facet.hasMore && <p class="note">There are more values: filter to find them.</p>}
          {facet.values.length === 0 && <p class="note">No rows.</p>}
        </details>
      ))}
    </div>
  );
}

interface ValueProps extends FilterActions {
  readonly target: Target;
  readonly value: Json;
  readonly rows: number;
}

function FacetValue({ target, value, rows, ...actions }: ValueProps) {
  const text = value === null ? 'no value' : preview(value, MAX_TEXT) || 'empty';
  return (
    <div class="facet-value" data-state={stateOf(actions.filter, target, value)}>
      <span class="facet-text mono" data-kind={value === null || value === '' ? 'null' : 'text'} title={text}>
        <Visible text={text} />
      </span>
      <span class="facet-count">{rows.toLocaleString('en')}</span>
      <FilterButtons target={target} value={value} text={text} {...actions} />
    </div>
  );
}

interface ButtonsProps extends FilterActions {
  readonly target: Target;
  readonly value: Json;
  /** The value in short. */
  readonly text: string;
}

/** Include and exclude; what is in the filter already is pressed, and removed by a second click. */
export function FilterButtons({ target, value, text, filter, onFilter }: ButtonsProps) {
  const reason = unfilterable(target, value);
  if (reason !== undefined)
    return (
      <span class="filter-none" title={`No filter: ${reason}`}>
        <span aria-hidden="true">∅</span>
        <span class="visually-hidden">No filter: {reason}</span>
      </span>
    );
  const state = stateOf(filter, target, value);
  const name = `${target.path} ${text}`;
  return (
    <span class="filter-buttons">
      <button
        type="button"
        aria-pressed={state === 'included'}
        aria-label={`Only rows with ${name}`}
        title="Only rows with this value"
        onClick={() => onFilter(state === 'included' ? without() : include(filter, target, value))}
      >
        +
      </button>
      <button
        type="button"
        aria-pressed={state === 'excluded'}
        aria-label={`No rows with ${name}`}
        title="No rows with this value"
        onClick={() => onFilter(state === 'excluded' ? without() : exclude(filter, target, value))}
      >
        −
      </button>
    </span>
  );

  /** The filter without the clauses that are about the value. */
  function without(): string {
    return clausesOf(filter)
      .filter((clause) => stateOf(filter.slice(clause.start, clause.end), target, value) !== undefined)
      .reduceRight((left, clause) => remove(left, clause), filter);
  }
}
