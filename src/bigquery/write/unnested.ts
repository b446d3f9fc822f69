// The array that UNNEST is given.
import type { Expression } from '../../sql/syntax-tree.ts';

/** `COALESCE(array, [])` without its default: a missing array has no elements either. */
export function unnestedOf(array: Expression): Expression {
  if (array.kind !== 'call' || !['coalesce', 'ifnull'].includes(array.name)) return array;
  const [only, ...more] = array.args;
  const areEmpty = more.every((each) => each.kind === 'array' && each.items.length === 0);
  return only !== undefined && more.length > 0 && areEmpty ? only : array;
}
