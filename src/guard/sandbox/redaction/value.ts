// How values of each type are redacted inside the engine: an expression over the value, and the type of its result. No expression
// fails, whatever the value: a failure would tell something about it.
import { NEUTRAL_ADDRESS } from '../../redact/detector.ts';
import { rulesBelow, type ColumnRules } from '../../redact/columns.ts';
import { quoteString } from '../../../sql/clickhouse/literal.ts';
import { storedShape } from '../../../sql/types/geometry.ts';
import {
  enumNames,
  holdsNull,
  isAddress,
  isDate,
  isDateTime,
  isEnum,
  isInterval,
  isNumeric,
  isTimeOfDay,
  plainType,
} from '../../../sql/types/traits.ts';
import { innerType, printType, typeArguments, type ClickHouseType } from '../../../sql/types/type.ts';
import { redactedDocument } from './document.ts';
import { redactedMap } from './map.ts';
import { changed, DROPPED, masked, nullable, SAME } from './redacted-value.ts';
import type { RedactedValue, Value, ValueSettings } from './redacted-value.ts';
import { hashOf } from './text-functions.ts';

/** The redacted form of a value. */
export function redactedValue(value: Value, settings: ValueSettings): RedactedValue {
  const action = value.rules?.action;
  if (action === 'drop') return DROPPED;
  if (action !== undefined) return treated(value, action, settings);
  const { sql, type } = value;
  if (hasNoText(type)) return SAME;
  switch (type.name) {
    case 'String':
      return redactedText(sql, 'String', settings);
    case 'FixedString':
      return redactedText(`toString(${sql})`, 'String', settings);
    case 'Nullable':
    case 'LowCardinality':
      return redactedWrapped(value, settings);
    case 'IPv4':
    case 'IPv6':
      return settings.findsAddresses ? changed(ADDRESSES[type.name], type.name) : SAME;
    case 'Enum':
    case 'Enum8':
    case 'Enum16':
      return enumNames(type).some(settings.finds)
        ? redactedText(`toString(${sql})`, 'String', settings)
        : SAME;
    case 'SimpleAggregateFunction':
      return redactedValue({ ...value, type: innerType(type, 1) }, settings);
    case 'AggregateFunction':
      return hasText(value, settings) ? DROPPED : SAME;
    case 'Array':
      return redactedArray(value, innerType(type), settings);
    case 'Nested':
      return redactedArray(value, { ...type, name: 'Tuple' }, settings);
    case 'Tuple':
      return redactedTuple(value, settings);
    case 'Map':
      return redactedMap(value, settings, (each) => redactedValue(each, settings));
    case 'JSON':
      return redactedDocument(value, settings, (each) => redactedValue(each, settings));
    case 'Dynamic':
      return redactedDynamic(value, settings);
    case 'Variant':
      return redactedVariant(value, settings);
    default:
      return masked(value, settings); // a type that is not known may hold anything
  }
}

function redactedText(text: string, type: string, { functions }: ValueSettings): RedactedValue {
  return { kind: 'changed', sql: `${functions.texts(`[${text}]`)}[1]`, type, text };
}

/** The neutral address of each family: values remain values of their type. */
const ADDRESSES = { IPv4: `toIPv4(${quoteString(NEUTRAL_ADDRESS)})`, IPv6: "toIPv6('::')" } as const;

const OTHERS_WITHOUT_TEXT: ReadonlySet<string> = new Set(['Bool', 'UUID', 'Nothing', 'QBit']);
const WITHOUT_TEXT = [isNumeric, isDate, isDateTime, isTimeOfDay, isInterval];

/** Numbers, times, identifiers and shapes. */
function hasNoText(type: ClickHouseType): boolean {
  const isKnown = OTHERS_WITHOUT_TEXT.has(type.name) || storedShape(type) !== undefined;
  return isKnown || WITHOUT_TEXT.some((is) => is(type));
}

/** Returns whether the state was made of values that are redacted: it can be merged with that of a guess. */
function hasText({ type, rules }: Value, settings: ValueSettings): boolean {
  const [, ...values] = typeArguments(type);
  return values.some(
    ({ type: argument }) =>
      redactedValue({ sql: 'v', type: argument, rules, depth: 0 }, settings).kind !== 'same',
  );
}

/** A rule by name: null stays null. */
function treated(value: Value, action: 'mask' | 'hash', settings: ValueSettings): RedactedValue {
  if (action === 'mask') return masked(value, settings);
  const { sql, type } = value;
  return nullable(value, hashOf(hashedText(sql, plainType(type))));
}

/** A value as it is in rows, so that its hash is the same: the content of a string, or JSON. */
function hashedText(sql: string, type: ClickHouseType): string {
  if (COMPOSITE.has(type.name) || storedShape(type) !== undefined) return `toJSONString(${sql})`;
  // The JSON of a LowCardinality(Nullable) is Nullable. In rows, times have the format of the connection, and a FixedString all of its bytes.
  if (isDateTime(type) || type.name === 'FixedString')
    return `JSONExtractString(ifNull(toJSONString(${sql}), ''))`;
  return `toString(${sql})`;
}

const COMPOSITE: ReadonlySet<string> = new Set(['Array', 'Tuple', 'Nested', 'Map', 'JSON']);

