// The value of a condition under assumptions about its terms, with NULL as in SQL.
import type { Texts } from './canonical.ts';
import { elementsOf, isCondition, OPPOSITE, plainForm } from './plain-form.ts';
import { momentOf, numberIn, orderOf, secondsIn, stringIn, type Scalar } from './scalars.ts';
import {
  isNull, isOpen, orderBetween, orderWith,
  type Domain, type Facts, type Open, type Order, type Term,
} from './term-facts.ts'; // prettier-ignore
import { tuplesForm } from './tuple-sets.ts';
import { isNullable, isSameValue, typeOf } from '../confinement/types.ts';
import type { Expression, FunctionExpression } from '../tree/nodes.ts';
import {
  enumNames,
  hasType,
  integerOf,
  isAddress,
  isDate,
  isDateTime,
  isDecimal,
  isEnum,
  plainTypeOf,
  timeZone,
  isFloat,
} from '../../../sql/types/traits.ts';
import { parseType } from '../../../sql/types/type.ts';

/** A condition, and the texts of the query that it is in. */
export type Condition = readonly [expression: Expression, texts: Texts];

type TermValue =
  | { readonly kind: 'null' }
  | { readonly kind: 'constant'; readonly text: string }
  /** A number or a time moves the term by so much. */
  | {
      readonly kind: 'term';
      readonly term: Term;
      readonly moved: number;
      readonly isTime: boolean;
      /** It is true if the day of the time is compared. */
      readonly isDay?: boolean;
    };

const NULL: TermValue = { kind: 'null' };
const TRUE: TermValue = { kind: 'constant', text: 'UInt64_1' };
const FALSE: TermValue = { kind: 'constant', text: 'UInt64_0' };

/** Returns whether a row passes a condition; undefined if the condition is NULL. */
export function truthUnder([expression, texts]: Condition, facts: Facts): boolean | undefined | Open {
  return truthOf({ texts, facts }, expression);
}

interface EvaluationContext {
  readonly texts: Texts;
  readonly facts: Facts;
}

function fromTruth(value: boolean | undefined | Open): TermValue | Open {
  if (isOpen(value)) return value;
  if (value === undefined) return NULL;
  return value ? TRUE : FALSE;
}

function truth(value: TermValue | Open, facts: Facts): boolean | undefined | Open {
  if (isOpen(value)) return value;
  if (value.kind === 'null') return undefined;
  const order = orderOfValues(value, FALSE, facts);
  if (order === undefined || isOpen(order)) return order;
  return order !== 'equal';
}

function evaluate(context: EvaluationContext, expression: Expression): TermValue | Open {
  const plain = expression.kind === 'function' ? plainForm(expression) : expression;
  switch (plain.kind) {
    case 'constant':
      return plain.text === 'NULL' ? NULL : { kind: 'constant', text: plain.text };
    case 'column': {
      const meaning = context.texts.plain(plain);
      return meaning === undefined ? termOf(context, plain) : evaluate(context, meaning);
    }
    case 'function':
      return plain.role === 'ordinary' ? call(context, plain) : termOf(context, plain);
    case 'parameter':
    case 'lambda':
    case 'list':
    case 'subquery':
    case 'table_set':
      return termOf(context, plain);
  }
}

/** What is not evaluated, by its text. */
function termOf({ texts }: EvaluationContext, expression: Expression): TermValue {
  const type = typeOf(expression);
  const plain = plainTypeOf(type);
  const isTime = isDate(plain) || isDateTime(plain);
  const moment = isTime ? momentOf(expression, texts) : undefined;
  if (moment?.base === '') return { kind: 'constant', text: `seconds_${moment.seconds}` };
  const text = moment?.base ?? texts.expression(expression);
  const domain = isCondition(expression) ? { ...domainOf(type), ...CONDITION } : domainOf(type);
  return { kind: 'term', term: { text, domain }, moved: moment?.seconds ?? 0, isTime };
}

const CONDITION = { isOrdered: true, isWhole: true, least: 0n, most: 1n } as const;

