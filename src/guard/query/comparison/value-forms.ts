// Calls that say of a value what a plainer call says: an Enum by its number, a decimal constant, the first characters of a
// string, a key of a map, and an element of the tuples in an array.
import { isNullable, typeOf } from '../confinement/types.ts';
import { timeForm, wholeDays } from './time-forms.ts';
import { decimalOf, hasType, integerOf, isDecimal, isEnum, plainTypeOf } from '../../../sql/types/traits.ts';
import { parseType, printType, typeArguments, type ClickHouseType } from '../../../sql/types/type.ts';
import type { Expression, FunctionExpression } from '../tree/nodes.ts';

/** The plainer call; the call itself if there is none. */
export function valueForm(call: FunctionExpression): FunctionExpression {
  switch (call.name) {
    case 'equals':
    case 'notEquals':
      return placeForm(prefixForm(namedEnum(plainDecimal(plainNumber(call)))));
    case 'less':
      return placeForm(plainDecimal(plainNumber(call)));
    case 'lessOrEquals':
      return wholeDays(plainDecimal(plainNumber(call)));
    case 'greater':
    case 'greaterOrEquals':
      return plainDecimal(plainNumber(call));
    case 'has':
      return ofMap(call);
    case 'left':
      return leftForm(call);
    case 'CAST':
    case '_CAST':
      return textForm(call);
    case 'arrayExists':
    case 'arrayAll':
    case 'arrayCount':
      return elementForm(call);
    default:
      return timeForm(call);
  }
}

/** `indexOf(array, x) > 0` and `countEqual(array, x) != 0` as `has(array, x)`. */
function placeForm(call: FunctionExpression): FunctionExpression {
  const [left, right] = call.arguments;
  const [none, place] = call.name === 'less' || left?.kind === 'constant' ? [left, right] : [right, left];
  if (none === undefined || place?.kind !== 'function' || integerIn(none) !== 0) return call;
  if (place.name !== 'indexOf' && place.name !== 'countEqual') return call;
  const has = { ...place, name: 'has', type: 'UInt8' };
  return call.name === 'equals' ? { ...call, name: 'not', arguments: [has] } : has;
}

/** `CAST(x AS String)` as `toString(x)`, of a value that is never NULL. */
function textForm(call: FunctionExpression): FunctionExpression {
  const [value] = call.arguments;
  if (value === undefined || call.type !== 'String') return timeForm(call);
  const isPlain = !isNullable(typeOf(value)) && isSimple(plainTypeOf(typeOf(value)));
  return isPlain ? { ...call, name: 'toString', arguments: [value] } : call;
}

/** Returns whether the type has one form as text, and is none itself. */
function isSimple(type: ClickHouseType): boolean {
  return type.name !== 'String' && !hasType(type, (each) => OPEN.has(each.name));
}

const OPEN: ReadonlySet<string> = new Set(['JSON', 'Object', 'Dynamic', 'Variant', 'Tuple', 'Array', 'Map']);

/** `state = 1` as `state = 'open'`. */
function namedEnum(call: FunctionExpression): FunctionExpression {
  return withSides(call, (side, other) => {
    const number = integerIn(side);
    const type = plainTypeOf(typeOf(other));
    if (number === undefined || !isEnum(type)) return side;
    const named = type.arguments?.find((each) => each.kind === 'enum' && Number(each.value) === number);
    const isPlain = named?.kind === 'enum' && !named.source.includes('\\');
    return isPlain ? { kind: 'constant', text: named.source, type: 'String' } : side;
  });
}

/** `count > '5'` as `count > 5`: a string beside a number is read as one of its type. */
function plainNumber(call: FunctionExpression): FunctionExpression {
  return withSides(call, (side, other) => {
    const digits = side.kind === 'constant' ? /^'(\d{1,15})'$/.exec(side.text)?.[1] : undefined;
    if (digits === undefined || other.kind === 'constant') return side;
    const type = plainTypeOf(typeOf(other));
    const bits = integerOf(type)?.bits ?? (isDecimal(type) ? 8 : 0);
    return Number(digits) < 2 ** (bits - 1) ? numberConstant(digits) : side;
  });
}

/** Returns the number in the smallest type that holds it, as the engine reads it. */
function numberConstant(digits: string): Expression {
  const number = BigInt(digits);
  const bits = [8, 16, 32].find((each) => number < 2n ** BigInt(each)) ?? 64;
  return { kind: 'constant', text: `UInt64_${number}`, type: `UInt${bits}` };
}

/** `toDecimal32(2, 2)` beside a decimal as `2`: conversions of whole numbers, which are exact. */
function plainDecimal(call: FunctionExpression): FunctionExpression {
  return withSides(call, (side, other) => {
    if (side.kind !== 'function' || !isDecimal(plainTypeOf(typeOf(other)))) return side;
    if (!/^(?:toDecimal(?:32|64|128|256)|_?CAST)$/.test(side.name)) return side;
    const [value] = side.arguments;
    const number = value && integerIn(value);
    if (value === undefined || number === undefined) return side;
    const decimal = decimalOf(parseType(side.type));
    const digits = decimal && decimal.precision - decimal.scale;
    return digits !== undefined && `${Math.abs(number)}`.length <= digits ? value : side;
  });
}

