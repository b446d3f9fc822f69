// The facets of a log view: the most frequent values of fields, with the number of rows of each.
import type { Ask, Client } from '../service/client.ts';
import type { Json, Row } from '../service/json.ts';
import { fieldOf, type FieldKind } from './fields.ts';
import { withoutPath, type Target } from './lql-edit.ts';
import { basisOf, outerWhere, sqlAsk, type Basis, type LogQuestion } from './questions.ts';
import { sqlString } from './sql.ts';
import { tableOf } from './view.ts';

export interface Facet {
  readonly target: Target;
  readonly values: readonly FacetValue[];
  /** It is true if there may be further values. */
  readonly hasMore: boolean;
}

export interface FacetValue {
  /** As `include` and `exclude` expect it. */
  readonly value: Json;
  readonly rows: number;
}

const VALUES = 10;
const FOUND = 50;

/** One query for all facets; undefined if the view has none. `sql` is the explained basis; `search` is in the values, in any case. */
function facetsOf(question: LogQuestion, basis: Basis, sql: string, search = ''): Ask | undefined {
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
  const limit = limitOf(question, endpoint.max_rows, search === '' ? VALUES : FOUND);
  const text = [
    'SELECT pair.1 AS facet, pair.2 AS value, count() AS rows',
    `FROM (\nSELECT arrayJoin(${pairs.length > 1 ? `arrayConcat(${pairs.join(', ')})` : pairs[0]}) AS pair`,
    `FROM (\n${sql}\n)`,
    ...outerWhere(question),
    ')',
    ...(search === ''
      ? []
      : [`WHERE positionCaseInsensitiveUTF8(ifNull(pair.2, ''), ${sqlString(search)}) > 0`]),
    'GROUP BY facet, value',
    'ORDER BY facet, rows DESC, value',
    `LIMIT ${limit} BY facet`,
  ].join('\n');
  return sqlAsk(question, text);
}

/** The facets of the rows of the response, in the order of the view. */
function readFacets(question: LogQuestion, rows: readonly Row[], search = ''): readonly Facet[] {
  const most = search === '' ? VALUES : FOUND;
  const limit = limitOf(question, question.endpoint.max_rows, most);
  return question.view.facets.map((path, index) => {
    const kind = kindOf(question, path);
    const own = rows.filter((row) => Number(row['facet']) === index);
    const values = own.map((row) => ({ value: valueOf(row['value'], kind), rows: Number(row['rows']) }));
    return {
      target: targetOfFacet(question, path),
      values: values.slice(0, most),
      hasMore: own.length >= limit,
    };
  });
}

/** One more than are shown, as far as `max_rows` allows. */
function limitOf({ view }: LogQuestion, maxRows: number, most: number): number {
  return Math.max(1, Math.min(most + 1, Math.floor(maxRows / view.facets.length)));
}

function targetOfFacet(question: LogQuestion, path: string): Target {
  return { path, isElement: kindOf(question, path) === 'array' };
}

export interface FacetCalls {
  readonly explain: (ask: Ask) => Promise<string>;
  readonly run: (ask: Ask) => Promise<{ readonly rows: readonly Row[] }>;
}

export function facetCalls(client: Client, key: string, signal: AbortSignal): FacetCalls {
  return {
    explain: async (ask) => (await client.explain(key, ask, signal)).sql,
    run: (ask) => client.run(key, ask, { signal, isFresh: false }),
  };
}

/**
 * The facets of the view in its order. One whose values the filter chooses counts the rows without this choice, so that its
 * other values stay: it has a query of its own. `sql` is the explained basis of the question.
 */
export async function loadFacets(
  question: LogQuestion,
  sql: Promise<string>,
  calls: FacetCalls,
): Promise<readonly Facet[]> {
  const { facets } = question.view;
  const alone = facets.map((path) => withoutChoice(question, path));
  const free = facets.filter((_, index) => alone[index]?.lql === question.lql);
  const shared = { ...question, view: { ...question.view, facets: free } };
  const ask = facetsOf(shared, basisOf(question), await sql);
  const together = ask === undefined ? [] : calls.run(ask).then(({ rows }) => readFacets(shared, rows));
  const apart = alone.filter(({ lql }) => lql !== question.lql).map((each) => loadAlone(each, calls));
  const found = (await Promise.all([together, ...apart])).flat();
  return facets.flatMap((path) => found.find(({ target }) => target.path === path) ?? []);
}

/** The values of one facet that contain the text. */
export async function searchFacet(
  question: LogQuestion,
  { path, search }: { readonly path: string; readonly search: string },
  calls: FacetCalls,
): Promise<Facet | undefined> {
  return (await loadAlone(withoutChoice(question, path), calls, search))[0];
}

async function loadAlone(
  question: LogQuestion,
  { explain, run }: FacetCalls,
  search = '',
): Promise<readonly Facet[]> {
  const basis = basisOf(question);
  const ask = facetsOf(question, basis, await explain(basis.ask), search);
  return ask === undefined ? [] : readFacets(question, (await run(ask)).rows, search);
}

/** The question about this facet alone, without the values that the filter chooses for it. */
function withoutChoice(question: LogQuestion, path: string): LogQuestion {
  const lql = withoutPath(question.lql, targetOfFacet(question, path));
  return { ...question, lql, view: { ...question.view, facets: [path] } };
}

function kindOf({ view, endpoint }: LogQuestion, path: string): FieldKind {
  const table = tableOf(view, endpoint);
  return (table && fieldOf(table, path))?.kind ?? 'dynamic';
}

/** A value of a field, of its text in a response. */
export function facetValue(question: LogQuestion, path: string, text: Json | undefined): Json {
  return valueOf(text, kindOf(question, path));
}

/** A value as its field has it: numbers and booleans are compared as such. */
function valueOf(text: Json | undefined, kind: FieldKind): Json {
  if (typeof text !== 'string') return null;
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  const number = Number(text);
  return kind === 'number' && String(number) === text ? number : text;
}
