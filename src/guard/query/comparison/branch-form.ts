// `if` with the condition that is plainer than its opposite, and as `ifNull` where it replaces NULL.
import type { Expression, FunctionExpression } from '../tree/nodes.ts';

/** Conditions whose opposites are plainer. */
const NEGATIVE: ReadonlySet<string> = new Set([
  'notEquals', 'notIn', 'notLike', 'notILike', 'isNotNull', 'notEmpty', 'lessOrEquals', 'not',
]); // prettier-ignore

/** A choice by a condition that is never NULL, in its plain form and with its opposite. */
export function branchForm(
  call: FunctionExpression,
  condition: Expression,
  opposite: Expression,
): FunctionExpression {
  const [, then, otherwise] = call.arguments;
  if (condition.kind !== 'function' || then === undefined || otherwise === undefined) return call;
  const isPlainer = opposite.kind === 'function' && !NEGATIVE.has(opposite.name);
  if (NEGATIVE.has(condition.name) && isPlainer) return { ...call, arguments: [opposite, otherwise, then] };
  const [value] = condition.arguments;
  const isReplaced = condition.name === 'isNull' && value !== undefined && isSame(value, otherwise);
  return isReplaced ? { ...call, name: 'ifNull', arguments: [otherwise, then] } : call;
}

/** Returns whether two expressions of a query are written alike. */
function isSame(a: Expression, b: Expression): boolean {
  if (a.kind === 'column' && b.kind === 'column') return a.source === b.source && a.name === b.name;
  if (a.kind === 'constant' && b.kind === 'constant') return a.text === b.text && a.type === b.type;
  if (a.kind === 'parameter' && b.kind === 'parameter') return a.name === b.name;
  if (a.kind !== 'function' || b.kind !== 'function') return false;
  const isCall = a.role === 'ordinary' && a.name === b.name && a.arguments.length === b.arguments.length;
  return isCall && a.arguments.every((each, index) => isSame(each, b.arguments[index] ?? each));
}
