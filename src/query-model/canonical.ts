// Canonical texts of expressions and relations: equal for queries that differ in spelling only.
import {
  inputsOf,
  type ColumnExpression, type Expression, type FunctionExpression, type NodeId, type QueryNode, type Relation,
  type SortNode, type UnionNode,
} from './nodes.ts'; // prettier-ignore

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
  readonly expression: (expression: Expression) => string;
  readonly relation: (relation: Relation) => string;
}

/** The texts of a query's parts. */
export function createTexts(root: Relation): Texts {
  const relations = new Map<NodeId, Relation>();
  const numbers = numberRelations(root, relations);
  const texts: Texts = {
    expression: (expression) => expressionText(scope, expression),
    relation: (relation) => relationText(scope, relation),
  };
  const scope: Scope = { texts, relations, numbers, lambdas: new Map() };
  return texts;
}

interface Scope {
  readonly texts: Texts;
  readonly relations: ReadonlyMap<NodeId, Relation>;
  /** Distinguishes several reads of one table. */
  readonly numbers: ReadonlyMap<NodeId, number>;
  readonly lambdas: Map<NodeId, number>;
}

function numberRelations(root: Relation, relations: Map<NodeId, Relation>): ReadonlyMap<NodeId, number> {
  const numbers = new Map<NodeId, number>();
  const counts = new Map<string, number>();
  const visit = (relation: Relation): void => {
    relations.set(relation.id, relation);
    if (relation.kind === 'table' || relation.kind === 'table_function') {
      const count = counts.get(relation.name) ?? 0;
      counts.set(relation.name, count + 1);
      numbers.set(relation.id, count);
    }
    for (const input of inputsOf(relation)) visit(input);
  };
  visit(root);
  return numbers;
}

/** Functions of two sides that can be exchanged. */
const COMMUTATIVE: ReadonlySet<string> = new Set([
  'and',
  'or',
  'equals',
  'notEquals',
  'plus',
  'multiply',
  'xor',
  'isNotDistinctFrom',
]);
const MIRRORED: Readonly<Record<string, string>> = { greater: 'less', greaterOrEquals: 'lessOrEquals' };
const NEGATED: Readonly<Record<string, string>> = {
  equals: 'notEquals', notEquals: 'equals', in: 'notIn', notIn: 'in', like: 'notLike', notLike: 'like',
}; // prettier-ignore

function expressionText(scope: Scope, expression: Expression): string {
  const text = scope.texts.expression;
  switch (expression.kind) {
    case 'column':
      return columnText(scope, expression);
    case 'parameter':
      return `@${expression.name}`;
    case 'constant':
      return constantText(expression.text);
    case 'list':
      return `(${expression.items.map(text).join(', ')})`;
    case 'lambda': {
      scope.lambdas.set(expression.id, scope.lambdas.get(expression.id) ?? scope.lambdas.size);
      return `${expression.parameters.length} -> ${text(expression.body)}`;
    }
    case 'subquery':
      return `(${subqueryText(expression.query)})`;
    case 'table_set':
      return expression.table.name;
    case 'function':
      return functionText(scope, expression);
  }
}

/** A subquery has numbers of its own, so that its text does not depend on where it is. */
function subqueryText(query: QueryNode | UnionNode): string {
  return canonicalText(query);
}

function constantText(text: string): string {
  return text.replaceAll(/\bU?Int64_/g, '').replaceAll(/\bFloat64_/g, '');
}

function functionText(scope: Scope, call: FunctionExpression): string {
  const { text, negated } = plainCall(call);
  if (negated !== undefined) return functionText(scope, negated);
  const { name, list } = text;
  const parts = list.map((each) => scope.texts.expression(each));
  if (name === 'and' || name === 'or') return joined(scope, name, list);
  if (name in MIRRORED) return `${MIRRORED[name] ?? name}(${parts.toReversed().join(', ')})`;
  const sorted = COMMUTATIVE.has(name) ? parts.toSorted() : parts;
  const parameters =
    call.parameters.length === 0 ? '' : `(${call.parameters.map(scope.texts.expression).join(', ')})`;
  const window = call.window;
  const over =
    window === undefined
      ? ''
      : ` OVER (${window.partitionBy.map(scope.texts.expression).toSorted().join(', ')}; ${window.orderBy
          .map((sort) => sortText(scope, sort))
          .join(', ')}; ${window.frame.replace(/^.*?, frame_type/, 'frame_type')})`;
  return `${name}${parameters}(${sorted.join(', ')})${over}`;
}

