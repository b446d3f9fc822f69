// One form for calls that mean the same: NOT inside, IN of one value as an equality, CASE and multiIf of one condition as if.
import { isNullable } from '../confinement/types.ts';
import { isTransparent, ofSet } from './blocks.ts';
import { aggregateForm } from './aggregate-form.ts';
import { branchForm } from './branch-form.ts';
import { lengthForm } from './length-form.ts';
import { tupleTypeOf, valueForm } from './value-forms.ts';
import type { Expression, FunctionExpression } from '../tree/nodes.ts';
import {
  integerOf,
  isAddress,
  isDate,
  isDateTime,
  isDecimal,
  isEnum,
  plainType,
  plainTypeOf,
} from '../../../sql/types/traits.ts';
import { parseType, printType, typeArguments, type ClickHouseType } from '../../../sql/types/type.ts';

/** Pairs of functions whose results are opposite, and NULL for the same arguments. */
const NEGATED: ReadonlyMap<string, string> = new Map(Object.entries({
  equals: 'notEquals', notEquals: 'equals', in: 'notIn', notIn: 'in', like: 'notLike', notLike: 'like',
  ilike: 'notILike', notILike: 'ilike', isNull: 'isNotNull', isNotNull: 'isNull', empty: 'notEmpty', notEmpty: 'empty',
})); // prettier-ignore

/** The function that is false, or NULL, where another one is not. */
export const OPPOSITE: ReadonlyMap<string, string> = new Map(Object.entries({
  notEquals: 'equals', notIn: 'in', notLike: 'like', notILike: 'ilike', isNotNull: 'isNull', notEmpty: 'empty',
  isDistinctFrom: 'isNotDistinctFrom',
})); // prettier-ignore

/** `NOT a < b` is `b <= a`, except for NaN. */
const REVERSED: ReadonlyMap<string, string> = new Map(
  Object.entries({ less: 'lessOrEquals', lessOrEquals: 'less' }),
);

/** Types of which of two values one is always less than the other, or both are equal. */
function isOrdered(type: string): boolean {
  const plain = plainTypeOf(type);
  const isKnown = [isDate, isDateTime, isEnum, isDecimal].some((is) => is(plain)) || plain.name === 'UUID';
  return isKnown || isPlainConstant(plain);
}

const MIRRORED: ReadonlyMap<string, string> = new Map(
  Object.entries({ greater: 'less', greaterOrEquals: 'lessOrEquals' }),
);

/** Functions whose result is 0, 1 or NULL. */
const CONDITIONS: ReadonlySet<string> = new Set([
  ...NEGATED.keys(), 'and', 'or', 'not', 'xor', 'less', 'greater', 'lessOrEquals', 'greaterOrEquals', 'has', 'startsWith',
  'endsWith', 'match', 'hasAny', 'hasAll', 'mapContainsKey', 'arrayExists', 'arrayAll',
]); // prettier-ignore

export function isCondition(expression: Expression): boolean {
  return expression.kind === 'function' && CONDITIONS.has(expression.name);
}

/** Conversions: of a value that has their type already, they are the value. */
const CONVERSIONS =
  /^(?:_?CAST|accurateCast|identity|materialize|to(?:String|UUID|U?Int\d+|Float\d+|Date|Date32|DateTime|Bool))$/i;

/** The call in its plain form, itself if it has that already. */
export function plainForm(call: FunctionExpression): Expression {
  const plain = plainStep(call);
  return plain === call || plain.kind !== 'function' ? plain : plainForm(plain);
}

