// Conversions of strings that fail for what they cannot read.
import { quoteString } from '../../clickhouse/literal.ts';
import type { Place } from '../context.ts';
import { sql, type Sql, isKind, type Value } from '../value.ts';

export interface CastOptions extends Place {
  /** NULL for what cannot be converted. */
  readonly isSafe: boolean;
}

/** Space that numbers in strings may be surrounded by. */
const SPACE = String.raw`' \t\n\r\v\f'`;

/** A string without space around it. */
export const trimmed = (own: Sql): Sql => sql`trimBoth(${own}, ${SPACE})`;

/**
 * A conversion of a string that fails for others; for a Nullable(String), ClickHouse's functions would return NULL.
 * @param sample a string that can be converted, in place of NULL
 */
export function strictly({ sql: own, type }: Value, sample: string, convert: (text: Sql) => Sql): Sql {
  if (!type.isNullable) return convert(own);
  return sql`if(isNull(${own}), NULL, ${convert(sql`ifNull(${own}, ${quoteString(sample)})`)})`;
}

/**
 * A conversion of a number to an integer: of a quotient that is NULL, ClickHouse converts infinity, which is an error.
 * @param convert receives a number that is not NULL, or any other
 */
export function ofQuotient({ sql: own, type }: Value, convert: (number: Sql) => Sql): Sql {
  if (!type.isNullable || !String(own).includes('/')) return convert(own);
  return sql`if(isNull(${own}), NULL, ${convert(sql`ifNull(${own}, 0)`)})`;
}

/** The text of a string literal. */
export const literalText = (own: Value): string | undefined =>
  isKind(own, 'text') ? own.literal : undefined;