/** Without conversions that the engine adds, `IN` of one element as `=`, and NOT inside. */
function plainCall(call: FunctionExpression): {
  readonly text: { readonly name: string; readonly list: readonly Expression[] };
  readonly negated: FunctionExpression | undefined;
} {
  const [left, right] = call.arguments;
  const list = call.arguments;
  if (call.name === 'not' && left?.kind === 'function') {
    const name = NEGATED[left.name];
    if (name !== undefined) return { text: { name, list: left.arguments }, negated: { ...left, name } };
  }
  const isIn = call.name === 'in' || call.name === 'notIn';
  if (isIn && left !== undefined && right !== undefined && !isTuple(left)) {
    const elements =
      right.kind === 'function' && (right.name === 'tuple' || right.name === 'array')
        ? right.arguments
        : [right];
    const [only] = elements;
    const isScalar = only?.kind === 'parameter' ? !only.type.startsWith('Array') : only?.kind === 'constant' && !/^(?:Tuple|Array)_/.test(only.text); // prettier-ignore
    if (elements.length === 1 && only !== undefined && isScalar)
      return {
        text: { name: call.name === 'in' ? 'equals' : 'notEquals', list: [left, only] },
        negated: undefined,
      };
  }
  return { text: { name: call.name, list }, negated: undefined };
}

function isTuple(expression: Expression): boolean {
  return expression.kind === 'function' && expression.name === 'tuple';
}

/** Nested AND and OR flattened, each condition once, sorted. */
function joined(scope: Scope, name: 'and' | 'or', list: readonly Expression[]): string {
  const texts = flatten(name, list).map((each) => scope.texts.expression(each));
  return `${name}(${[...new Set(texts)].toSorted().join(', ')})`;
}

/** The conditions of a conjunction or disjunction. */
export function flatten(name: 'and' | 'or', list: readonly Expression[]): readonly Expression[] {
  return list.flatMap((each) =>
    each.kind === 'function' && each.name === name ? flatten(name, each.arguments) : [each],
  );
}

/** A column of a table by the table's name; of a subquery that only selects and filters, the expression itself. */
function columnText(scope: Scope, column: ColumnExpression): string {
  if (column.expression !== undefined) return scope.texts.expression(column.expression);
  const source = scope.relations.get(column.source);
  if (source === undefined) {
    const lambda = scope.lambdas.get(column.source);
    return lambda === undefined ? `outer.${column.name}` : `lambda${lambda}.${column.name}`;
  }
  if (source.kind === 'table' || source.kind === 'table_function') {
    const number = scope.numbers.get(source.id) ?? 0;
    return `${source.name}${number === 0 ? '' : `#${number + 1}`}.${column.name}`;
  }
  if (source.kind === 'query') {
    const expression = source.projection[source.names.indexOf(column.name)];
    if (expression === undefined) return column.name;
    const text = scope.texts.expression(expression);
    return isTransparent(source) ? text : `[${text}]`;
  }
  if (source.kind === 'union') {
    const index = firstNames(source).indexOf(column.name);
    return `{${source.branches.map((branch) => branchColumn(scope, branch, index)).join(' | ')}}`;
  }
  if (source.kind === 'array_join') {
    const own = source.columns.find(({ name }) => name === column.name);
    return own === undefined ? column.name : `element(${scope.texts.expression(own.expression)})`;
  }
  return column.name;
}

function firstNames(union: UnionNode): readonly string[] {
  const [first] = union.branches;
  if (first === undefined) return [];
  return first.kind === 'query' ? first.names : firstNames(first);
}

function branchColumn(scope: Scope, branch: QueryNode | UnionNode, index: number): string {
  if (branch.kind === 'union')
    return branch.branches.map((each) => branchColumn(scope, each, index)).join(' | ');
  const expression = branch.projection[index];
  return expression === undefined ? '' : scope.texts.expression(expression);
}

/** A subquery that only renames, computes and filters: its text is that of its parts. */
function isTransparent(query: QueryNode): boolean {
  return (
    query.groupBy.length === 0 &&
    query.having === undefined &&
    query.qualify === undefined &&
    !query.isDistinct &&
    query.limitBy.length === 0 &&
    query.limits.length === 0 &&
    !query.hasLimitSetting &&
    !query.orderBy.some(({ hasFill }) => hasFill) &&
    !query.projection.some(isComputedOverRows)
  );
}

function isComputedOverRows(expression: Expression): boolean {
  if (expression.kind === 'function')
    return (
      expression.role !== 'ordinary' ||
      expression.name === 'arrayJoin' ||
      expression.arguments.some(isComputedOverRows)
    );
  return false;
}

