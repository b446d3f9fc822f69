// Relations as blocks: what INNER JOIN and comma join, in any order, with the conditions on the joined rows.
import {
  inputsOf,
  type Expression, type FunctionExpression, type JoinNode, type NodeId, type QueryNode, type Relation,
  type TableNode,
} from '../tree/nodes.ts'; // prettier-ignore

/** Rows are the combinations of rows of the atoms that satisfy the conditions. */
export interface Block {
  /** Tables, and relations that are more than a join and a filter. */
  readonly atoms: readonly Relation[];
  readonly conditions: readonly Expression[];
}

/** A subquery that only renames, computes and filters belongs to the block around it. */
export function blockOf(relation: Relation): Block {
  if (relation.kind === 'query' && isTransparent(relation)) {
    const { atoms, conditions } = blockOf(relation.from);
    const own = [relation.prewhere, relation.where].filter((each) => each !== undefined);
    return { atoms, conditions: [...conditions, ...own] };
  }
  if (relation.kind === 'cross_join') return combine(relation.relations.map(blockOf), []);
  if (relation.kind === 'join' && isInner(relation))
    return combine([relation.left, relation.right].map(blockOf), conditionsOfJoin(relation));
  return { atoms: [relation], conditions: [] };
}

function combine(blocks: readonly Block[], conditions: readonly Expression[]): Block {
  return {
    atoms: blocks.flatMap(({ atoms }) => atoms),
    conditions: [...blocks.flatMap((each) => each.conditions), ...conditions],
  };
}

/** A join whose rows are all combinations that satisfy its condition. */
export function isInner({ join, strictness }: JoinNode): boolean {
  return join === 'INNER' && strictness === 'ALL';
}

/** ON, or USING as equalities. */
export function conditionsOfJoin({ on, using }: JoinNode): readonly Expression[] {
  return on === undefined ? using.map(({ left, right }) => equalityOf(left, right)) : [on];
}

function equalityOf(left: Expression, right: Expression): FunctionExpression {
  return {
    kind: 'function',
    id: -1,
    name: 'equals',
    role: 'ordinary',
    type: 'UInt8',
    arguments: [left, right],
    parameters: [],
    window: undefined,
  };
}

/** A subquery that only renames, computes and filters: its rows are those of its FROM clause that pass its filters. */
export function isTransparent(query: QueryNode): boolean {
  return (
    query.groupBy.length === 0 &&
    query.having === undefined &&
    query.qualify === undefined &&
    !query.isDistinct &&
    query.limitBy.length === 0 &&
    query.limits.length === 0 &&
    !query.hasLimitSetting &&
    query.settings === '' &&
    query.attributes === '' &&
    !query.orderBy.some(({ hasFill }) => hasFill) &&
    ![...query.projection, query.prewhere, query.where].some(
      (each) => each !== undefined && isComputedOverRows(each),
    )
  );
}

function isComputedOverRows(expression: Expression): boolean {
  switch (expression.kind) {
    case 'function':
      return (
        expression.role !== 'ordinary' ||
        expression.name === 'arrayJoin' ||
        expression.arguments.some(isComputedOverRows)
      );
    case 'list':
      return expression.items.some(isComputedOverRows);
    case 'lambda':
      return isComputedOverRows(expression.body);
    case 'column':
      return expression.expression !== undefined && isComputedOverRows(expression.expression);
    case 'constant':
    case 'parameter':
    case 'subquery':
    case 'table_set':
      return false;
  }
}

/** The relations of a query by their ids, those of expressions excluded, in the order of its text. */
export function ownRelations(
  root: Relation,
  inputs: (relation: Relation) => readonly Relation[] = inputsOf,
): ReadonlyMap<NodeId, Relation> {
  const relations = new Map<NodeId, Relation>();
  const visit = (relation: Relation): void => {
    if (relations.has(relation.id)) return;
    relations.set(relation.id, relation);
    for (const input of inputs(relation)) visit(input);
  };
  visit(root);
  return relations;
}

/** The relations on a side of a join whose rows may be replaced by defaults. */
export function nullableIn(root: Relation): ReadonlySet<NodeId> {
  const found = new Set<NodeId>();
  const visit = (relation: Relation, isNullable: boolean): void => {
    if (isNullable) found.add(relation.id);
    if (relation.kind !== 'join') {
      for (const input of inputsOf(relation)) visit(input, isNullable);
      return;
    }
    const { join, left, right } = relation;
    visit(left, isNullable || join === 'RIGHT' || join === 'FULL');
    visit(right, isNullable || join === 'LEFT' || join === 'FULL');
  };
  visit(root, false);
  return found;
}

/** FINAL and SAMPLE decide which rows of a table are read. */
export function modifiersOf({ isFinal, sample }: TableNode): readonly string[] {
  return [...(isFinal ? ['FINAL'] : []), ...(sample === '' ? [] : [sample])];
}

/** IN with a subquery whose DISTINCT and ORDER BY change nothing, without them. */
export function ofSet(call: FunctionExpression): FunctionExpression {
  const [left, set] = call.arguments;
  const select = set?.kind === 'subquery' ? set.query : undefined;
  if (left === undefined || select?.kind !== 'query') return call;
  const isCut = select.limits.length > 0 || select.limitBy.length > 0 || select.hasLimitSetting;
  const isPlain = !select.isDistinct && select.orderBy.length === 0;
  if (isPlain || isCut || select.orderBy.some(({ hasFill }) => hasFill)) return call;
  const inner = { ...select, isDistinct: false, orderBy: [] };
  return { ...call, arguments: [left, { kind: 'subquery', query: inner }] };
}
