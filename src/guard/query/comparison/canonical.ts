// Canonical texts of expressions and relations: equal for queries that differ in spelling only.
import { createHash } from 'node:crypto';
import { blockOf, isTransparent, modifiersOf, nullableIn, ownRelations } from './blocks.ts';
import { createParameters } from './parameter-uses.ts';
import { elementOf, elementsOf, isCondition, plainForm, truthOf, withoutSubquery } from './plain-form.ts';
import {
  childrenOf, inputsOf, namesOf,
  type ColumnExpression, type Expression, type FunctionExpression, type NodeId, type QueryNode, type Relation,
  type SortNode, type UnionNode,
} from '../tree/nodes.ts'; // prettier-ignore

/** The text of a query as a whole. */
export function canonicalText(root: QueryNode | UnionNode): string {
  return createTexts(root).relation(root);
}

/** The text of each result column. */
export function canonicalColumns(root: QueryNode | UnionNode): readonly string[] {
  const texts = createTexts(root);
  if (root.kind === 'query') return root.projection.map(texts.expression);
  const branches = root.branches.map(canonicalColumns);
  const [first = []] = branches;
  return first.map((_, index) => `${root.mode}(${branches.map((each) => each[index] ?? '').join(', ')})`);
}

export interface Texts {
  /** Two expressions of equal text have equal values for equal rows of the tables. */
  readonly expression: (expression: Expression) => string;
  readonly relation: (relation: Relation) => string;
  /** The operands of AND, each once, sorted. */
  readonly conjuncts: (condition: Expression) => readonly string[];
  /** The parameters that the value of an expression depends on. */
  readonly parameters: (expression: Expression) => ReadonlySet<string>;
  /** What a column of a subquery or a union means; undefined for one of a table. */
  readonly meaning: (column: ColumnExpression) => readonly Expression[] | undefined;
  /** The expression whose text a column of a subquery has; undefined for others. */
  readonly plain: (column: ColumnExpression) => Expression | undefined;
  /** The texts inside a subquery of an expression. */
  readonly inside: (subquery: Relation) => Texts;
}

export interface TextOptions {
  /** Columns of every subquery as what they mean, even if the subquery aggregates or limits rows. */
  readonly isPlain?: boolean;
  /** By the id of a union: the branch whose columns are meant. */
  readonly branches?: ReadonlyMap<NodeId, number>;
  /** By the id of a table: its number among the reads of the same table, from 0. */
  readonly numbers?: ReadonlyMap<NodeId, number>;
}

/** The texts of a query's parts. */
export function createTexts(root: Relation, options: TextOptions = {}): Texts {
  return createScope(root, options, undefined).texts;
}

interface PrintScope {
  readonly texts: Texts;
  readonly options: TextOptions;
  readonly relations: ReadonlyMap<NodeId, Relation>;
  /** Subqueries and unions whose rows a join may replace by defaults. */
  readonly nullable: ReadonlySet<NodeId>;
  /** Distinguishes several reads of one table. */
  readonly numbers: ReadonlyMap<NodeId, number>;
  /** Names of the parameters of the lambdas around an expression. */
  readonly lambdas: Map<NodeId, { readonly names: readonly string[]; readonly depth: number }>;
  /** Lambdas around the expression that is being written. */
  depth: number;
  /** Of the query around a subquery. */
  readonly outer: PrintScope | undefined;
  readonly known: Map<Expression, string>;
}

function createScope(root: Relation, options: TextOptions, outer: PrintScope | undefined): PrintScope {
  const relations = ownRelations(root);
  const texts: Texts = {
    expression: (expression) => {
      const before = scope.known.get(expression);
      if (before !== undefined) return before;
      const text = shorten(expressionText(scope, expression));
      scope.known.set(expression, text);
      return text;
    },
    relation: (relation) => shorten(relationText(scope, relation)),
    conjuncts: (condition) => conjunctsOf(scope, [condition]),
    parameters: createParameters((column) => meaningOf(scope, column)),
    meaning: (column) => meaningOf(scope, column),
    plain: (column) => plainColumn(scope, column),
    inside: (subquery) => createScope(subquery, options, scope).texts,
  };
  const scope: PrintScope = {
    texts,
    options,
    relations,
    nullable: nullableIn(root),
    numbers: new Map([...numbersOf(readIn(root, options.branches)), ...(options.numbers ?? [])]),
    lambdas: new Map(),
    depth: 0,
    outer,
    known: new Map(),
  };
  return scope;
}

/** Longer texts are represented by their hash: columns of nested subqueries can double the length at each level. */
const MAX_TEXT = 4_000;

function shorten(text: string): string {
  return text.length <= MAX_TEXT ? text : `#${createHash('sha256').update(text).digest('base64')}`;
}

