// Facets: the most frequent values of fields, each with its rows. Checked values are joined by OR in the filter.
import { useContext, useState } from 'preact/hooks';
import { Visible } from '../parts/visible.tsx';
import { counted } from '../parts/words.ts';
import { preview, printJson, type Json } from '../service/json.ts';
import { FacetContext } from './facet-choice.ts';
import type { Facet, FacetValue } from './facets.ts';
import { FilterButtons, type FilterActions } from './filter-buttons.tsx';
import { add, chosenValues, drop, stateOf, unfilterable, withoutPath, type Target } from './lql-edit.ts';
import type { LogQuestion } from './questions.ts';
import { useFacetSearch } from './use-facet-search.ts';

interface FacetsProps extends FilterActions {
  readonly facets: readonly Facet[];
  readonly question: LogQuestion;
}

const MAX_TEXT = 120;
/** Fewer are found at a glance. */
const SEARCHED = 6;

export function LogFacets({ facets, ...rest }: FacetsProps) {
  return (
    <div class="log-facets">
      {facets.map((facet) => (
        <FacetGroup key={facet.target.path} facet={facet} {...rest} />
      ))}
    </div>
  );
}

interface GroupProps extends FilterActions {
  readonly facet: Facet;
  readonly question: LogQuestion;
}

function FacetGroup({ facet, question, ...actions }: GroupProps) {
  const [search, setSearch] = useState('');
  const { found, isSearching, hasFailed } = useFacetSearch(question, facet, search);
  const { target } = facet;
  const values = search === '' ? withChosen(facet, actions.filter) : found.values;
  const most = Math.max(1, ...values.map(({ rows }) => rows));
  const isLong = facet.hasMore || facet.values.length > SEARCHED;
  return (
    <details open>
      <summary class="mono" title={target.path}>
        <Visible text={target.path.replace(/^metadata\./, '')} />
        <FacetTools target={target} {...actions} />
      </summary>
      {isLong && (
        <input
          class="input facet-search"
          type="search"
          placeholder="Search values"
          aria-label={`Search the values of ${target.path}`}
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      <ul aria-label={`Values of ${target.path}`} aria-busy={isSearching}>
        {values.map((each) => (
          <li key={printJson(each.value)}>
            <FacetLine target={target} {...each} share={each.rows / most} {...actions} />
          </li>
        ))}
      </ul>
      {search === '' && facet.hasMore && <p class="note">There are more values: search for them.</p>}
      {search !== '' && !isSearching && (
        <p class="note" role="status">
          {hasFailed && 'The search failed: these are the most frequent values. '}
          {values.length === 0 ? 'No value contains this.' : counted(values.length, 'value')}
          {found.hasMore ? ', and more' : ''}
        </p>
      )}
      {facet.values.length === 0 && <p class="note">No rows.</p>}
    </details>
  );
}

/** Values that the filter has are listed, even if no row has them. */
function withChosen({ target, values }: Facet, filter: string): readonly FacetValue[] {
  const listed = new Set(values.map(({ value }) => textOf(value)));
  const others = chosenValues(filter, target).filter((value) => !listed.has(textOf(value)));
  return [...values, ...others.map((value) => ({ value, rows: 0 }))];
}

/** 5 and "5" are the same to a filter, null and "null" are not. */
function textOf(value: Json): string | null {
  return value === null ? null : preview(value, Infinity);
}

/** The tools are in the summary, so that they are visible while the facet is folded. */
function FacetTools({ target, filter, onFilter }: FilterActions & { readonly target: Target }) {
  const fields = useContext(FacetContext);
  const rest = withoutPath(filter, target);
  return (
    // A click on the summary would fold the facet.
    <span class="facet-tools" onClick={(event) => event.preventDefault()}>
      {rest !== filter && (
        <button
          type="button"
          class="chip small"
          aria-label={`Clear the choice of ${target.path}`}
          onClick={() => onFilter(rest)}
        >
          clear
        </button>
      )}
      {fields?.isAdded(target.path) === true && (
        <button
          type="button"
          class="chip small"
          aria-label={`Remove the facet of ${target.path}`}
          onClick={() => fields.remove(target.path)}
        >
          ×
        </button>
      )}
    </span>
  );
}

interface LineProps extends FilterActions, FacetValue {
  readonly target: Target;
  /** The rows are this share of those of the most frequent value. */
  readonly share: number;
}

function FacetLine({ target, value, rows, share, filter, onFilter }: LineProps) {
  const text = value === null ? 'no value' : preview(value, MAX_TEXT) || 'empty';
  const state = stateOf(filter, target, value);
  const isIncluded = state === 'included';
  return (
    <div class="facet-value" data-state={state} style={{ '--share': `${(share * 100).toFixed(1)}%` }}>
      <label>
        <input
          type="checkbox"
          checked={isIncluded}
          disabled={unfilterable(target, value) !== undefined}
          aria-label={`Rows with ${target.path} ${text}`}
          onChange={() => onFilter(isIncluded ? drop(filter, target, value) : add(filter, target, value))}
        />
        <span
          class="facet-text mono"
          data-kind={value === null || value === '' ? 'null' : 'text'}
          title={text}
        >
          <Visible text={text} />
        </span>
      </label>
      <span class="facet-count">{rows.toLocaleString('en')}</span>
      <FilterButtons target={target} value={value} text={text} filter={filter} onFilter={onFilter} />
    </div>
  );
}
