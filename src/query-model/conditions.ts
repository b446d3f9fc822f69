// The conditions that rows of each source pass on the way to the result.
import { createTexts, flatten, type Texts } from './canonical.ts';
import { childrenOf, expressionsIn, inputsOf, type Expression, type NodeId, type Relation } from './nodes.ts';

/** By the id of each table: the conditions of every query and join above it, as canonical texts, sorted. */
export function conditionsOf(root: Relation): ReadonlyMap<NodeId, readonly string[]> {
  const found = new Map<NodeId, readonly string[]>();
  const visit = (relation: Relation, above: readonly string[], texts: Texts): void => {
    const own = [...above, ...filtersOf(relation).flatMap((each) => conjuncts(each, texts))];
    if (relation.kind === 'table' || relation.kind === 'table_function')
      found.set(relation.id, [...new Set(above)].toSorted());
    for (const input of inputsOf(relation)) visit(input, own, texts);
    for (const expression of expressionsIn(relation)) visitSubqueries(expression, own);
  };
  const visitSubqueries = (expression: Expression, above: readonly string[]): void => {
    if (expression.kind === 'subquery') visit(expression.query, above, createTexts(expression.query));
    for (const child of childrenOf(expression)) visitSubqueries(child, above);
  };
  visit(root, [], createTexts(root));
  return found;
}

function conjuncts(condition: Expression, texts: Texts): readonly string[] {
  return flatten('and', [condition]).map(texts.expression);
}

function filtersOf(relation: Relation): readonly Expression[] {
  if (relation.kind === 'query')
    return [relation.prewhere, relation.where, relation.having, relation.qualify].filter(
      (each) => each !== undefined,
    );
  return relation.kind === 'join' && relation.on !== undefined ? [relation.on] : [];
}
