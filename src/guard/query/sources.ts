// Where a query reads: tables, table functions, dictionaries and tables of IN, each with its place in the query.
import {
  childrenOf, expressionsIn, inputsOf,
  type Expression, type NodeId, type Relation, type TableFunctionNode, type TableNode,
} from './tree/nodes.ts'; // prettier-ignore
import { dictionaryOf } from './confinement/values.ts';

/** Something that a query reads. */
export interface QuerySource {
  readonly id: NodeId;
  readonly kind: 'table' | 'table_function' | 'dictionary';
  /** `database.table`, the name of the function, or of the dictionary; empty if it is computed. */
  readonly name: string;
  /** Name of the innermost WITH table that reads it. */
  readonly cte: string | undefined;
  /** Name of the outermost view that reads it. */
  readonly view: string | undefined;
  /** Its number, from 0, among the sources of that name and that WITH table, in the order of the query's text. */
  readonly occurrence: number;
  /** From the outside in: such as `the right side of a LEFT JOIN`, `branch 2 of UNION ALL`, `a subquery`. */
  readonly path: readonly string[];
  /** Of a table function. */
  readonly arguments: readonly Expression[];
  /** Names of the columns that are read of it; undefined: it may be all. */
  readonly columns: ReadonlySet<string> | undefined;
}

/** Functions that generate rows and read nothing. */
const GENERATORS: ReadonlySet<string> = new Set([
  'numbers', 'numbers_mt', 'zeros', 'zeros_mt', 'one', 'generate_series', 'generateSeries', 'generateRandom', 'values',
  'null', 'format', 'primes',
]); // prettier-ignore

const ROW_TABLES: ReadonlySet<string> = new Set([
  'system.one',
  'system.numbers',
  'system.numbers_mt',
  'system.zeros',
]);

/** Returns whether a table or function generates rows, so that nothing stored is read. */
export function isSourceFree(table: TableNode | TableFunctionNode): boolean {
  if (table.kind === 'table_function') return GENERATORS.has(table.name);
  return table.isRecursion || ROW_TABLES.has(table.name);
}

interface SourcePlace {
  readonly view: string | undefined;
  readonly cte: string | undefined;
  readonly path: readonly string[];
}

/** Every source of a query, each once, in the order of its text. */
export function sourcesOf(root: Relation): readonly QuerySource[] {
  const found = new Map<NodeId, Omit<QuerySource, 'columns'>>();
  const columns = new Map<NodeId, Set<string>>();
  const whole = new Set<NodeId>();
  const counts = new Map<string, number>();
  const add = (
    { id, kind, name }: Pick<QuerySource, 'id' | 'kind' | 'name'>,
    place: SourcePlace,
    list: readonly Expression[] = [],
  ): void => {
    if (found.has(id)) return;
    const key = `${place.cte ?? ''}\n${place.view ?? name}`;
    const occurrence = counts.get(key) ?? 0;
    counts.set(key, occurrence + 1);
    found.set(id, { id, kind, name, ...place, occurrence, arguments: list });
  };
  const visitExpression = (expression: Expression, place: SourcePlace): void => {
    const lookup = dictionaryOf(expression);
    if (lookup !== undefined && expression.kind === 'function')
      add({ id: expression.id, kind: 'dictionary', name: lookup.name }, place);
    if (expression.kind === 'subquery') visit(expression.query, inside(place, 'a subquery'));
    if (expression.kind === 'column')
      columns.set(expression.source, (columns.get(expression.source) ?? new Set()).add(expression.name));
    if (expression.kind === 'table_set') {
      whole.add(expression.table.id);
      visit(expression.table, place);
    }
    for (const child of childrenOf(expression)) visitExpression(child, place);
  };
  const visit = (relation: Relation, outer: SourcePlace): void => {
    const place = enter(relation, outer);
    // FINAL and SAMPLE read columns that the query does not name.
    if (relation.kind !== 'table' || relation.isFinal || relation.isSampled) whole.add(relation.id);
    if ((relation.kind === 'table' || relation.kind === 'table_function') && !isSourceFree(relation))
      add(relation, place, relation.kind === 'table_function' ? relation.arguments : []);
    const expressions = expressionsIn(relation);
    const early = relation.kind === 'query' ? relation.projection.length : 0; // SELECT comes before FROM
    for (const each of expressions.slice(0, early)) visitExpression(each, place);
    for (const [index, input] of inputsOf(relation).entries()) visit(input, placeOf(relation, index, place));
    for (const each of expressions.slice(early)) visitExpression(each, place);
  };
  visit(root, { cte: undefined, view: undefined, path: [] });
  return [...found.values()].map((source) => ({
    ...source,
    columns: whole.has(source.id) ? undefined : (columns.get(source.id) ?? new Set()),
  }));
}

function inside(place: SourcePlace, step: string): SourcePlace {
  return { ...place, path: [...place.path, step] };
}

/** Inside a WITH table or a view, whose own WITH tables have no place in the query's text. */
function enter(relation: Relation, place: SourcePlace): SourcePlace {
  if (relation.kind !== 'query' && relation.kind !== 'union') return place;
  const { cte, view } = relation;
  const entered = view === undefined ? place : inside(place, `the view ${view}`);
  if (place.view !== undefined) return entered;
  return { ...entered, cte: cte ?? place.cte, view };
}

function placeOf(relation: Relation, index: number, place: SourcePlace): SourcePlace {
  if (relation.kind === 'union') return inside(place, `branch ${index + 1} of ${modeName(relation.mode)}`);
  if (relation.kind !== 'join' || relation.join === 'INNER') return place;
  const side = index === 0 ? 'left' : 'right';
  const strictness = relation.strictness === 'ALL' ? '' : ` ${relation.strictness}`;
  return inside(place, `the ${side} side of a ${relation.join}${strictness} JOIN`);
}

function modeName(mode: string): string {
  return mode.replace('_', ' ').replace(' DEFAULT', '');
}
