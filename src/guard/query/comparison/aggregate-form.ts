// Aggregate functions that count or sum what a plainer one does: `sumIf(1, c)`, `sum(if(c, 1, 0))` and `count(if(c, 1, NULL))` as `countIf(c)`.
import { isNullable, typeOf } from '../confinement/types.ts';
import type { Expression, FunctionExpression } from '../tree/nodes.ts';

/** `first` is the first argument in its plain form. Returns the call itself if there is no plainer one. */
export function aggregateForm(
  call: FunctionExpression,
  first: Expression,
  isCondition: (expression: Expression) => boolean,
): FunctionExpression {
  const [, condition] = call.arguments;
  switch (call.name) {
    case 'count':
      if (isNumber(first)) return { ...call, arguments: [] };
      return countedIf(call, first);
    case 'sum':
      if (isOne(first)) return { ...call, name: 'count', arguments: [] };
      if (isNullable(typeOf(first))) return call; // the sum of no value but NULL is NULL
      return isCondition(first) ? { ...call, name: 'countIf', arguments: [first] } : summedIf(call, first);
    case 'sumIf':
      return isOne(first) && condition !== undefined
        ? { ...call, name: 'countIf', arguments: [condition] }
        : call;
    default:
      return call;
  }
}

/** `count(1)` counts all rows. */
function isNumber(expression: Expression): boolean {
  return expression.kind === 'constant' && /^U?Int64_\d+$/.test(expression.text);
}

function isOne(expression: Expression): boolean {
  return expression.kind === 'constant' && expression.text === 'UInt64_1';
}

/** NULL is not counted. */
function countedIf(call: FunctionExpression, value: Expression): FunctionExpression {
  const condition = conditionOf(value, isNumber, ({ text }) => text === 'NULL');
  return condition === undefined ? call : { ...call, name: 'countIf', arguments: [condition] };
}

function summedIf(call: FunctionExpression, value: Expression): FunctionExpression {
  const condition = conditionOf(
    value,
    () => true,
    ({ text }) => /^U?Int64_0$/.test(text),
  );
  const [, then, otherwise] = choiceIn(value);
  if (condition === undefined || then === undefined || otherwise === undefined) return call;
  const summed = condition === choiceIn(value)[0] ? then : otherwise;
  return { ...call, name: 'sumIf', arguments: [summed, condition] };
}

type Constant = Expression & { readonly kind: 'constant' };

/** The condition under which a choice is what has an influence; the opposite one only if it is never NULL. */
function conditionOf(
  value: Expression,
  isCounted: (expression: Expression) => boolean,
  isNothing: (constant: Constant) => boolean,
): Expression | undefined {
  const [condition, then, otherwise] = choiceIn(value);
  if (condition === undefined || then === undefined || otherwise === undefined) return undefined;
  const isLeftOut = (each: Expression): boolean => each.kind === 'constant' && isNothing(each);
  if (isLeftOut(otherwise)) return isCounted(then) ? condition : undefined;
  const isOpposite = isLeftOut(then) && isCounted(otherwise) && condition.kind === 'function';
  if (!isOpposite || isNullable(condition.type)) return undefined;
  return { ...condition, name: 'not', type: 'UInt8', arguments: [condition] };
}

function choiceIn(value: Expression): readonly Expression[] {
  return value.kind === 'function' && value.name === 'if' ? value.arguments : [];
}
