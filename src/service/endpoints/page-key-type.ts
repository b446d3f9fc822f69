// The types of columns that can be keys of pages: ordered, never NULL, and equal again when they are read from JSON.
import { quoteString } from '../../sql/clickhouse/literal.ts';
import {
  integerOf,
  isAddress,
  isDate,
  isDateTime,
  isDecimal,
  isNullable,
  plainType,
  timeScale,
} from '../../sql/types/traits.ts';
import { parseType, printType, type ClickHouseType } from '../../sql/types/type.ts';

const OTHERS: ReadonlySet<string> = new Set(['String', 'UUID', 'Bool']);
const UTC = quoteString('UTC');

/** The type of a parameter that holds a value of the column; undefined for columns that cannot be keys. Times are in UTC, as in JSON. */
export function pageKeyType(type: string): string | undefined {
  const parsed = parseType(type);
  const plain = plainType(parsed);
  if (isNullable(parsed) || !isOrdered(plain)) return undefined;
  const scale = timeScale(plain);
  if (scale === undefined) return printType(plain);
  return plain.name === 'DateTime64' ? `DateTime64(${scale}, ${UTC})` : `DateTime(${UTC})`;
}

function isOrdered(type: ClickHouseType): boolean {
  const isTime = isDate(type) || isDateTime(type);
  return (
    isTime || integerOf(type) !== undefined || isDecimal(type) || isAddress(type) || OTHERS.has(type.name)
  );
}