function plainStep(call: FunctionExpression): Expression {
  const [first, second] = call.arguments;
  if (first === undefined) return call;
  if (call.role === 'aggregate')
    return aggregateForm(call, first.kind === 'function' ? plainForm(first) : first, isCondition);
  if (call.role !== 'ordinary') return call;
  const name = withoutReturnType(call.name);
  if (name !== call.name) return { ...call, name };
  if (
    CONVERSIONS.test(call.name) &&
    typeOf(first) === call.type &&
    (second === undefined || /cast/i.test(call.name))
  )
    return first;
  const moved = /^(add|subtract)(Year|Quarter|Month|Week|Day|Hour|Minute|Second)s$/.exec(call.name);
  if (moved !== null && second !== undefined) return withInterval(call, moved, [first, second]);
  const form = valueForm(call);
  if (form !== call) return form;
  switch (call.name) {
    case 'not':
      return negated(call, first);
    case 'and':
    case 'or':
      return withoutConstants(call);
    case 'in':
    case 'notIn':
      return equalityForm(ofEnum(ofSet(call)));
    case 'equals':
    case 'notEquals':
      return second === undefined ? call : comparisonForm(lengthForm(ofEnum(call)), first, second);
    case 'mapContains':
      return { ...call, name: 'mapContainsKey' };
    case 'tupleElement':
    case 'getSubcolumn':
      return second === undefined ? call : numberedElement(call, first, second);
    case 'like':
      return second !== undefined && isWithoutPattern(first, second) ? { ...call, name: 'equals' } : call;
    case 'has':
    case 'hasAny':
    case 'hasAll':
    case 'arrayExists':
      return second === undefined ? call : arrayForm(call, first, second);
    case 'empty':
    case 'notEmpty':
      return filteredForm(call, first);
    case 'if':
      return choiceForm(call, first);
    case 'multiIf':
      return call.arguments.length === 3 ? { ...call, name: 'if' } : call;
    case 'ifNull':
      return isNullable(typeOf(first)) || typeOf(first) === '' ? call : first;
    case 'coalesce':
      return call.arguments.length === 2 ? { ...call, name: 'ifNull' } : call;
    case 'greater':
    case 'greaterOrEquals':
      return second === undefined ? call : mirrored(call, first, second);
    default:
      return lengthForm(call);
  }
}

function mirrored(call: FunctionExpression, left: Expression, right: Expression): FunctionExpression {
  return { ...call, name: MIRRORED.get(call.name) ?? call.name, arguments: [right, left] };
}

/** An Enum compared with the names of its values: a conversion to a string changes nothing. */
function ofEnum(call: FunctionExpression): FunctionExpression {
  const sides = call.arguments.map((each) => {
    const [value] = each.kind === 'function' && CONVERSIONS.test(each.name) ? each.arguments : [];
    const isName = value !== undefined && typeOf(each) === 'String' && isEnum(plainTypeOf(typeOf(value)));
    return isName ? value : each;
  });
  const isChanged = sides.some((each, index) => each !== call.arguments[index]);
  const isNamed = sides.some(({ kind }) => kind === 'constant');
  return isChanged && isNamed ? { ...call, arguments: sides } : call;
}

/** `t.name` as the element of its number. */
function numberedElement(call: FunctionExpression, tuple: Expression, element: Expression): Expression {
  const name = element.kind === 'constant' ? /^'([^'\\\\]*)'$/.exec(element.text)?.[1] : undefined;
  const index = tupleTypeOf(typeOf(tuple)).findIndex((each) => each.name === name);
  if (name === undefined || index < 0) return call;
  const number = { kind: 'constant', text: `UInt64_${index + 1}`, type: 'UInt8' } as const;
  return { ...call, name: 'tupleElement', arguments: [tuple, number] };
}

/** Returns the tuple and the name of the element of `tuple.1`. */
export function elementOf(expression: Expression): readonly [tuple: Expression, name: string] | undefined {
  const call = expression.kind === 'function' ? plainForm(expression) : expression;
  if (call.kind !== 'function' || call.name !== 'tupleElement') return undefined;
  const [tuple, element] = call.arguments;
  const index = element?.kind === 'constant' ? /^UInt64_(\d+)$/.exec(element.text)?.[1] : undefined;
  const item = tuple && tupleTypeOf(typeOf(tuple))[Number(index) - 1];
  return tuple && item && [tuple, item.name ?? `${index}`];
}

/** `dictGetFloat64` reads what `dictGet` reads. */
export function withoutReturnType(name: string): string {
  return /^dictGet(?:U?Int\d+|Float\d+|String|Date(?:Time)?|UUID|IPv[46])$/.test(name) ? 'dictGet' : name;
}

/** `x LIKE 'text'` is an equality. */
function isWithoutPattern(value: Expression, pattern: Expression): boolean {
  const type = parseType(typeOf(value));
  const isText = !isNullable(typeOf(value)) && plainType(type).name === 'String';
  return isText && pattern.kind === 'constant' && /^'[^%_\\]*'$/.test(pattern.text);
}

