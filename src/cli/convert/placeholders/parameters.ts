// The parameters of a template: its uses, declarations and what stands around them, as declarations of an endpoint file.
import type { ConvertedParameter, ParameterValue } from '../../../sql/dialects/conversion.ts';
import type { Value } from './nodes.ts';
import type { PlacedUse } from './output.ts';
import { integerOf, isDate, isDateTime, isNumeric } from '../../../sql/types/traits.ts';
import { innerType, parseType, printType, type ClickHouseType } from '../../../sql/types/type.ts';

/** ClickHouse's names of types in casts. */
const CAST_TYPES: readonly (readonly [RegExp, string])[] = [
  [/^(big|small|tiny|medium)?int(eger|\d)?( unsigned| signed)?$|^(un)?signed$|^u?int(8|16|32|64)$/, 'Int64'],
  [/^(float\d?|float(32|64)|double( precision)?|real|numeric|decimal|number)$/, 'Float64'],
  [/^(text|varchar|character varying|char|string)$/, 'String'],
  [/^date$/, 'Date'],
  [/^(timestamp|timestamptz|datetime|timestamp_\w+)( with(out)? time zone)?$/, 'DateTime64(6)'],
  [/^uuid$/, 'UUID'],
  [/^bool(ean)?$/, 'Bool'],
];

/** One declaration a name, in the order of first use. `sql` is the text that the offsets of `uses` refer to. */
export function declareParameters(
  sql: string,
  uses: readonly PlacedUse[],
  context: DeclaringContext,
): readonly ConvertedParameter[] {
  return [...groupByName(uses)].map(([name, group]) => declare(name, group, { ...context, sql }));
}

export interface DeclaringContext {
  readonly withDefaultsInPlace: ReadonlySet<string>;
  /** Called for a default that is no value of the parameter's type. */
  readonly onDropped: (use: PlacedUse, type: string) => void;
}

function groupByName(uses: readonly PlacedUse[]): ReadonlyMap<string, readonly PlacedUse[]> {
  const groups = new Map<string, PlacedUse[]>();
  for (const use of uses) groups.set(use.name, [...(groups.get(use.name) ?? []), use]);
  return groups;
}

function declare(
  name: string,
  group: readonly PlacedUse[],
  { sql, withDefaultsInPlace, onDropped }: DeclaringContext & { readonly sql: string },
): ConvertedParameter {
  const value = mergedValue(group);
  const declared = group.some(({ isPartOfString }) => isPartOfString) ? 'String' : value.type;
  const shown =
    declared ?? firstOf(group, (use) => typeAround(sql, use)) ?? typeOfValue(value.default ?? value.example);
  const element = numericContext(sql, group) ?? shown ?? 'String';
  const isList = value.isList === true && !isArray(element);
  const type = isList ? `Array(${element})` : element;
  const isInPlace = withDefaultsInPlace.has(value.name) && value.hasOneDefault !== true;
  const written = isInPlace ? undefined : fitting(value.default, type);
  const dropped =
    isInPlace || written !== undefined ? undefined : group.find(({ value: each }) => hasValue(each));
  if (dropped !== undefined) onDropped(dropped, type);
  const isOptional = value.required !== true && group.every(({ isGuarded }) => isGuarded);
  const known = written ?? (isArray(type) && (isOptional || value.required === false) ? [] : undefined);
  const required = known === undefined && !isOptional && value.required !== false;
  const example = fitting(value.example, type);
  const allowed = value.enum?.map((each) => fitting(each, element)).filter(isScalar) ?? [];
  const description = value.description?.trim().slice(0, 1000) ?? '';
  const choices = group.find((use) => use.value.choices !== undefined)?.value.choices;
  if (choices !== undefined) return chosen({ name, type, required, description }, choices, written);
  return {
    name,
    type,
    required,
    ...(known === undefined ? {} : { default: known }),
    ...(allowed.length === 0 || allowed.length > 200 || !isAllowed(known, allowed) ? {} : { enum: allowed }),
    ...(description === '' ? {} : { description }),
    ...(example === undefined ? {} : { example }),
    ...(shown === undefined && element === 'String' ? { isTypeGuessed: true } : {}),
  };
}

