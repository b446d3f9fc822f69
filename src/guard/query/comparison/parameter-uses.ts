// Which parameters the value of an expression depends on.
import {
  childrenOf,
  expressionsIn,
  inputsOf,
  type ColumnExpression,
  type Expression,
  type Relation,
} from '../tree/nodes.ts';

/** What a column of a subquery means; undefined for one of a table. */
type Meaning = (column: ColumnExpression) => readonly Expression[] | undefined;

/** The parameters that the value of an expression depends on, through the columns of subqueries. */
export function createParameters(meaning: Meaning): (expression: Expression) => ReadonlySet<string> {
  const known = new Map<Expression | Relation, ReadonlySet<string>>();
  const once = (key: Expression | Relation, find: () => readonly string[]): ReadonlySet<string> => {
    const before = known.get(key);
    if (before !== undefined) return before;
    known.set(key, new Set()); // ends a recursive CTE
    const found = new Set(find());
    known.set(key, found);
    return found;
  };
  const ofRelation = (relation: Relation): ReadonlySet<string> =>
    once(relation, () => [
      ...expressionsIn(relation).flatMap((each) => [...ofExpression(each)]),
      ...inputsOf(relation).flatMap((each) => [...ofRelation(each)]),
      ...(relation.kind === 'table'
        ? [...relation.call.matchAll(/\{(\w+):/g)].map(([, name = '']) => name)
        : []),
    ]);
  const ofExpression = (expression: Expression): ReadonlySet<string> =>
    once(expression, () => {
      if (expression.kind === 'parameter') return [expression.name];
      if (expression.kind === 'subquery') return [...ofRelation(expression.query)];
      const inner = expression.kind === 'column' ? meaning(expression) : undefined;
      return [...childrenOf(expression), ...(inner ?? [])].flatMap((each) => [...ofExpression(each)]);
    });
  return ofExpression;
}
