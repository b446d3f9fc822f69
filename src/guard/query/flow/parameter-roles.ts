// What a query does with its parameters: compares columns with them, matches patterns, limits rows.
import { childrenOf, expressionsIn, inputsOf, type Expression, type Relation } from '../tree/nodes.ts';

/**
 * equality: compared with a column for equality. range: compared by order. pattern: the pattern or part of a string search.
 * test: compared with a constant or with NULL, as in `@p = '' OR …`. condition: in a condition in another way. limit: a
 * number of rows. output: only in results, groups and the order.
 */
export type ParameterRole = 'equality' | 'range' | 'pattern' | 'test' | 'condition' | 'limit' | 'output';

const EQUALITY =
  /^(not)?equals$|^(global)?(not)?(null)?in(ignoreset)?$|^has(any|all)?$|^indexof$|^is(not)?distinctfrom$/i;
const RANGE = /^(less|greater)(orequals)?$/i;
const PATTERN =
  /like$|^match$|^multi(match|search|fuzzy)|^(starts|ends)with|^position|^locate$|^hastoken|^hassubsequence|^(extract|countsubstrings|countmatches|ngram|regexp)/i;
const TEST = /^is(not)?null$|^(not)?empty$|^length$|^coalesce$|^ifnull$|^nullif$/i;

/** The roles of each parameter, by its name. */
export function rolesOf(root: Relation): ReadonlyMap<string, ReadonlySet<ParameterRole>> {
  const roles = new Map<string, Set<ParameterRole>>();
  const visit = (expression: Expression, role: ParameterRole): void => {
    if (expression.kind === 'parameter')
      roles.set(expression.name, (roles.get(expression.name) ?? new Set()).add(role));
    if (expression.kind === 'subquery') visitRelation(expression.query);
    const inner = expression.kind === 'function' ? roleIn(expression, role) : role;
    for (const child of childrenOf(expression)) visit(child, inner);
  };
  const visitRelation = (relation: Relation): void => {
    for (const input of inputsOf(relation)) visitRelation(input);
    const [output, limits] =
      relation.kind === 'query'
        ? [
            [...relation.projection, ...relation.groupBy, ...relation.interpolate, ...relation.limitBy],
            [...relation.limits, ...relation.limitByCounts],
          ]
        : [[], []];
    const ordered = relation.kind === 'query' ? relation.orderBy.map(({ expression }) => expression) : [];
    const other = new Set<Expression>([...output, ...ordered, ...limits]);
    for (const each of [...output, ...ordered]) visit(each, 'output');
    for (const each of limits) visit(each, 'limit');
    for (const each of expressionsIn(relation)) if (!other.has(each)) visit(each, 'condition');
  };
  visitRelation(root);
  return roles;
}

/** The role of parameters in the arguments of a function, which has this role itself. */
function roleIn(expression: Extract<Expression, { kind: 'function' }>, role: ParameterRole): ParameterRole {
  const { name } = expression;
  if (EQUALITY.test(name)) return hasColumn(expression) ? 'equality' : 'test';
  if (RANGE.test(name)) return hasColumn(expression) ? 'range' : 'test';
  if (PATTERN.test(name)) return 'pattern';
  return TEST.test(name) ? 'test' : role;
}

function hasColumn(expression: Expression): boolean {
  if (expression.kind === 'column' || expression.kind === 'subquery') return true;
  return expression.kind === 'table_set' || childrenOf(expression).some(hasColumn);
}