function sortText(scope: Scope, sort: SortNode): string {
  const fill = sort.hasFill ? ` FILL(${sort.fill.map(scope.texts.expression).join(', ')})` : '';
  return `${scope.texts.expression(sort.expression)} ${sort.direction}${fill}`;
}

function relationText(scope: Scope, relation: Relation): string {
  switch (relation.kind) {
    case 'query':
      return queryText(scope, relation);
    case 'union':
      return `${relation.mode}(${relation.branches.map(scope.texts.relation).join('; ')})`;
    case 'table':
      return relation.name;
    case 'table_function':
      return `${relation.name}(${relation.arguments.map(scope.texts.expression).join(', ')})`;
    case 'cross_join':
      return relation.relations.map((each) => fromText(scope, each)).join(' x ');
    case 'array_join':
      return `${fromText(scope, relation.from)} ARRAY JOIN${relation.isLeft ? ' LEFT' : ''} ${relation.columns
        .map(({ expression }) => scope.texts.expression(expression))
        .join(', ')}`;
    case 'join': {
      const equal = relation.using.map(({ left, right }) =>
        `equals(${[left, right].map(scope.texts.expression).toSorted().join(', ')})`,
      ); // prettier-ignore
      const on = relation.on === undefined ? equal : conjuncts(scope, relation.on);
      const sides = [fromText(scope, relation.left), fromText(scope, relation.right)];
      return `${relation.join} ${relation.strictness}(${sides.join(', ')}; ${on.toSorted().join(', ')})`;
    }
  }
}

function conjuncts(scope: Scope, condition: Expression): readonly string[] {
  return [...new Set(flatten('and', [condition]).map((each) => scope.texts.expression(each)))].toSorted();
}

/** A FROM clause; the conditions of transparent subqueries are those of the query above (`filtersOf`). */
function fromText(scope: Scope, relation: Relation): string {
  if (relation.kind !== 'query' || !isTransparent(relation)) return scope.texts.relation(relation);
  const filters = filtersOf(relation).flatMap((each) => conjuncts(scope, each));
  const from = fromText(scope, relation.from);
  return filters.length === 0 ? from : `${from}[${[...new Set(filters)].toSorted().join(', ')}]`;
}

function filtersOf(query: QueryNode): readonly Expression[] {
  return [query.prewhere, query.where].filter((each) => each !== undefined);
}

function queryText(scope: Scope, query: QueryNode): string {
  const all = (condition: Expression | undefined): readonly string[] =>
    condition === undefined ? [] : conjuncts(scope, condition);
  const { expression } = scope.texts;
  const inner = innerFilters(scope, query.from);
  const filters = new Set([...filtersOf(query).flatMap((each) => conjuncts(scope, each)), ...inner.filters]);
  return [
    ...list(query.isDistinct ? 'SELECT DISTINCT' : 'SELECT', query.projection.map(expression)),
    ...list('FROM', [inner.from]),
    ...list('WHERE', [...filters].toSorted()),
    ...list('GROUP BY', query.groupBy.map(expression).toSorted()),
    ...(query.hasSubtotals ? ['SUBTOTALS'] : []),
    ...list('HAVING', all(query.having)),
    ...list('QUALIFY', all(query.qualify)),
    ...list(
      'ORDER BY',
      query.orderBy.map((sort) => sortText(scope, sort)),
    ),
    ...list('INTERPOLATE', query.interpolate.map(expression)),
    ...list('LIMIT BY', [
      ...query.limitBy.map(expression).toSorted(),
      ...query.limitByCounts.map(expression),
    ]),
    ...list('LIMIT', query.limits.map(expression)),
    ...list('SETTINGS', query.settings === '' ? [] : [query.settings]),
  ].join(' ');
}

/** A single transparent subquery in FROM has its filters moved to the query. */
function innerFilters(
  scope: Scope,
  from: Relation,
): { readonly from: string; readonly filters: readonly string[] } {
  if (from.kind !== 'query' || !isTransparent(from)) return { from: fromText(scope, from), filters: [] };
  const inner = innerFilters(scope, from.from);
  return {
    from: inner.from,
    filters: [...inner.filters, ...filtersOf(from).flatMap((each) => conjuncts(scope, each))],
  };
}

function list(name: string, parts: readonly string[]): readonly string[] {
  return parts.length === 0 ? [] : [`${name} ${parts.join(', ')}`];
}
