// The types of columns that can be keys of pages: ordered, never NULL, and equal again when they are read from JSON.
import { parseType, printType, type ClickHouseType } from '../sql/type.ts';

const TYPES =
  /^(?:U?Int(?:8|16|32|64|128|256)|Decimal(?:32|64|128|256)?|String|UUID|Date|Date32|DateTime|DateTime64|Bool|IPv4|IPv6)$/;

/** The type of a parameter that holds a value of the column; undefined for columns that cannot be keys. Times are in UTC, as in JSON. */
export function pageKeyType(type: string): string | undefined {
  const parsed = withoutDictionary(parseType(type));
  if (!TYPES.test(parsed.name)) return undefined;
  if (parsed.name === 'DateTime') return "DateTime('UTC')";
  const printed = printType(parsed);
  return printed.replace(/^DateTime64\((\d).*$/, "DateTime64($1, 'UTC')");
}

function withoutDictionary(type: ClickHouseType): ClickHouseType {
  const [first] = type.name === 'LowCardinality' ? (type.arguments ?? []) : [];
  return first?.kind === 'type' ? first.type : type;
}
