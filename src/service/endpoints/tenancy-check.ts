// Checks that an endpoint's queries depend on rows of one tenant only, and reports each source that is not confined.
import type { Codes, PathFinding } from '../../sql/base/finding.ts';
import type { SourceModel } from '../../guard/query/model.ts';
import type { QuerySource } from '../../guard/query/sources.ts';
import type { Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { nodesOf, nameOf, namesOf, spanOf, textOf } from '../../sql/clickhouse/tree/visit.ts';
import type { InspectedFile } from './compile.ts';
import type { AnalysedEndpoint, EndpointQuery, ModelledQuery } from './query-models.ts';
import type { Tenancy } from './tenancy.ts';
import { isTable } from '../../sql/clickhouse/outline.ts';
import type { QueryPlace } from './variant-query.ts';

export const CONFINEMENT_CODES: Codes = {
  'tenancy.not_confined': {
    title: 'A query depends on rows of other tenants',
    help: 'Rows that the tenancy parameter does not select can change the result. Compare a column of the table with the parameter, by AND, before windows, aggregates and LIMIT, and in every branch of UNION; docs/secure/tenancy.md has the rules.',
  },
  'tenancy.not_analysed': {
    title: 'It cannot be determined which rows a query depends on',
    help: 'The message has the reason. The query is treated as one that depends on rows of other tenants.',
  },
};

/** Findings about a file whose queries the engine accepts, from the models of its queries. */
export function findUnconfined(
  inspected: InspectedFile,
  models: readonly ModelledQuery[],
  tenancy: Tenancy,
): readonly PathFinding[] {
  const found = new Map<string, PathFinding>(); // by location: the saved query reads the tables of the sandbox
  for (const { query, result } of models) {
    if ('fault' in result) {
      const place = inspected.analysis.inBound(rangeOf(inspected, query.table).start);
      if (!found.has(keyOf(place))) found.set(keyOf(place), notAnalysed(place, query, result.fault));
      continue;
    }
    for (const source of result.model.sources) {
      if (source.isShared || source.confinedBy.includes(tenancy.parameter)) continue;
      const place = placeOf(inspected, query, source);
      if (!found.has(keyOf(place)))
        found.set(
          keyOf(place),
          notConfined(place, { query, source, tenancy, tree: inspected.analysis.tree }),
        );
    }
  }
  return [...found.values()];
}

function keyOf({ path, offset }: QueryPlace): string {
  return `${path.join('.')} ${offset}`;
}

function notAnalysed(place: QueryPlace, query: EndpointQuery, fault: string): PathFinding {
  return {
    code: 'tenancy.not_analysed',
    ...place,
    message: `cannot determine which rows ${whatReads(query)} depends on: ${fault}`,
    hint: 'Write the query differently, or add an example with values that the query accepts',
  };
}

/** `the query`, or the table of the sandbox. */
export function whatReads({ table }: EndpointQuery): string {
  return table === undefined ? 'the query' : `the table ${table} of the sandbox`;
}

interface Unconfined {
  readonly query: EndpointQuery;
  readonly source: SourceModel;
  readonly tenancy: Tenancy;
  readonly tree: Tree;
}

/** The column that the query compares with the parameter elsewhere. */
function columnBeside(tree: Tree, parameter: string): string | undefined {
  const sides = nodesOf(tree.root, 'binary').map(({ parts }) => parts);
  const found = sides.find((parts) => parts.some((each) => each.kind === 'placeholder' && nameOf(tree, each) === parameter));
  const column = found?.find(({ kind }) => kind === 'column');
  return column && namesOf(tree, column).at(-1);
} // prettier-ignore

function notConfined(place: QueryPlace, { query, source, tenancy, tree }: Unconfined): PathFinding {
  const { name, kind, path } = source;
  const where = path.length === 0 ? '' : `, in ${path.join(', in ')}`;
  const what = name === '' ? 'a source' : name;
  const [column = columnBeside(tree, tenancy.parameter) ?? tenancy.parameter] = tenancy.columns ?? [];
  return {
    code: 'tenancy.not_confined',
    ...place,
    message: `${whatReads(query)} depends on rows of ${what} that @${tenancy.parameter} does not select${where}`,
    hint: `${hintOf(source, `${column} = @${tenancy.parameter}`)}. If ${kind === 'dictionary' ? 'it' : what} has the same rows for every tenant: tenancy: { shared: { ${what}: the reason } }`,
  };
}

function hintOf({ kind, path }: SourceModel, condition: string): string {
  if (kind === 'dictionary') return 'Use a key that contains the parameter, or a column that equals it';
  const last = path.at(-1) ?? '';
  const side = /^the (left|right) side of a (LEFT|RIGHT|FULL)/.exec(last);
  const isOptional = side !== null && side[1] !== side[2]?.toLowerCase();
  const place = isOptional
    ? 'to the condition of the join, or to a subquery,'
    : 'to the WHERE clause of the SELECT that reads it,';
  return `Add AND ${condition} ${place} before any window function, aggregate or LIMIT`;
}

/** The range of the bound query that defines a table, or that of the main SELECT. */
export function rangeOf(
  { candidate: { endpoint } }: AnalysedEndpoint,
  table: string | undefined,
): { readonly start: number; readonly end: number } {
  const { outline, query } = endpoint;
  const element = outline.elements.find((each) => isTable(each) && each.name === table);
  return element ?? { start: outline.mainStart, end: query.length };
}

/** Where the author's query names the source; if that is not found, where the WITH table or the main SELECT begins. */
export function placeOf(
  inspected: AnalysedEndpoint,
  query: Pick<EndpointQuery, 'table'>,
  source: QuerySource,
): QueryPlace {
  const { bound, inBound, tree } = inspected.analysis;
  const own = rangeOf(inspected, source.cte ?? query.table);
  const whole = { start: 0, end: bound.sql.length };
  for (const range of [own, whole]) {
    const places = placesOf(tree, source.view ?? source.name).filter(
      (at) => at >= range.start && at < range.end,
    );
    const at = places[source.occurrence] ?? places.at(-1);
    if (at !== undefined) return inBound(at);
  }
  return inBound(own.start);
}

/** Where a table, a dictionary or a function is named, also as a string. */
function placesOf(tree: Tree, name: string): readonly number[] {
  const local = name.startsWith('default.') ? name.slice('default.'.length) : name;
  return nodesOf(tree.root, 'table', 'table-function', 'string').flatMap((node) => {
    const { start } = spanOf(tree, node);
    if (node.kind === 'string') return textOf(tree, node).slice(1, -1) === name ? [start] : [];
    const written = namesOf(tree, { ...node, to: node.at + 1 }).join('.');
    return written === name || written === local ? [start] : [];
  });
}