/** A parameter that chooses SQL by name. */
function chosen(
  {
    description,
    ...base
  }: Pick<ConvertedParameter, 'name' | 'type' | 'required'> & { readonly description: string },
  choices: Readonly<Record<string, string>>,
  fallback: ParameterValue | undefined,
): ConvertedParameter {
  return {
    ...base,
    choices,
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(description === '' ? {} : { description }),
  };
}

function hasValue({ default: value = '' }: Value): boolean {
  return typeof value === 'object' ? value.some((each) => each !== '') : value !== '';
}

function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function isAllowed(value: ParameterValue | undefined, choices: readonly (string | number)[]): boolean {
  if (value === undefined) return true;
  return (typeof value === 'object' ? value : [value]).every((each) =>
    choices.some((choice) => choice === each),
  );
}

function firstOf<T, R>(items: readonly T[], read: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = read(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Later uses only add what earlier ones do not say. */
function mergedValue(group: readonly PlacedUse[]): Value {
  const merged: Value = { name: '' };
  for (const { value } of group.toReversed()) Object.assign(merged, value);
  return merged;
}

/** LIMIT and INTERVAL accept integers only. */
function numericContext(sql: string, group: readonly PlacedUse[]): string | undefined {
  return firstOf(group, ({ outStart }) => {
    const before = sql.slice(Math.max(0, outStart - 40), outStart);
    if (/\b(limit|offset|first|next)\s*$/i.test(before)) return 'UInt64';
    return /\binterval\s*$/i.test(before) ? 'Int64' : undefined;
  });
}

/** The type in a cast of the use. */
function typeAround(sql: string, { outStart, outEnd }: PlacedUse): string | undefined {
  const after = sql.slice(outEnd, outEnd + 60);
  const cast = /^\s*::\s*([a-z][\w ]*)/i.exec(after)?.[1];
  const isCall = /\b(?:try_|safe_)?cast\s*\(\s*$/i.test(sql.slice(Math.max(0, outStart - 40), outStart));
  const called = isCall ? /^\s*as\s+([a-z][\w ]*?)\s*[()]/i.exec(after)?.[1] : undefined;
  const written = (called ?? cast?.replace(/^(\w+( precision| varying| with(out)? time zone)?).*$/is, '$1'))
    ?.toLowerCase()
    .trim();
  return written === undefined ? undefined : CAST_TYPES.find(([pattern]) => pattern.test(written))?.[1];
}

function typeOfValue(value: ParameterValue | undefined): string | undefined {
  if (typeof value === 'boolean') return 'Bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'Int64' : 'Float64';
  return undefined;
}

/** The value as one of the type; undefined if it is none. */
export function fitting(value: ParameterValue | undefined, type: string): ParameterValue | undefined {
  const parsed = parseType(type);
  if (parsed.name === 'Array') {
    const element = printType(innerType(parsed));
    if (value === undefined) return undefined;
    const items =
      typeof value === 'object'
        ? value
        : String(value)
            .split(',')
            .map((each) => each.trim());
    const fitted = items
      .filter((each) => each !== '')
      .map((each) => fitting(each, element))
      .filter(isScalar);
    return fitted.length === items.length || items.every((each) => each === '')
      ? fitted.slice(0, 1000)
      : undefined;
  }
  if (value === undefined || typeof value === 'object') {
    const [only] = typeof value === 'object' && value.length === 1 ? value : [];
    return only === undefined ? undefined : fitting(only, type);
  }
  return scalarOf(value, parsed);
}

type Scalar = string | number | boolean;

function isArray(type: string): boolean {
  return parseType(type).name === 'Array';
}

function scalarOf(value: Scalar, type: ClickHouseType): Scalar | undefined {
  const text = String(value).trim();
  if (type.name === 'Bool')
    return /^(true|1)$/i.test(text) ? true : /^(false|0)$/i.test(text) ? false : undefined;
  const integer = integerOf(type);
  if (integer !== undefined) {
    if (!/^-?\d+$/.test(text) || (!integer.isSigned && text.startsWith('-'))) return undefined;
    return Number.isSafeInteger(Number(text)) ? Number(text) : text;
  }
  if (isNumeric(type)) return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
  if (isDateTime(type))
    return /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?(Z|[+-]\d\d:\d\d)?$/.test(text)
      ? text
      : undefined;
  if (isDate(type)) return /^\d{4}-\d\d-\d\d$/.exec(text.slice(0, 10))?.[0];
  if (type.name === 'UUID')
    return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text : undefined;
  return text === '' && type.name !== 'String' ? undefined : String(value);
}