/** The number of each table among the reads of the same table. */
export function numbersOf(relations: Iterable<Relation>): Map<NodeId, number> {
  const numbers = new Map<NodeId, number>();
  const counts = new Map<string, number>();
  for (const relation of relations) {
    if (relation.kind !== 'table' && relation.kind !== 'table_function') continue;
    const count = counts.get(relation.name) ?? 0;
    counts.set(relation.name, count + 1);
    numbers.set(relation.id, count);
  }
  return numbers;
}

/** The relations of a query, without the branches of a union that are not the chosen one. */
export function readIn(
  root: Relation,
  branches: ReadonlyMap<NodeId, number> = new Map(),
): Iterable<Relation> {
  return ownRelations(root, (relation) => {
    const chosen = branches.get(relation.id);
    const inputs = inputsOf(relation);
    return chosen === undefined ? inputs : inputs.slice(chosen, chosen + 1);
  }).values();
}

function meaningOf(scope: PrintScope, column: ColumnExpression): readonly Expression[] | undefined {
  if (column.expression !== undefined) return [column.expression];
  const source = scope.relations.get(column.source);
  if (source === undefined) return scope.outer && meaningOf(scope.outer, column);
  return columnsNamed(scope, source, column.name);
}

/** What a column of a subquery or a union is: in a union one expression per branch, or that of the chosen branch. */
function columnsNamed(scope: PrintScope, source: Relation, name: string): readonly Expression[] | undefined {
  if (source.kind === 'query') return source.projection.filter((_, index) => source.names[index] === name);
  if (source.kind === 'array_join')
    return source.columns.filter((each) => each.name === name).map(({ expression }) => expression);
  if (source.kind !== 'union') return undefined;
  const index = namesOf(source).indexOf(name);
  const at = (branch: QueryNode | UnionNode): readonly Expression[] => {
    if (branch.kind === 'query') return branch.projection.slice(index, index + 1);
    const chosen = scope.options.branches?.get(branch.id);
    return (chosen === undefined ? branch.branches : branch.branches.slice(chosen, chosen + 1)).flatMap(at);
  };
  return index < 0 ? [] : at(source);
}

/** Functions whose arguments can be exchanged. */
const COMMUTATIVE: ReadonlySet<string> = new Set([
  'equals', 'notEquals', 'plus', 'multiply', 'xor', 'isNotDistinctFrom',
]); // prettier-ignore

function expressionText(scope: PrintScope, expression: Expression): string {
  const text = scope.texts.expression;
  switch (expression.kind) {
    case 'column':
      return columnText(scope, expression);
    case 'parameter':
      return `@${expression.name}`;
    case 'constant':
      return expression.type === 'String' ? expression.text : `${expression.text}:${expression.type}`;
    case 'list':
      return `(${expression.items.map(text).join(', ')})`;
    case 'lambda': {
      scope.lambdas.set(expression.id, { names: expression.parameters, depth: scope.depth++ });
      const body = text(expression.body);
      scope.depth--;
      return `${expression.parameters.length} -> ${body}`;
    }
    case 'subquery': {
      const inner = withoutSubquery(expression);
      if (inner !== expression) return text(inner);
      return `(${scope.texts.inside(expression.query).relation(expression.query)})`;
    }
    case 'table_set':
      return scope.texts.relation(expression.table);
    case 'function':
      return functionText(scope, expression);
  }
}

function functionText(scope: PrintScope, call: FunctionExpression): string {
  const plain = plainForm(call);
  if (plain !== call) return scope.texts.expression(plain);
  const { name, parameters, window } = call;
  const subcolumn = subcolumnText(scope, call);
  if (subcolumn !== undefined) return subcolumn;
  if (name === 'and' || name === 'or') {
    const operands = flatten(name, [call]);
    const parts = new Set(operands.map(scope.texts.expression));
    const [only = ''] = parts;
    if (parts.size === 1 && operands.every(isCondition)) return only;
    return `${name}(${[...parts].toSorted().join(', ')})`;
  }
  const text = scope.texts.expression;
  const [left, right] = call.arguments;
  const elements = /in$/i.test(name) && right !== undefined ? elementsOf(right) : undefined;
  if (left !== undefined && elements !== undefined) {
    const set = new Set(elements.map((each) => (typeof each === 'string' ? each : text(each))));
    return `${name}(${text(left)}, {${[...set].toSorted().join(', ')}})`;
  }
  const parts = call.arguments.map(text);
  const sorted = COMMUTATIVE.has(name) ? parts.toSorted() : parts;
  const given = parameters.length === 0 ? '' : `(${parameters.map(text).join(', ')})`;
  const over = window === undefined ? '' : ` OVER (${windowText(scope, window)})`;
  return `${name}${given}(${sorted.join(', ')})${over}`;
}

