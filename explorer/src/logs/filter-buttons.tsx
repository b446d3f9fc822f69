// Buttons beside a value: only rows with it, no rows with it, and a facet of its field.
import { useContext } from 'preact/hooks';
import type { Json } from '../service/json.ts';
import { FacetContext } from './facet-choice.ts';
import { drop, exclude, include, stateOf, unfilterable, type Target } from './lql-edit.ts';

export interface FilterActions {
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
}

interface ButtonsProps extends FilterActions {
  readonly target: Target;
  readonly value: Json;
  /** The value in short. */
  readonly text: string;
}

/** A button whose value is in the filter is pressed, and a second click removes the value. */
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
        onClick={() =>
          onFilter(state === 'included' ? drop(filter, target, value) : include(filter, target, value))
        }
      >
        +
      </button>
      <button
        type="button"
        aria-pressed={state === 'excluded'}
        aria-label={`No rows with ${name}`}
        title="No rows with this value"
        onClick={() =>
          onFilter(state === 'excluded' ? drop(filter, target, value) : exclude(filter, target, value))
        }
      >
        −
      </button>
      <FacetButton path={target.path} />
    </span>
  );
}

function FacetButton({ path }: { readonly path: string }) {
  const fields = useContext(FacetContext);
  if (fields === undefined || fields.paths.includes(path)) return null;
  return (
    <button
      type="button"
      aria-label={`Add a facet of ${path}`}
      title="Add a facet of this field"
      onClick={() => fields.add(path)}
    >
      ≡
    </button>
  );
}
