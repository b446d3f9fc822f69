// Aggregate functions that count or sum what a plainer one does: `sumIf(1, c)`, `sum(if(c, 1, 0))` and `count(if(c, 1, NULL))` as `countIf(c)`.
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
  const [condition, then, otherwise] = choiceIn(value);
  const isCounted = then !== undefined && isNumber(then);
  const isNull = otherwise?.kind === 'constant' && otherwise.text === 'NULL';
  if (condition === undefined || !isCounted || !isNull) return call;
  return { ...call, name: 'countIf', arguments: [condition] };
}

function summedIf(call: FunctionExpression, value: Expression): FunctionExpression {
  const [condition, then, otherwise] = choiceIn(value);
  const isZero = otherwise?.kind === 'constant' && /^U?Int64_0$/.test(otherwise.text);
  if (condition === undefined || then === undefined || !isZero) return call;
  return { ...call, name: 'sumIf', arguments: [then, condition] };
}

function choiceIn(value: Expression): readonly Expression[] {
  return value.kind === 'function' && value.name === 'if' ? value.arguments : [];
}