/** `place.1` of a stored column as `place.city`. */
function subcolumnText(scope: PrintScope, expression: Expression): string | undefined {
  if (expression.kind === 'column') {
    const plain = plainColumn(scope, expression);
    if (plain !== undefined) return subcolumnText(scope, plain);
    const source = scope.relations.get(expression.source);
    return source?.kind === 'table' ? scope.texts.expression(expression) : undefined;
  }
  const [tuple, name] = elementOf(expression) ?? [];
  const whole = tuple && subcolumnText(scope, tuple);
  return whole === undefined ? undefined : `${whole}.${name}`;
}

function windowText(scope: PrintScope, window: NonNullable<FunctionExpression['window']>): string {
  const { partitionBy, orderBy, frame, offsets } = window;
  return [
    partitionBy.map(scope.texts.expression).toSorted().join(', '),
    orderBy.map((sort) => sortText(scope, sort)).join(', '),
    frame.replace(/^.*?, frame_type/, 'frame_type'),
    offsets.map(scope.texts.expression).join(', '),
  ].join('; ');
}

/** The operands of a conjunction or disjunction. */
function flatten(name: 'and' | 'or', list: readonly Expression[]): readonly Expression[] {
  return list.flatMap((each) => {
    const plain = each.kind === 'function' ? plainForm(each) : each;
    return plain.kind === 'function' && plain.name === name ? flatten(name, plain.arguments) : [plain];
  });
}

/** The operands of AND that can be false. */
export function conditionsIn(list: readonly Expression[]): readonly Expression[] {
  return flatten('and', list).filter((each) => truthOf(each) !== true);
}

function conjunctsOf(scope: PrintScope, list: readonly Expression[]): readonly string[] {
  return [...new Set(conditionsIn(list).map(scope.texts.expression))].toSorted();
}

/** A column of a table by the table's name; of a subquery that only selects and filters, the expression itself. */
function columnText(scope: PrintScope, column: ColumnExpression): string {
  const { expression } = scope.texts;
  if (column.expression !== undefined) return expression(column.expression);
  const lambda = scope.lambdas.get(column.source);
  if (lambda !== undefined) return `lambda${lambda.depth}.${lambda.names.indexOf(column.name)}`;
  const source = scope.relations.get(column.source);
  if (source === undefined)
    return scope.outer === undefined ? `outer.${column.name}` : `^${columnText(scope.outer, column)}`;
  if (source.kind === 'table' || source.kind === 'table_function')
    return `${numbered(scope, source)}.${column.name}`;
  const meanings = columnsNamed(scope, source, column.name);
  const [only] = meanings ?? [];
  if (meanings === undefined || only === undefined) return `${scope.texts.relation(source)}.${column.name}`;
  if (source.kind === 'array_join') return `element(${expression(only)})`;
  const plain = plainColumn(scope, column);
  if (plain !== undefined) return expression(plain);
  if (source.kind === 'union' || meanings.length > 1) return `{${meanings.map(expression).join(' | ')}}`;
  const text = isDefault(scope, source, only) ? `outer{${expression(only)}}` : expression(only);
  return isShown(scope, source) ? `${text}${groupText(scope, source, only)}` : `[${text}]`;
}

/** The expression that a column of a subquery is in every row. */
function plainColumn(scope: PrintScope, column: ColumnExpression): Expression | undefined {
  if (column.expression !== undefined) return column.expression;
  if (scope.lambdas.has(column.source)) return undefined;
  const source = scope.relations.get(column.source);
  if (source?.kind !== 'query' && source?.kind !== 'union') return undefined;
  const [only, ...others] = columnsNamed(scope, source, column.name) ?? [];
  if (only === undefined || others.length > 0) return undefined;
  if (source.kind === 'union') return scope.options.isPlain === true ? only : undefined;
  const isChanged = isDefault(scope, source, only) || groupText(scope, source, only) !== '';
  return isShown(scope, source) && !isChanged ? only : undefined;
}

function isShown(scope: PrintScope, source: Relation): boolean {
  return source.kind === 'query' && (isTransparent(source) || scope.options.isPlain === true);
}

/** Returns whether a join may replace what a column means by the default of its type. */
function isDefault({ nullable }: PrintScope, source: Relation, meaning: Expression): boolean {
  return nullable.has(source.id) && meaning.kind !== 'column';
}

/** The keys of the groups of which an aggregate picks a value: `max(tenant)` is a tenant's own only in groups of one tenant. */
function groupText(scope: PrintScope, source: Relation, expression: Expression): string {
  if (source.kind !== 'query' || !picksValue(expression)) return '';
  return ` BY (${source.groupBy.map(scope.texts.expression).toSorted().join(', ')})`;
}