/** `if(condition, 1, 0)`, and the opposite, of a condition that is never NULL; others by `branchForm`. */
function choiceForm(call: FunctionExpression, condition: Expression): Expression {
  if (!isPlainCondition(condition) || isNullable(typeOf(condition))) return call;
  const opposite = negated({ ...call, name: 'not', type: 'UInt8' }, condition);
  const [, then, otherwise] = call.arguments.map(truthOf);
  if (then === undefined || otherwise === undefined || then === otherwise)
    return branchForm(call, condition.kind === 'function' ? plainForm(condition) : condition, opposite);
  return then ? condition : { ...call, name: 'not', arguments: [condition] };
}

function isPlainCondition(expression: Expression): boolean {
  return isCondition(expression.kind === 'function' ? plainForm(expression) : expression);
}

/** `addDays(x, 1)` as `x + INTERVAL 1 DAY`. */
function withInterval(
  call: FunctionExpression,
  [, direction, unit = '']: readonly string[],
  [value, count]: readonly [Expression, Expression],
): Expression {
  const name = `toInterval${unit}`;
  const interval = { ...call, name, type: `Interval${unit}`, arguments: [count] };
  return { ...call, name: direction === 'add' ? 'plus' : 'minus', arguments: [value, interval] };
}

function negated(call: FunctionExpression, inner: Expression): Expression {
  if (inner.kind !== 'function' || inner.role !== 'ordinary') return call;
  const plain = plainForm(inner);
  if (plain.kind !== 'function') return call;
  const [condition] = plain.arguments;
  if (plain.name === 'not' && condition !== undefined && isCondition(condition)) return condition;
  const opposite = NEGATED.get(plain.name);
  if (opposite !== undefined) return { ...plain, name: opposite };
  const reverse = REVERSED.get(plain.name);
  if (reverse !== undefined && plain.arguments.every((each) => isOrdered(typeOf(each))))
    return { ...plain, name: reverse, arguments: plain.arguments.toReversed() };
  if (plain.name === 'and' || plain.name === 'or') {
    const name = plain.name === 'and' ? 'or' : 'and';
    return { ...plain, name, arguments: plain.arguments.map((each) => ({ ...call, arguments: [each] })) };
  }
  return call;
}

/** `a AND true` as `a`, if `a` is a condition: otherwise the result is 1, not `a`. */
function withoutConstants(call: FunctionExpression): Expression {
  const neutral = call.name === 'and';
  const rest = call.arguments.filter((each) => truthOf(each) !== neutral);
  const [only] = rest;
  if (rest.length === 1 && only !== undefined && isCondition(only)) return only;
  return rest.length === call.arguments.length || rest.length === 0 ? call : { ...call, arguments: rest };
}

/** The value of a constant condition such as `1 = 1`; undefined if it is none. */
export function truthOf(expression: Expression): boolean | undefined {
  if (expression.kind === 'constant') {
    if (/^(?:UInt64_1|Bool_1|true)$/.test(expression.text)) return true;
    return /^(?:UInt64_0|Bool_0|false)$/.test(expression.text) ? false : undefined;
  }
  if (expression.kind !== 'function' || !/^(?:equals|notEquals)$/.test(expression.name)) return undefined;
  const [left, right] = expression.arguments;
  if (left?.kind !== 'constant' || right?.kind !== 'constant' || left.type !== right.type) return undefined;
  if (!isPlainConstant(parseType(left.type))) return undefined;
  return (left.text === right.text) === (expression.name === 'equals');
}

/** A type whose constants are equal if their texts are. */
function isPlainConstant(type: ClickHouseType): boolean {
  return integerOf(type) !== undefined || type.name === 'String';
}

/** `(SELECT x)`, which reads nothing, as `x`. */
export function withoutSubquery(expression: Expression): Expression {
  const select = expression.kind === 'subquery' ? expression.query : undefined;
  if (select?.kind !== 'query') return expression;
  const { from, projection } = select;
  const [only] = projection;
  const isOne = from.kind === 'table' && from.name === 'system.one' && projection.length === 1;
  const isPlain = isOne && isTransparent(select) && select.where === undefined;
  return isPlain && only !== undefined ? withoutSubquery(only) : expression;
}

