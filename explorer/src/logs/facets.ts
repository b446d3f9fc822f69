// The facets of a log view: the most frequent values of fields, with the number of rows of each.
import type { Ask } from '../service/client.ts';
import type { Json, Row } from '../service/json.ts';
import { fieldOf, type FieldKind } from './fields.ts';
import type { Target } from './lql-edit.ts';
import { outerWhere, sqlAsk, type Basis, type LogQuestion } from './questions.ts';
import { tableOf } from './view.ts';

export interface Facet {
  readonly target: Target;
  readonly values: readonly FacetValue[];
  /** Whether there may be further values. */
  readonly hasMore: boolean;
}

export interface FacetValue {
  /** As `include` and `exclude` expect it. */
  readonly value: Json;
  readonly rows: number;
}

const VALUES = 10;

/** One query for all facets; undefined if the view has none. `sql` is the explained basis. */
export function facetsOf(question: LogQuestion, basis: Basis, sql: string): Ask | undefined {
  const { view, endpoint } = question;
  if (view.facets.length === 0) return undefined;
  const single: string[] = [];
  const lists: string[] = [];
  for (const [index, path] of view.facets.entries()) {
    const field = basis.expressions.get(path) ?? 'NULL';
    if (kindOf(question, path) === 'array')
      lists.push(`arrayMap(v -> (${index}, CAST(v, 'Nullable(String)')), arrayDistinct(${field}))`);
    else single.push(`(${index}, CAST(${field}, 'Nullable(String)'))`);
  }
  const pairs = [...(single.length > 0 ? [`[${single.join(', ')}]`] : []), ...lists];
  const limit = limitOf(question, endpoint.max_rows);
  const text = [
    'SELECT pair.1 AS facet, pair.2 AS value, count() AS rows',
    `FROM (\nSELECT arrayJoin(${pairs.length > 1 ? `arrayConcat(${pairs.join(', ')})` : pairs[0]}) AS pair`,
    `FROM (\n${sql}\n)`,
    ...outerWhere(question),
    ')',
    'GROUP BY facet, value',
    'ORDER BY facet, rows DESC, value',
    `LIMIT ${limit} BY facet`,
  ].join('\n');
  return sqlAsk(question, text);
}

/** The facets of the rows of the response, in the order of the view. */
export function readFacets(question: LogQuestion, rows: readonly Row[]): readonly Facet[] {
  const limit = limitOf(question, question.endpoint.max_rows);
  return question.view.facets.map((path, index) => {
    const kind = kindOf(question, path);
    const own = rows.filter((row) => Number(row['facet']) === index);
    const values = own.map((row) => ({ value: valueOf(row['value'], kind), rows: Number(row['rows']) }));
    return {
      target: { path, isElement: kind === 'array' },
      values: values.slice(0, VALUES),
      hasMore: own.length >= limit,
    };
  });
}

/** One more than are shown, as far as `max_rows` allows. */
function limitOf({ view }: LogQuestion, maxRows: number): number {
  return Math.max(1, Math.min(VALUES + 1, Math.floor(maxRows / view.facets.length)));
}

function kindOf({ view, endpoint }: LogQuestion, path: string): FieldKind {
  const table = tableOf(view, endpoint);
  return (table && fieldOf(table, path))?.kind ?? 'dynamic';
}

/** A value as its field has it: numbers and booleans are compared as such. */
function valueOf(text: Json | undefined, kind: FieldKind): Json {
  if (typeof text !== 'string') return null;
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  const number = Number(text);
  return kind === 'number' && String(number) === text ? number : text;
}