const NUMBERS = /^(?:count|sum|avg|uniq|quantile|median|stddev|var|covar|corr)/i;

function picksValue(expression: Expression): boolean {
  return (
    (expression.kind === 'function' && expression.role === 'aggregate' && !NUMBERS.test(expression.name)) ||
    childrenOf(expression).some(picksValue)
  );
}

function numbered(
  scope: PrintScope,
  table: Relation & { readonly kind: 'table' | 'table_function' },
): string {
  const number = scope.numbers.get(table.id) ?? 0;
  const name = table.kind === 'table' && table.isRecursion ? 'recursion' : table.name;
  const call = table.kind === 'table' ? table.call : '';
  return `${name}${call}${number === 0 ? '' : `#${number + 1}`}`;
}

function sortText(scope: PrintScope, sort: SortNode): string {
  const fill = sort.hasFill ? ` FILL(${sort.fill.map(scope.texts.expression).join(', ')})` : '';
  return `${scope.texts.expression(sort.expression)} ${sort.direction}${fill}`;
}

function relationText(scope: PrintScope, relation: Relation): string {
  const { expression } = scope.texts;
  switch (relation.kind) {
    case 'query':
      return queryText(scope, relation);
    case 'union':
      return `${relation.mode}${relation.isRecursive ? ' RECURSIVE' : ''}(${relation.branches.map(scope.texts.relation).join('; ')})`;
    case 'table':
      return [numbered(scope, relation), ...modifiersOf(relation)].join(' ');
    case 'table_function':
      return `${numbered(scope, relation)}(${relation.arguments.map(expression).join(', ')})`;
    case 'array_join': {
      const columns = relation.columns.map((each) => expression(each.expression)).join(', ');
      return `${blockText(scope, relation.from)} ARRAY JOIN${relation.isLeft ? ' LEFT' : ''} ${columns}`;
    }
    case 'cross_join':
      return blockText(scope, relation);
    case 'join': {
      const equal = relation.using.map(({ left, right }) =>
        `equals(${[left, right].map(expression).toSorted().join(', ')})`,
      ); // prettier-ignore
      const on = relation.on === undefined ? equal : conjunctsOf(scope, [relation.on]);
      const sides = [blockText(scope, relation.left), blockText(scope, relation.right)];
      return `${relation.join} ${relation.strictness}(${sides.join(', ')}; ${on.toSorted().join(', ')})`;
    }
  }
}

/** Relations that are joined by INNER JOIN, in any order, and the conditions of the joins. */
function blockText(scope: PrintScope, relation: Relation): string {
  const { atoms, conditions } = blockOf(relation);
  const from = atoms.map((each) => relationText(scope, each)).toSorted();
  const where = conjunctsOf(scope, conditions);
  return where.length === 0 ? from.join(' x ') : `${from.join(' x ')}[${where.join(', ')}]`;
}

function queryText(scope: PrintScope, query: QueryNode): string {
  const { expression } = scope.texts;
  const all = (condition: Expression | undefined): readonly string[] =>
    condition === undefined ? [] : conjunctsOf(scope, [condition]);
  const { atoms, conditions } = blockOf(query.from);
  const filters = [query.prewhere, query.where].filter((each) => each !== undefined);
  return [
    ...list(query.isDistinct ? 'SELECT DISTINCT' : 'SELECT', query.projection.map(expression)),
    ...list('FROM', atoms.map((each) => relationText(scope, each)).toSorted()),
    ...list('WHERE', conjunctsOf(scope, [...conditions, ...filters])),
    ...list('GROUP BY', query.groupBy.map(expression).toSorted()),
    ...(query.hasSubtotals ? [`SUBTOTALS ${query.groupBy.map(expression).join('; ')}`] : []),
    ...list('HAVING', all(query.having)),
    ...list('QUALIFY', all(query.qualify)),
    ...list(
      'ORDER BY',
      query.orderBy.map((sort) => sortText(scope, sort)),
    ),
    ...list('INTERPOLATE', query.interpolate.map(expression)),
    ...list('LIMIT BY', query.limitBy.map(expression).toSorted()),
    ...list('LIMIT BY COUNT', query.limitByCounts.map(expression)),
    ...list('LIMIT', query.limits.map(expression)),
    ...list('ATTRIBUTES', query.attributes === '' ? [] : [query.attributes]),
    ...list('SETTINGS', query.settings === '' ? [] : [query.settings]),
  ].join(' ');
}

function list(name: string, parts: readonly string[]): readonly string[] {
  return parts.length === 0 ? [] : [`${name} ${parts.join(', ')}`];
}
