// Shows the text of a value of a row: JSON is formatted, and what the filter searches for is marked.
import { useMemo, useState } from 'preact/hooks';
import { Marked } from '../parts/marked.tsx';
import { placesOf } from '../parts/places.ts';
import { coloredJson } from '../result/json-view.tsx';
import { TEXT_SLICE } from '../result/tree.ts';
import { isNested, printJson } from '../service/json.ts';
import { matchesOf } from './matches.ts';
import { parsedOf } from './message.ts';
import type { Leaf } from './row-values.ts';

interface RowValueProps {
  readonly value: Leaf['value'];
  readonly text: string;
  /** The text that the filter searches for is marked. */
  readonly filter: string;
}

/** JSON in a text is formatted; *As sent* shows it as it is. */
export function RowValue({ value, text, filter }: RowValueProps) {
  const [limit, setLimit] = useState(TEXT_SLICE);
  const [isRaw, setRaw] = useState(false);
  const json = useMemo(() => (typeof value === 'string' ? parsedOf(value) : undefined), [value]);
  const isJson = isNested(json);
  const shown = isJson && !isRaw ? printJson(json, '  ') : text;
  const part = shown.slice(0, limit);
  return (
    <span class="leaf-value" data-kind={value === null ? 'null' : typeof value}>
      {isJson && !isRaw ? (
        coloredJson(part)
      ) : (
        <Marked text={part} places={placesOf(part, matchesOf(filter))} />
      )}
      {shown.length > limit && (
        <button type="button" class="chip small more" onClick={() => setLimit(limit * 5)}>
          {(shown.length - limit).toLocaleString('en')} more characters
        </button>
      )}
      {isJson && (
        <button type="button" class="chip small more" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
          As sent
        </button>
      )}
    </span>
  );
}