function domainOf(type: string): Domain {
  const plain = plainTypeOf(type);
  const shared = { isNullable: isNullable(type) };
  if (plain.name === 'Bool') return { ...shared, ...CONDITION };
  const integer = integerOf(plain);
  if (integer !== undefined)
    return { ...shared, isOrdered: true, isWhole: true, least: integer.isSigned ? undefined : 0n };
  if (plain.name === 'String') return { ...shared, isOrdered: true, isWhole: false, least: '' };
  const isOrdered =
    [isDate, isDateTime, isDecimal, isAddress, isEnum].some((is) => is(plain)) || plain.name === 'UUID';
  const values = isEnum(plain) ? enumNames(plain) : undefined;
  return {
    ...shared,
    isOrdered,
    isWhole: false,
    isFloat: isFloat(plain),
    values: values?.every(isPlain) === true ? values : undefined,
  };
}

/** Returns whether a constant of a string has its characters as they are. */
function isPlain(text: string): boolean {
  return !/['\\]|[^ -~]/.test(text);
}

const TEXTS: ReadonlySet<string> = new Set(['String', 'FixedString']);

/** Functions that are evaluated; others are terms. */
const FUNCTIONS: ReadonlyMap<string, (context: EvaluationContext, call: FunctionExpression) => TermValue | Open | undefined> = new Map(Object.entries({
  and: (context, { arguments: list }) => all(context, list, true),
  or: (context, { arguments: list }) => all(context, list, false),
  not: (context, { arguments: [only] }) => only && fromTruth(not(truthOf(context, only))),
  xor: exclusive,
  equals: (context, { arguments: list }) => compared(context, list, (order) => order === 'equal'),
  less: (context, { arguments: list }) => ordered(context, list, (order) => order === 'less'),
  lessOrEquals: (context, { arguments: list }) =>
    ordered(context, list, (order) => order === 'less' || order === 'equal'),
  isNotDistinctFrom: same,
  in: (context, call) => {
    const tuples = tuplesForm(call);
    return tuples === undefined ? among(context, ...call.arguments) : evaluate(context, tuples);
  },
  has: (context, { arguments: [set, value] }) => (set?.kind === 'parameter' ? undefined : among(context, value, set)),
  isNull: (context, { arguments: [only] }) => only && fromTruth(isNullValue(context, only)),
  empty: (context, { arguments: [only] }) =>
    only && compared(context, TEXTS.has(plainTypeOf(typeOf(only)).name) ? [only, EMPTY] : [lengthOf(only), NONE], (order) => order === 'equal'),
  ifNull: (context, { arguments: list }) => firstValue(context, list),
  assumeNotNull: notNull,
  coalesce: (context, { arguments: list }) => firstValue(context, list),
  if: (context, { arguments: list }) => chosen(context, list),
  multiIf: (context, { arguments: list }) => chosen(context, list),
  toDate: dayOf,
  toStartOfDay: dayOf,
  caseWithExpression: (context, { arguments: [value, ...list], ...rest }) =>
    value && chosen(context, list.map((each, index) =>
      index % 2 === 0 && index < list.length - 1 ? { ...rest, name: 'equals', type: 'UInt8', arguments: [value, each] } : each)),
})); // prettier-ignore

/** Returns whether a condition consists of columns, parameters, constants and what is evaluated. */
export function isEvaluated(expression: Expression): boolean {
  const plain = expression.kind === 'function' ? plainForm(expression) : expression;
  if (plain.kind !== 'function') return plain.kind !== 'subquery' && plain.kind !== 'table_set';
  const isKnown = FUNCTIONS.has(plain.name) || OPPOSITE.has(plain.name) || plain.name === 'tuple';
  return plain.role !== 'ordinary' || (isKnown && plain.arguments.every(isEvaluated));
}

const EMPTY: Expression = { kind: 'constant', text: "''", type: 'String' };
const NONE: Expression = { kind: 'constant', text: 'UInt64_0', type: 'UInt8' };

function lengthOf(value: Expression): FunctionExpression {
  return { ...EQUALS, name: 'length', type: 'UInt64', arguments: [value] };
}

function call(context: EvaluationContext, expression: FunctionExpression): TermValue | Open {
  const opposite = OPPOSITE.get(expression.name);
  if (opposite !== undefined)
    return fromTruth(not(truthOf(context, { ...expression, name: opposite, type: expression.type })));
  const [first, second] = expression.arguments;
  if (first !== undefined && isUnchanged(expression, first, second)) return evaluate(context, first);
  return FUNCTIONS.get(expression.name)?.(context, expression) ?? termOf(context, expression);
}

const DAY = 86_400;

/** The day of a time that is stored. */
function dayOf(
  context: EvaluationContext,
  { arguments: [time, ...zone] }: FunctionExpression,
): TermValue | undefined {
  if (time?.kind !== 'column' || zone.length > 0) return undefined;
  const type = parseType(typeOf(time));
  if (!isDateTime(type) || timeZone(type) !== undefined) return undefined;
  const value = termOf(context, time);
  return value.kind === 'term' && value.moved === 0 ? { ...value, isDay: true } : undefined;
}

/** A conversion to a type that has each of the values, `x + 0`, and `s || ''`. */
function isUnchanged({ name, type }: FunctionExpression, first: Expression, second?: Expression): boolean {
  if (plainTypeOf(type).name === 'Bool' && isCondition(first)) return /^(?:_?CAST|toBool)$/.test(name);
  if (!isSameValue(typeOf(first), type)) return false;
  if (/^(?:_?CAST|accurateCast|to(?:String|U?Int\d+|Nullable|LowCardinality)|materialize|identity)$/i.test(name)) return true; // prettier-ignore
  if (name === 'concat') return second?.kind === 'constant' && second.text === "''";
  const number = second?.kind === 'constant' ? numberIn(second.text) : undefined;
  if (name === 'plus' || name === 'minus') return number === 0n;
  return name === 'multiply' && number === 1n;
}

function truthOf(context: EvaluationContext, expression: Expression): boolean | undefined | Open {
  return truth(evaluate(context, ofTruth(expression)), context.facts);
}

/** A conversion to Bool is true where the number is. */
function ofTruth(expression: Expression): Expression {
  if (expression.kind !== 'function' || plainTypeOf(expression.type).name !== 'Bool') return expression;
  const [value] = expression.arguments;
  const isNumber = value !== undefined && integerOf(plainTypeOf(typeOf(value))) !== undefined;
  return isNumber && /^(?:_?CAST|toBool)$/.test(expression.name) ? value : expression;
}

function not(value: boolean | undefined | Open): boolean | undefined | Open {
  return typeof value === 'boolean' ? !value : value;
}

/** AND, or OR with `neutral` false. */
function all(context: EvaluationContext, list: readonly Expression[], neutral: boolean): TermValue | Open {
  const values = list.map((each) => truthOf(context, each));
  if (values.includes(!neutral)) return fromTruth(!neutral);
  const open = values.find(isOpen);
  return open ?? fromTruth(values.includes(undefined) ? undefined : neutral);
}

function exclusive(context: EvaluationContext, { arguments: list }: FunctionExpression): TermValue | Open {
  const values = list.map((each) => truthOf(context, each));
  const open = values.find(isOpen);
  if (open !== undefined) return open;
  if (values.includes(undefined)) return NULL;
  return fromTruth(values.filter((each) => each === true).length % 2 === 1);
}

function isNullValue(context: EvaluationContext, expression: Expression): boolean | Open {
  const value = evaluate(context, expression);
  if (isOpen(value)) return value;
  return value.kind === 'term' ? isNull(value.term, context.facts) : value.kind === 'null';
}

/** The first value that is not NULL. */
function firstValue(context: EvaluationContext, list: readonly Expression[]): TermValue | Open {
  for (const each of list) {
    const isAbsent = isNullValue(context, each);
    if (isOpen(isAbsent)) return isAbsent;
    if (!isAbsent) return evaluate(context, each);
  }
  return NULL;
}

/** The value, except of NULL. */
function notNull(context: EvaluationContext, call: FunctionExpression): TermValue | Open | undefined {
  const [only] = call.arguments;
  if (only === undefined) return undefined;
  const isAbsent = isNullValue(context, only);
  if (isOpen(isAbsent)) return isAbsent;
  return isAbsent ? undefined : evaluate(context, only);
}

/** Conditions and values in turn, then the value otherwise. A condition that is NULL leads to the next one. */
function chosen(context: EvaluationContext, list: readonly Expression[]): TermValue | Open {
  for (let at = 0; at < list.length; at += 2) {
    const [when, then] = [list[at], list[at + 1]];
    if (when === undefined) break;
    if (then === undefined) return evaluate(context, when);
    const value = truthOf(context, when);
    if (isOpen(value)) return value;
    if (value === true) return evaluate(context, then);
  }
  return NULL;
}

/** `x IN (…)` with values that are written out. */
function among(
  context: EvaluationContext,
  left?: Expression,
  set?: Expression,
): TermValue | Open | undefined {
  const elements = set === undefined ? undefined : elementsOf(set);
  if (left === undefined || elements === undefined || (left.kind === 'function' && left.name === 'tuple'))
    return undefined;
  const options = elements.map((each): Expression => {
    const element: Expression = typeof each === 'string' ? { kind: 'constant', text: each, type: '' } : each;
    return { ...EQUALS, arguments: [left, element] };
  });
  return all(context, options, false);
}

const EQUALS: FunctionExpression = {
  kind: 'function', id: -1, name: 'equals', role: 'ordinary', type: 'UInt8', arguments: [], parameters: [], window: undefined,
}; // prettier-ignore

/** Also if both are NULL. */
function same(context: EvaluationContext, call: FunctionExpression): TermValue | Open | undefined {
  const absent = call.arguments.map((each) => isNullValue(context, each));
  const open = absent.find(isOpen);
  if (open !== undefined) return open;
  if (absent.includes(true)) return fromTruth(!absent.includes(false));
  return compared(context, call.arguments, (order) => order === 'equal');
}

/** The order of Enums is that of their numbers, which are not known here. */
function ordered(
  context: EvaluationContext,
  list: readonly Expression[],
  isTrue: (order: Order) => boolean,
): TermValue | Open | undefined {
  return list.some((each) => hasType(parseType(typeOf(each)), isEnum))
    ? undefined
    : compared(context, list, isTrue);
}

function compared(
  context: EvaluationContext,
  list: readonly Expression[],
  isTrue: (order: Order) => boolean,
): TermValue | Open | undefined {
  const [left, right] = list.map((each) => evaluate(context, each));
  if (left === undefined || right === undefined) return undefined;
  for (const side of [left, right]) {
    if (isOpen(side)) return side;
    if (side.kind === 'null') return NULL;
    const isAbsent = side.kind === 'term' && isNull(side.term, context.facts);
    if (isOpen(isAbsent)) return isAbsent;
    if (isAbsent) return NULL;
  }
  if (isOpen(left) || isOpen(right)) return undefined;
  const order = orderOfValues(left, right, context.facts);
  if (order === undefined || isOpen(order)) return order;
  return fromTruth(isTrue(order));
}

/** Undefined if values of such types are not compared here. */
function orderOfValues(left: TermValue, right: TermValue, facts: Facts): Order | Open | undefined {
  if (left.kind === 'null' || right.kind === 'null') return undefined;
  if (left.kind === 'constant' && right.kind === 'constant') {
    const [a, b] = [scalarOf(left.text, right.text), scalarOf(right.text, left.text)];
    return a === undefined || b === undefined ? undefined : orderOf(a, b);
  }
  if (left.kind === 'term' && right.kind === 'term') {
    if (left.isDay === true || right.isDay === true) return undefined;
    return orderBetween(left.term, right.term, right.moved - left.moved, facts);
  }
  if (left.kind === 'constant') {
    const order = orderOfValues(right, left, facts);
    return order === 'less' ? 'greater' : order === 'greater' ? 'less' : order;
  }
  if (right.kind !== 'constant' || left.kind !== 'term') return undefined;
  const value = left.isTime ? timeOf(right.text) : valueOf(right.text);
  if (left.isDay === true) return typeof value === 'number' ? orderOfDay(left.term, value, facts) : undefined;
  if (value === undefined || (left.moved !== 0 && typeof value === 'string')) return undefined;
  return orderWith(left.term, left.moved === 0 || typeof value === 'string' ? value : Number(value) - left.moved, facts); // prettier-ignore
}

/** How the day of a time compares with midnight. */
function orderOfDay(term: Term, midnight: number, facts: Facts): Order | Open | undefined {
  if (midnight % DAY !== 0) return undefined;
  const order = orderWith(term, midnight, facts);
  if (order === 'less' || isOpen(order)) return order;
  const next = orderWith(term, midnight + DAY, facts);
  if (isOpen(next)) return next;
  return next === 'less' ? 'equal' : 'greater';
}

function valueOf(text: string): Scalar | undefined {
  return numberIn(text) ?? stringIn(text);
}

function timeOf(text: string): number | undefined {
  return text.startsWith('seconds_') ? Number(text.slice('seconds_'.length)) : secondsIn(text);
}

/** A constant beside another: a string beside a time is one. */
function scalarOf(text: string, other: string): Scalar | undefined {
  return [text, other].some((each) => each.startsWith('seconds_')) ? timeOf(text) : valueOf(text);
}
