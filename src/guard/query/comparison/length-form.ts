// Comparisons of the length of a string with 0 and 1, as `empty` and `notEmpty`.
import { typeOf } from '../confinement/types.ts';
import type { Expression, FunctionExpression } from '../tree/nodes.ts';
import { plainTypeOf } from '../../../sql/types/traits.ts';

const LENGTHS: ReadonlySet<string> = new Set(['length', 'lengthUTF8']);

/** By the comparison, the constant, and the side that it is on: what it says of a length. */
const FORMS: ReadonlyMap<string, 'empty' | 'notEmpty'> = new Map(Object.entries({
  'equals 0': 'empty', '0 equals': 'empty', 'notEquals 0': 'notEmpty', '0 notEquals': 'notEmpty', '0 less': 'notEmpty',
  '1 lessOrEquals': 'notEmpty', 'less 1': 'empty', 'lessOrEquals 0': 'empty',
})); // prettier-ignore

/** `length(s) > 0` as `notEmpty(s)`; other calls as they are. */
export function lengthForm(call: FunctionExpression): FunctionExpression {
  const [left, right] = call.arguments;
  if (left === undefined || right === undefined) return call;
  const text = textOf(left) ?? textOf(right);
  const name = FORMS.get([numberOf(left), call.name, numberOf(right)].join(' ').trim());
  return text === undefined || name === undefined ? call : { ...call, name, arguments: [text] };
}

function textOf(length: Expression): Expression | undefined {
  if (length.kind !== 'function' || !LENGTHS.has(length.name)) return undefined;
  return length.arguments.find((each) => plainTypeOf(typeOf(each)).name === 'String');
}

function numberOf(expression: Expression): string {
  return expression.kind === 'constant' ? (/^U?Int64_([01])$/.exec(expression.text)?.[1] ?? '-') : '';
}
