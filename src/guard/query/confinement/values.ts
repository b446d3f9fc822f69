// Expressions as columns of a row, or as the value of the parameter.
import { partOfRef, refOfColumn, type Facts, type Ref } from './facts.ts';
import { plainPath } from '../../redact/subcolumn-name.ts';
import type { Expression, FunctionExpression } from '../tree/nodes.ts';
import { isNullable, isSameValue, keepsApart, keepsParameter, typeOf } from './types.ts';

/** Conversions by name; which of them keep values apart depends on the types. */
const CONVERSIONS =
  /^(?:to(?:U?Int\d+|String|UUID|FixedString|LowCardinality|Nullable|IPv4|IPv6)(?:OrNull)?|materialize|identity|assumeNotNull|_?CAST|accurateCast(?:OrNull)?)$/i;

/** Conversions that fail or return NULL for a number that the type does not have, instead of another number. */
const ACCURATE = /^(?:accurateCast(?:OrNull)?|to\w+OrNull)$/i;

/** Functions that return a named part of a value. */
const PARTS: ReadonlySet<string> = new Set([
  'tupleElement', 'arrayElement', 'JSONExtractString', 'simpleJSONExtractString', 'visitParamExtractString', 'JSON_VALUE',
  'getSubcolumn',
]); // prettier-ignore

/** The refs of a column `name` of a table, as a column and as a part of one: `meta.project` may be `meta['project']`. */
export function refsOfName(source: number, name: string): readonly Ref[] {
  const path = plainPath(name);
  const parts = path.split('.');
  const refs = [refOfColumn(source, path), refOfColumn(source, `${path}.:\`String\``)];
  for (let at = 1; at < parts.length; at++) {
    const base = refOfColumn(source, parts.slice(0, at).join('.'));
    const rest = parts.slice(at);
    for (const each of PARTS) {
      refs.push(partOfRef(base, each, rest), partOfRef(base, each, [rest.join('.')]));
      refs.push(rest.reduce((ref, part) => partOfRef(ref, each, [part]), base));
    }
    refs.push(partOfRef(base, 'getSubcolumn', [`${rest.join('.')}.:\`String\``]));
    refs.push(partOfRef(base, 'JSON_VALUE', [`$.${rest.join('.')}`]));
  }
  return refs;
}

/** The column that an expression is, without conversions; undefined if it is computed. */
export function refOf(expression: Expression): Ref | undefined {
  if (expression.kind === 'column') {
    if (expression.expression !== undefined) return refOf(expression.expression);
    return refOfColumn(expression.source, expression.name);
  }
  if (expression.kind !== 'function' || expression.role !== 'ordinary') return undefined;
  const [value, ...rest] = expression.arguments;
  if (value === undefined) return undefined;
  if (isConversion(expression, value, keepsApart)) return refOf(value);
  return PARTS.has(expression.name) ? refOfPart(expression.name, value, rest) : undefined;
}

function isConversion({ name, type, arguments: list }: FunctionExpression, value: Expression, keeps: typeof keepsApart): boolean {
  if (isNothingAdded(name, list)) return isSameValue(typeOf(value), type);
  if (!CONVERSIONS.test(name) || !list.slice(1).every(({ kind }) => kind === 'constant')) return false;
  if (/^assumeNotNull$/i.test(name) && isNullable(typeOf(value))) return false; // NULL becomes the type's default
  return keeps(typeOf(value), type, ACCURATE.test(name));
} // prettier-ignore

/** `s || ''`, and `x + 0` and `x - 0`, which only make an integer's type larger. */
function isNothingAdded(name: string, [value, added, ...rest]: readonly Expression[]): boolean {
  if (value === undefined || added?.kind !== 'constant' || rest.length > 0) return false;
  if (name === 'concat') return added.text === "''";
  return (name === 'plus' || name === 'minus') && /^U?Int64_0$/.test(added.text);
}