/** `substring(s, 1, 2) = 'DE'` as `startsWith(s, 'DE')`. */
function prefixForm(call: FunctionExpression): FunctionExpression {
  const [left, right] = call.arguments;
  const [given, constant] = left?.kind === 'constant' ? [right, left] : [left, right];
  const part = given?.kind === 'function' ? leftForm(given) : undefined;
  if (part?.name !== 'substring' || constant?.kind !== 'constant') return call;
  const [text, from, length] = part.arguments;
  const count = length && integerIn(length);
  const characters = /^'([ -&(-[\]-~]+)'$/.exec(constant.text)?.[1];
  if (text === undefined || from === undefined || integerIn(from) !== 1) return call;
  if (characters === undefined || count !== characters.length) return call;
  if (!/^(?:Fixed)?String$/.test(plainTypeOf(typeOf(text)).name)) return call;
  const starts = { ...call, name: 'startsWith', arguments: [text, constant] };
  return call.name === 'equals' ? starts : { ...call, name: 'not', arguments: [starts] };
}

/** `left(s, 2)` as `substring(s, 1, 2)`. */
function leftForm(call: FunctionExpression): FunctionExpression {
  const [text, length] = call.arguments;
  const count = length && integerIn(length);
  if (call.name !== 'left' || text === undefined || length === undefined) return call;
  if (count === undefined || count < 0) return call;
  const first = { kind: 'constant', text: 'UInt64_1', type: 'UInt8' } as const;
  return { ...call, name: 'substring', arguments: [text, first, length] };
}

/** `has(map, key)` as `mapContainsKey(map, key)`. */
function ofMap(call: FunctionExpression): FunctionExpression {
  const [map] = call.arguments;
  return map !== undefined && parseType(typeOf(map)).name === 'Map'
    ? { ...call, name: 'mapContainsKey' }
    : call;
}

/** `arrayExists(a -> a.level > 1, alarms)` as `arrayExists(level -> level > 1, alarms.level)`. */
function elementForm(call: FunctionExpression): FunctionExpression {
  const [lambda, array, ...others] = call.arguments;
  if (lambda?.kind !== 'lambda' || array === undefined || others.length > 0) return call;
  if (lambda.parameters.length !== 1) return call;
  const elements = tupleTypeOf(typeOf(array));
  const used = new Set<number>();
  const body = withElement(lambda.body, (each) => {
    const at = elementOf(each, lambda.id);
    const index = elements.findIndex(({ name }, position) => name === at || position + 1 === at);
    used.add(index);
    const type = elements[index]?.type;
    return { kind: 'column', source: lambda.id, name: lambda.parameters[0] ?? '', type: type === undefined ? '' : printType(type), expression: undefined }; // prettier-ignore
  }, lambda.id); // prettier-ignore
  const [index = -1] = used;
  const { name, type } = elements[index] ?? {};
  if (body === undefined || used.size !== 1 || name === undefined || type === undefined) return call;
  const number = { kind: 'constant', text: `UInt64_${index + 1}`, type: 'UInt8' } as const;
  const part = {
    ...call,
    name: 'tupleElement',
    type: `Array(${printType(type)})`,
    arguments: [array, number],
  };
  return { ...call, arguments: [{ ...lambda, body }, part] };
}

/** The elements of a tuple, or of the tuples in an array. */
export function tupleTypeOf(type: string): ReturnType<typeof typeArguments> {
  const plain = plainTypeOf(type);
  const [item] = plain.name === 'Array' ? typeArguments(plain) : [];
  if (item !== undefined) return tupleTypeOf(printType(item.type));
  return plain.name === 'Tuple' ? typeArguments(plain) : [];
}

/** The expression with the elements of the parameter of a lambda exchanged; undefined if the parameter is used otherwise. */
function withElement(
  expression: Expression,
  exchange: (element: FunctionExpression) => Expression,
  lambda: number,
): Expression | undefined {
  if (expression.kind === 'column' && expression.source === lambda) return undefined;
  if (expression.kind !== 'function')
    return ['column', 'constant', 'parameter'].includes(expression.kind) ? expression : undefined;
  if (elementOf(expression, lambda) !== undefined) return exchange(expression);
  const parts = expression.arguments.map((each) => withElement(each, exchange, lambda));
  const known = parts.filter((each) => each !== undefined);
  return known.length === parts.length ? { ...expression, arguments: known } : undefined;
}

/** The name or number of the element of the parameter that a call is. */
function elementOf(
  { name, arguments: list }: FunctionExpression,
  lambda: number,
): string | number | undefined {
  const [tuple, element] = list;
  if (name !== 'tupleElement' && name !== 'getSubcolumn') return undefined;
  if (tuple?.kind !== 'column' || tuple.source !== lambda || element === undefined) return undefined;
  const text = element.kind === 'constant' ? /^'([^'\\]*)'$/.exec(element.text)?.[1] : undefined;
  return text ?? integerIn(element);
}

function withSides(
  call: FunctionExpression,
  change: (side: Expression, other: Expression) => Expression,
): FunctionExpression {
  const [left, right] = call.arguments;
  if (left === undefined || right === undefined) return call;
  const sides = [change(left, right), change(right, left)];
  return sides[0] === left && sides[1] === right ? call : { ...call, arguments: sides };
}

/** The whole number that a constant is. */
function integerIn(expression: Expression): number | undefined {
  const digits =
    expression.kind === 'constant' ? /^U?Int64_(-?\d{1,15})$/.exec(expression.text)?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}
