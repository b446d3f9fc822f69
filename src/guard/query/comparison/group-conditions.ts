// Conditions on groups: those on their keys alone exclude the rows of a group as WHERE does.
import { childrenOf, type Expression, type QueryNode } from '../tree/nodes.ts';
import { conditionsIn } from './canonical.ts';

interface GroupConditions {
  readonly ofKeys: readonly Expression[];
  readonly ofGroups: readonly Expression[];
}

/** Subtotals have groups without keys, for which HAVING is another condition than WHERE. */
export function splitHaving({ having, groupBy, hasSubtotals }: QueryNode): GroupConditions {
  const conditions = having === undefined ? [] : conditionsIn([having]);
  const isOfKeys = (each: Expression): boolean => !hasSubtotals && dependsOnly(each, groupBy);
  return {
    ofKeys: conditions.filter(isOfKeys),
    ofGroups: conditions.filter((each) => !isOfKeys(each)),
  };
}

/** Returns whether a value is computed from keys, parameters and constants. */
function dependsOnly(expression: Expression, keys: readonly Expression[]): boolean {
  if (keys.some((key) => isSame(key, expression))) return true;
  switch (expression.kind) {
    case 'constant':
    case 'parameter':
      return true;
    case 'function': {
      // A function without arguments may have another value for each row.
      const isComputed = expression.role === 'ordinary' && expression.arguments.length > 0;
      return isComputed && childrenOf(expression).every((each) => dependsOnly(each, keys));
    }
    case 'list':
      return expression.items.every((each) => dependsOnly(each, keys));
    case 'column':
      return expression.expression !== undefined && dependsOnly(expression.expression, keys);
    case 'lambda':
    case 'subquery':
    case 'table_set':
      return false;
  }
}

function isSame(a: Expression, b: Expression): boolean {
  if (a.kind === 'column' && b.kind === 'column') return a.source === b.source && a.name === b.name;
  if (a.kind === 'constant' && b.kind === 'constant') return a.text === b.text && a.type === b.type;
  if (a.kind === 'parameter' && b.kind === 'parameter') return a.name === b.name;
  if (a.kind !== 'function' || b.kind !== 'function' || a.name !== b.name || a.role !== 'ordinary')
    return false;
  const [ours, others] = [childrenOf(a), childrenOf(b)];
  return (
    ours.length === others.length &&
    ours.length > 0 &&
    ours.every((each, index) => {
      const other = others[index];
      return other !== undefined && isSame(each, other);
    })
  );
}
