// Readers for all scalar types, and the text format of arrays.
import { decimalReader, floatReader, integerReader } from './number.ts';
import type { Reader } from './reading.ts';
import { readBool, readIPv4, readIPv6, readString, readUuid } from './text.ts';
import { dateReader, dateTime64Range, dateTimeRange, momentReader } from './time.ts';
import type { PlainName, ScalarType } from './type.ts';

const PLAIN_READERS: Readonly<Record<PlainName, Reader>> = {
  String: readString,
  Bool: readBool,
  Date: dateReader('1970-01-01', '2149-06-06'),
  Date32: dateReader('1900-01-01', '2299-12-31'),
  DateTime: momentReader(dateTimeRange()),
  UUID: readUuid,
  IPv4: readIPv4,
  IPv6: readIPv6,
};

/** The reader for a type; it accepts exactly the values that the type can hold. */
export function scalarReader(type: ScalarType): Reader {
  if (type.kind === 'integer') return integerReader(type.bits, type.signed);
  if (type.kind === 'float') return floatReader(type.bits);
  if (type.kind === 'decimal') return decimalReader(type.precision, type.scale);
  if (type.kind === 'datetime64') return momentReader(dateTime64Range(type.scale));
  return PLAIN_READERS[type.name];
}

const UNORDERED: ReadonlySet<string> = new Set<PlainName>(['String', 'Bool', 'UUID', 'IPv4', 'IPv6']);

/** Whether values are ordered, so that min and max apply. */
export function isOrdered(type: ScalarType): boolean {
  return type.kind !== 'plain' || !UNORDERED.has(type.name);
}

/** Whether length and pattern constraints apply. */
export function isText(type: ScalarType): boolean {
  return type.kind === 'plain' && type.name === 'String';
}

/** Whether values are unquoted in the text format of an array. */
function isBare(type: ScalarType): boolean {
  return type.kind === 'plain' ? type.name === 'Bool' : type.kind !== 'datetime64';
}

/**
 * ClickHouse's text format of an array of canonical values: `['it''s','b']`. Only quotes are doubled; backslashes and
 * control characters are escaped later, as in every other parameter.
 */
export function arrayText(type: ScalarType, texts: readonly string[]): string {
  const printed = isBare(type) ? texts : texts.map((text) => `'${text.replaceAll("'", "''")}'`);
  return `[${printed.join(',')}]`;
}