/** Tuples as their elements, `x = ''` as `empty(x)`, and `condition = 1` as the condition. */
function comparisonForm(call: FunctionExpression, left: Expression, right: Expression): Expression {
  const [condition, truth] = left.kind === 'constant' ? [right, truthOf(left)] : [left, truthOf(right)];
  if (truth !== undefined && isPlainCondition(condition))
    return truth === (call.name === 'equals') ? condition : { ...call, name: 'not', arguments: [condition] };
  const [items, others] = [tupleItems(left), tupleItems(right)];
  if (items !== undefined && others !== undefined) {
    const pairs = items.flatMap((each, index) => {
      const item = others[index];
      return item === undefined ? [] : { ...call, arguments: [each, item] };
    });
    if (pairs.length !== others.length || pairs.length < 2) return call;
    return { ...call, name: call.name === 'equals' ? 'and' : 'or', arguments: pairs };
  }
  const [value, other] = isEmptyString(left) ? [right, left] : [left, right];
  if (!isEmptyString(other) || typeOf(value) !== 'String') return call;
  return { ...call, name: call.name === 'equals' ? 'empty' : 'notEmpty', arguments: [value] };
}

/** The items of a tuple that is written out, perhaps as a constant. */
export function tupleItems(tuple: Expression): readonly Expression[] | undefined {
  if (tuple.kind === 'function') return tuple.name === 'tuple' ? tuple.arguments : undefined;
  if (tuple.kind !== 'constant' || !tuple.text.startsWith('Tuple_(')) return undefined;
  const texts = elementsOf(tuple);
  const types = typeArguments(parseType(tuple.type)).map(({ type }) => printType(type));
  return texts?.flatMap((text, index) =>
    typeof text === 'string' ? [{ kind: 'constant', text, type: types[index] ?? '' }] : text,
  );
}

function isEmptyString(expression: Expression): boolean {
  return expression.kind === 'constant' && expression.type === 'String' && expression.text === "''";
}

/** `has([y], x)` as an equality, and `has([y, z], x)` as IN, of like types; `has(mapKeys(x), y)` as what maps have for it. */
function elementForm(call: FunctionExpression, array: Expression, value: Expression): Expression {
  const [map] = array.kind === 'function' && array.name === 'mapKeys' ? array.arguments : [];
  if (map !== undefined) return { ...call, name: 'mapContainsKey', arguments: [map, value] };
  const [item] = array.kind === 'parameter' ? typeArguments(parseType(array.type)) : [];
  if (item !== undefined && kindOfType(printType(item.type)) === (kindOfType(typeOf(value)) ?? ''))
    return { ...call, name: 'in', arguments: [value, array] };
  if (array.kind !== 'function' || array.name !== 'array') return call;
  const kinds = new Set([value, ...array.arguments].map((each) => kindOfType(typeOf(each))));
  if (kinds.size !== 1 || kinds.has(undefined)) return call;
  return plainForm({ ...call, name: 'in', arguments: [value, { ...array, name: 'tuple' }] });
}

function arrayForm(call: FunctionExpression, first: Expression, second: Expression): Expression {
  if (call.name === 'arrayExists') return existsForm(call, first, second);
  return (call.name === 'has' ? elementForm : elementsForm)(call, first, second);
}

/** `hasAny(array, [x, y])` as `has(array, x) OR has(array, y)`, and `hasAll` with AND. */
function elementsForm(call: FunctionExpression, array: Expression, set: Expression): Expression {
  if (array.kind === 'constant' && call.name === 'hasAny') return elementsForm(call, set, array);
  const elements = set.kind === 'constant' ? (elementsOf(set) ?? []) : [];
  const type = typeArguments(parseType(typeOf(set)))[0]?.type;
  const calls = elements.flatMap((text): readonly FunctionExpression[] => {
    if (typeof text !== 'string' || type === undefined) return [];
    return [{ ...call, name: 'has', arguments: [array, { kind: 'constant', text, type: printType(type) }] }];
  });
  const [only] = calls;
  if (only === undefined || calls.length === 1) return only ?? call;
  return { ...call, name: call.name === 'hasAny' ? 'or' : 'and', arguments: calls };
}