function refOfPart(name: string, value: Expression, rest: readonly Expression[]): Ref | undefined {
  const parts = rest.map((part) => (part.kind === 'constant' ? partName(part.text) : undefined));
  const known = parts.filter((part) => part !== undefined);
  if (parts.length === 0 || known.length < parts.length) return undefined;
  if (value.kind === 'function' && value.name === 'tuple' && name === 'tupleElement') {
    const element = value.arguments[Number(known[0]?.replace('#', '')) - 1];
    return element === undefined ? undefined : refOf(element);
  }
  const base = refOf(value);
  return base === undefined ? undefined : partOfRef(base, name, known);
}

function partName(constant: string): string | undefined {
  const [, name, index] = /^'([^'\\]*)'$|^U?Int64_(\d+)$/.exec(constant) ?? [];
  return index === undefined ? name : `#${index}`; // the element named 2 may be the first
}

/** What the value of the parameter can be: needed to know whether an expression is one. */
export interface ValueContext {
  readonly parameter: string;
  /** Returns whether a subquery returns the parameter, or what reference tables have for it. */
  readonly isValueQuery: (query: Expression & { readonly kind: 'subquery' }, column?: number) => boolean;
  /** Returns whether a dictionary holds reference data only. */
  readonly isShared: (name: string) => boolean;
}

/** Returns whether an expression is the parameter in every row: itself, converted, or a column that equals it. */
export function isValue(expression: Expression, facts: Facts, context: ValueContext): boolean {
  if (expression.kind === 'parameter') return expression.name === context.parameter;
  if (expression.kind === 'subquery') return context.isValueQuery(expression);
  const ref = refOf(expression);
  if (ref !== undefined && facts.equal.has(ref)) return true;
  if (expression.kind !== 'function' || expression.role !== 'ordinary') return false;
  const [value] = expression.arguments;
  if (value === undefined) return false;
  if (isConversion(expression, value, keepsParameter)) return isValue(value, facts, context);
  if (expression.name === 'arrayJoin') return isListOfValues(value, facts, context);
  const lookup = dictionaryOf(expression);
  if (lookup === undefined || !context.isShared(lookup.name) || !ATTRIBUTE.test(expression.name))
    return false;
  return lookup.keys.some((key) => isValue(key, facts, context));
}

/** Returns whether an array is written out, and each element is the parameter. */
function isListOfValues(list: Expression, facts: Facts, context: ValueContext): boolean {
  if (list.kind !== 'function' || list.name !== 'array' || list.arguments.length === 0) return false;
  return list.arguments.every((each) => isValue(each, facts, context));
}

/** A dictionary or Join table that a function reads, and the expressions of its key. */
export interface DictionaryLookup {
  readonly name: string;
  /** None if entries of other keys have an influence. */
  readonly keys: readonly Expression[];
}

/** Functions that return an attribute of the entry of a key, or that there is none. */
const ATTRIBUTE = /^dictGet(?:String|U?Int\d+|Float\d+|UUID|Date|DateTime|IPv4|IPv6|OrNull)?$/i;
const BY_KEY = /^dictGet(?:String|U?Int\d+|Float\d+|UUID|Date|DateTime|IPv4|IPv6|OrNull)?(?:OrDefault)?$/i;

/** The lookup that a function call is; undefined if it is none. */
export function dictionaryOf(expression: Expression): DictionaryLookup | undefined {
  if (expression.kind !== 'function') return undefined;
  const { name, arguments: list } = expression;
  const isJoin = /^joinGet/i.test(name);
  if (!isJoin && !/^dict(?:Get|Has|IsIn)/i.test(name)) return undefined;
  const [source] = list;
  const text = source?.kind === 'constant' ? source.text.replace(/^'(.*)'$/s, '$1') : '';
  return { name: text, keys: keysOf(name, list).flatMap(componentsOf) };
}

function keysOf(name: string, list: readonly Expression[]): readonly Expression[] {
  if (/^joinGet(?:OrNull)?$/i.test(name)) return list.slice(2);
  if (BY_KEY.test(name)) return list.slice(2, 3);
  return /^dictHas$/i.test(name) ? list.slice(1, 2) : []; // hierarchies and patterns lead to other entries
}

/** The components of a tuple; otherwise the expression. */
export function componentsOf(expression: Expression): readonly Expression[] {
  return expression.kind === 'function' && expression.name === 'tuple' ? expression.arguments : [expression];
}