function redactedWrapped(value: Value, settings: ValueSettings): RedactedValue {
  const { sql, type } = value;
  const isNullable = holdsNull(type);
  const bare = plainType(type);
  const inner = redactedValue({ ...value, type: bare }, settings);
  if (inner.kind !== 'changed') return inner;
  if (bare.name === 'String' || bare.name === 'FixedString') {
    const text = type.name === 'LowCardinality' || bare.name === 'FixedString' ? `toString(${sql})` : sql;
    return redactedText(text, isNullable ? 'Nullable(String)' : 'String', settings);
  }
  if (isNullable && (isAddress(bare) || isEnum(bare)))
    return changed(`if(isNull(${sql}), NULL, ${inner.sql})`, `Nullable(${inner.type})`);
  return isNullable ? masked(value, settings) : inner;
}

function redactedArray(value: Value, element: ClickHouseType, settings: ValueSettings): RedactedValue {
  const variable = `v${value.depth}`;
  const inner = redactedValue({ ...value, sql: variable, type: element, depth: value.depth + 1 }, settings);
  if (inner.kind !== 'changed') return inner;
  if (isText(element) && value.rules?.action === undefined)
    return changed(settings.functions.texts(value.sql), `Array(${inner.type})`);
  return changed(`arrayMap(${variable} -> ${inner.sql}, ${value.sql})`, `Array(${inner.type})`);
}

function isText({ name, arguments: list }: ClickHouseType): boolean {
  return name === 'String' && list === undefined;
}

function redactedTuple({ sql, type, rules, depth }: Value, settings: ValueSettings): RedactedValue {
  const elements = typeArguments(type).map(({ name, label, type: element }, index) => {
    const part = {
      sql: `tupleElement(${sql}, ${index + 1})`,
      type: element,
      rules: elementRules(rules, name, index),
      depth,
    };
    const redacted = redactedValue(part, settings);
    const prefix = label === undefined ? '' : `${label} `;
    // An element cannot be left out without changing the others' positions.
    const known = redacted.kind === 'dropped' ? masked(part, settings) : redacted;
    if (known.kind !== 'changed')
      return { isChanged: false, sql: part.sql, type: `${prefix}${printType(element)}` };
    return { isChanged: true, sql: known.sql, type: `${prefix}${known.type}` };
  });
  if (!elements.some(({ isChanged }) => isChanged)) return SAME;
  const list = elements.map((element) => element.sql).join(', ');
  const to = `Tuple(${elements.map((element) => element.type).join(', ')})`;
  return changed(`CAST(tuple(${list}), ${quoteString(to)})`, to);
}

/** A tuple without names is an array in the result: rules pass through it. They may also name an element by its position. */
function elementRules(
  rules: ColumnRules | undefined,
  name: string | undefined,
  index: number,
): ColumnRules | undefined {
  if (rules === undefined || name !== undefined) return rules && rulesBelow(rules, name ?? '');
  const own = rules.byName.get(String(index + 1));
  return own === undefined ? rules : { ...own, byName: new Map([...rules.byName, ...own.byName]) };
}

/** Types of values in Dynamic that are not text; the rest is redacted as text, arrays of objects as documents. */
const DYNAMIC_VALUES = [
  'None, Bool, Int64, UInt64, Float64, Date, Date32, DateTime, DateTime64(9), UUID',
  'Bool, Int64, UInt64, Float64, Date, DateTime'.replaceAll(/\w+/g, 'Array(Nullable($&))'),
]
  .flatMap((names) => names.split(', '))
  .map(quoteString)
  .join(', ');

/** With a rule for a part of the value, everything that may have parts is masked as a whole. */
function redactedDynamic(
  { sql, type, rules, depth }: Value,
  { functions, mask }: ValueSettings,
): RedactedValue {
  const to = printType(type);
  const as = (value: string): string => `CAST(${value}, ${quoteString(to)})`;
  const element = (name: string): string => `dynamicElement(${sql}, ${quoteString(name)})`;
  const strings = 'Array(Nullable(String))';
  const other = rules === undefined ? `toJSONString(${sql})` : quoteString(mask);
  const text = `if(dynamicType(${sql}) = 'String', ${element('String')}, ${other})`;
  const all = `if(dynamicType(${sql}) = '${strings}', ${element(strings)}, [${text}])`;
  const redacted = `w${depth}`;
  const value = `if(dynamicType(${sql}) = '${strings}', ${as(redacted)}, ${as(`${redacted}[1]`)})`;
  return changed(
    `if(dynamicType(${sql}) IN (${DYNAMIC_VALUES}), ${sql}, arrayMap(${redacted} -> ${value}, [${functions.texts(all)}])[1])`,
    to,
  );
}

/** Each type of the variant stays what it is, or the value becomes text. */
function redactedVariant(value: Value, settings: ValueSettings): RedactedValue {
  const { sql, type } = value;
  const to = printType(type);
  const kinds = typeArguments(type).map((argument) => {
    const name = printType(argument.type);
    const element = `variantElement(${sql}, ${quoteString(name)})`;
    return { name, redacted: redactedValue({ ...value, sql: element, type: argument.type }, settings) };
  });
  if (kinds.every(({ redacted }) => redacted.kind === 'same')) return SAME;
  const branches: string[] = [];
  for (const { name, redacted } of kinds) {
    if (redacted.kind === 'same') continue;
    if (redacted.kind === 'dropped' || redacted.type !== name) return masked(value, settings);
    branches.push(`variantType(${sql}) = ${quoteString(name)}, CAST(${redacted.sql}, ${quoteString(to)})`);
  }
  return changed(`multiIf(${branches.join(', ')}, ${sql})`, to);
}
