// Expressions as columns of a row, or as the value of the parameter.
import type { Facts, Ref } from './facts.ts';
import type { Expression } from './nodes.ts';

/** Conversions whose result belongs to one value of the argument only. */
const LOSSLESS: ReadonlySet<string> = new Set([
  'toString', 'toLowCardinality', 'toNullable', 'materialize', 'identity', 'assumeNotNull', 'toUUID',
]); // prettier-ignore

/** Conversions of the parameter to the type of a column. */
const OF_PARAMETER =
  /^(?:to(?:U?Int\d+|String|UUID|FixedString|LowCardinality|Nullable|Float\d+|Decimal\d+|Date|Date32|DateTime|DateTime64|Bool)(?:OrNull)?|materialize|identity|assumeNotNull|_?CAST|accurateCast(?:OrNull)?)$/i;

const CAST = /^_?CAST$/i;
const TEXT_TYPES = /^'(?:LowCardinality\()?(?:Nullable\()?(?:String|UUID)\)*'$/;

/** Functions that return a named part of a value. */
const PARTS: ReadonlySet<string> = new Set([
  'tupleElement', 'arrayElement', 'JSONExtractString', 'simpleJSONExtractString', 'visitParamExtractString', 'JSON_VALUE',
  'getSubcolumn',
]); // prettier-ignore

/** The column that an expression is, without conversions; undefined if it is computed. */
export function refOf(expression: Expression): Ref | undefined {
  if (expression.kind === 'column') {
    if (expression.expression !== undefined) return refOf(expression.expression);
    return `${expression.source}.${expression.name}`;
  }
  if (expression.kind !== 'function' || expression.role !== 'ordinary') return undefined;
  const [value, ...rest] = expression.arguments;
  if (value === undefined) return undefined;
  if (LOSSLESS.has(expression.name) && rest.length === 0) return refOf(value);
  const [type] = rest;
  if (CAST.test(expression.name))
    return type?.kind === 'constant' && TEXT_TYPES.test(type.text) ? refOf(value) : undefined;
  if (!PARTS.has(expression.name)) return undefined;
  const parts = rest.map((part) => (part.kind === 'constant' ? partName(part.text) : undefined));
  if (parts.length === 0 || parts.includes(undefined)) return undefined;
  if (value.kind === 'function' && value.name === 'tuple' && expression.name === 'tupleElement') {
    const element = value.arguments[Number(parts[0]) - 1];
    return element === undefined ? undefined : refOf(element);
  }
  const base = refOf(value);
  return base === undefined ? undefined : [base, ...parts].join('.');
}

function partName(constant: string): string | undefined {
  return /^'([\w.:$/-]+)'$/.exec(constant)?.[1] ?? /^U?Int64_(\d+)$/.exec(constant)?.[1];
}

/** What the value of the parameter can be: needed to know whether an expression is one. */
export interface ValueContext {
  readonly parameter: string;
  /** Whether a subquery returns the parameter, or what reference tables have for it. */
  readonly isValueQuery: (query: Expression & { readonly kind: 'subquery' }, column?: number) => boolean;
  /** Whether a dictionary holds reference data only. */
  readonly isShared: (name: string) => boolean;
}

/** Whether an expression is the parameter in every row: itself, converted, or a column that equals it. */
export function isValue(expression: Expression, facts: Facts, context: ValueContext): boolean {
  if (expression.kind === 'parameter') return expression.name === context.parameter;
  if (expression.kind === 'subquery') return context.isValueQuery(expression);
  const ref = refOf(expression);
  if (ref !== undefined && facts.equal.has(ref)) return true;
  if (expression.kind !== 'function' || expression.role !== 'ordinary') return false;
  const [value, ...rest] = expression.arguments;
  if (value === undefined) return false;
  if (OF_PARAMETER.test(expression.name))
    return rest.every(({ kind }) => kind === 'constant') && isValue(value, facts, context);
  const lookup = dictionaryOf(expression);
  if (lookup === undefined || !context.isShared(lookup.name)) return false;
  return lookup.keys.some((key) => isValue(key, facts, context));
}

/** A dictionary or Join table that a function reads, and the expressions of its key. */
export interface DictionaryLookup {
  readonly name: string;
  readonly keys: readonly Expression[];
}

/** The lookup that a function call is; undefined if it is none. */
export function dictionaryOf(expression: Expression): DictionaryLookup | undefined {
  if (expression.kind !== 'function') return undefined;
  const { name, arguments: list } = expression;
  const isJoin = /^joinGet/i.test(name);
  if (!isJoin && !/^dict(?:Get|Has|IsIn)/i.test(name)) return undefined;
  const [source] = list;
  const text = source?.kind === 'constant' ? source.text.replace(/^'(.*)'$/s, '$1') : '';
  const hasAttribute =
    isJoin || (/^dictGet/i.test(name) && !/^dictGet(?:Hierarchy|Children|Descendants)$/i.test(name));
  const keys = isJoin ? list.slice(2) : list.slice(hasAttribute ? 2 : 1, hasAttribute ? 3 : 2);
  return { name: text, keys: keys.flatMap(componentsOf) };
}

/** The components of a tuple; otherwise the expression. */
export function componentsOf(expression: Expression): readonly Expression[] {
  return expression.kind === 'function' && expression.name === 'tuple' ? expression.arguments : [expression];
}
