// The sources that expressions read: subqueries, dictionaries, and the tables of IN.
import { addSources, hasKey, mapKeys, refOfColumn, type Facts } from './facts.ts';
import type { Analysis } from './analysis.ts';
import { idOfRef } from './joins.ts';
import { childrenOf, inputsOf, namesOf, type Expression, type NodeId, type QueryNode, type Relation, type UnionNode } from '../tree/nodes.ts'; // prettier-ignore
import { componentsOf, dictionaryOf, isValue, refOf } from './values.ts';

/** Adds the sources that expressions read. */
export function withReads(analysis: Analysis, facts: Facts, expressions: readonly Expression[]): Facts {
  return expressions.reduce((sum, each) => withRead(analysis, sum, each, []), facts);
}

/** `compared`: the columns that are compared with the set that the expression is. */
function withRead(
  analysis: Analysis,
  facts: Facts,
  expression: Expression,
  compared: readonly Expression[],
): Facts {
  const { know, context, options } = analysis;
  if (expression.kind === 'subquery' || expression.kind === 'table_set') {
    const relation = expression.kind === 'subquery' ? expression.query : expression.table;
    const { facts: inner, ids } = know(relation);
    const names = relation.kind === 'query' || relation.kind === 'union' ? namesOf(relation) : [];
    const outer = mapKeys(inner, (keys) => {
      const result = new Set([...keys].filter((ref) => !ids.has(idOfRef(ref))));
      for (const [index, column] of compared.entries()) {
        const ref = refOf(column);
        if (ref !== undefined && hasKey(keys, refOfColumn(relation.id, names[index] ?? ''))) result.add(ref);
      }
      return result;
    });
    return addSources(facts, outer.sources);
  }
  const lookup = expression.kind === 'function' ? dictionaryOf(expression) : undefined;
  let current = facts;
  if (lookup !== undefined && expression.kind === 'function') {
    const keysOfEntry = options.isKeyed(lookup.name) ? lookup.keys : [];
    const isConfined = keysOfEntry.some((key) => isValue(key, facts, context));
    const keys = new Set(keysOfEntry.map(refOf).filter((ref) => ref !== undefined));
    current = addSources(current, new Map([[expression.id, { keys, isConfined }]]));
  }
  const isSet = expression.kind === 'function' && /(?:^|global|not|null)in$/i.test(expression.name);
  const [left] = expression.kind === 'function' ? expression.arguments : [];
  return childrenOf(expression).reduce((sum, child) => {
    const isRight = isSet && child !== left && left !== undefined;
    return withRead(analysis, sum, child, isRight ? componentsOf(left) : []);
  }, current);
}

/**
 * Returns whether a column of a query is one of a reference table as it is, and everything that decides about its rows is filtered by
 * the parameter: it holds what belongs to the parameter there.
 */
export function isReferenceLookup(
  query: QueryNode | UnionNode,
  column: number,
  { sources }: Facts,
  isShared: (name: string) => boolean,
): boolean {
  if (sources.size === 0 || [...sources.values()].some(({ isConfined }) => !isConfined)) return false;
  const relations = new Map<NodeId, Relation>();
  const visit = (relation: Relation): void => {
    relations.set(relation.id, relation);
    for (const input of inputsOf(relation)) visit(input);
  };
  visit(query);
  const isOfShared = (relation: QueryNode | UnionNode, index: number): boolean => {
    if (relation.kind === 'union') return relation.branches.every((branch) => isOfShared(branch, index));
    const expression = relation.projection[index];
    if (relation.hasSubtotals || expression?.kind !== 'column') return false;
    const source = relations.get(expression.source);
    if (source?.kind === 'table') return isShared(source.name) && !source.isRecursion;
    if (source?.kind !== 'query' && source?.kind !== 'union') return false;
    return isOfShared(source, namesOf(source).indexOf(expression.name));
  };
  return isOfShared(query, column);
}