/** `arrayExists(e -> e = 'x', array)` as `has(array, 'x')`, of like types; of a condition with OR as several. */
function existsForm(call: FunctionExpression, lambda: Expression, array: Expression): Expression {
  if (lambda.kind !== 'lambda' || lambda.body.kind !== 'function') return call;
  const body = plainForm(lambda.body);
  if (body.kind !== 'function') return call;
  if (body.name === 'or') {
    const [, ...arrays] = call.arguments;
    const parts = body.arguments.map((each) => ({
      ...call,
      arguments: [{ ...lambda, body: each }, ...arrays],
    }));
    return { ...call, name: 'or', arguments: parts };
  }
  if (body.name !== 'equals') return call;
  const element = body.arguments.find((each) => each.kind === 'column' && each.source === lambda.id);
  const constant = body.arguments.find(({ kind }) => kind === 'constant');
  if (element === undefined || constant === undefined || call.arguments.length > 2) return call;
  const [type, other] = [typeOf(element), typeOf(constant)].map(kindOfType);
  return type === undefined || type !== other ? call : { ...call, name: 'has', arguments: [array, constant] };
}

/** `notEmpty(arrayFilter(…))` as `arrayExists(…)`. */
function filteredForm(call: FunctionExpression, array: Expression): Expression {
  if (array.kind !== 'function' || array.name !== 'arrayFilter') return call;
  const exists = { ...call, name: 'arrayExists', arguments: array.arguments };
  return call.name === 'notEmpty' ? exists : { ...call, name: 'not', arguments: [exists] };
}

/** IN converts its elements to the type of the left side, an equality both sides to a common type: only of like types. */
function equalityForm(call: FunctionExpression): Expression {
  const [left, right] = call.arguments;
  if (left === undefined || right === undefined) return call;
  const element = onlyElement(right);
  if (element === undefined) return call;
  const [type, other] = [typeOf(left), typeOf(element)].map(kindOfType);
  if (type === undefined || type !== other) return call;
  return { ...call, name: call.name === 'in' ? 'equals' : 'notEquals', arguments: [left, element] };
}

function onlyElement(set: Expression): Expression | undefined {
  const right = withoutSubquery(set);
  if (right.kind !== 'function') return right;
  if (right.name !== 'tuple' && right.name !== 'array') return undefined;
  return right.arguments.length === 1 ? right.arguments[0] : undefined;
}

function typeOf(expression: Expression): string {
  return 'type' in expression ? expression.type : '';
}

/** Equal for types between which both conversions are the same; undefined for those with NULL or less certain ones. */
function kindOfType(type: string): string | undefined {
  const plain = plainTypeOf(type);
  if (isNullable(type)) return undefined;
  const integer = integerOf(plain);
  if (integer !== undefined) return integer.bits <= 64 ? 'integer' : undefined;
  const isLike =
    [isDate, isDateTime, isEnum, isAddress].some((is) => is(plain)) || LIKE_TEXTS.has(plain.name);
  return isLike ? printType(plain) : undefined;
}

const LIKE_TEXTS: ReadonlySet<string> = new Set(['String', 'FixedString', 'UUID', 'Bool']);

/** The elements of a constant set, or of a tuple or array of values; undefined if it is neither. */
export function elementsOf(set: Expression): readonly (string | Expression)[] | undefined {
  if (set.kind === 'function' && (set.name === 'tuple' || set.name === 'array')) return set.arguments;
  if (set.kind !== 'constant') return undefined;
  if (isPlainConstant(parseType(set.type))) return [set.text];
  const inner = /^(?:Tuple_\((.*)\)|Array_\[(.*)\])$/s.exec(set.text);
  const text = inner?.[1] ?? inner?.[2];
  const isPlain = typeArguments(parseType(set.type)).every(({ type }) => isPlainConstant(type));
  if (text === undefined || !isPlain) return undefined;
  const elements = text.match(/U?Int64_-?\d+|'(?:[^'\\]|\\.)*'/g) ?? [];
  return elements.join(', ') === text ? elements : undefined;
}
