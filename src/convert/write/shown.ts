// Values as columns of a query.
import { sql } from '../../dialects/sql.ts';
import { differs } from '../../dialects/context.ts';
import { value, type Value } from '../../dialects/value.ts';
import type { Context, Use } from '../../dialects/write/context.ts';
import { roundHalfAway } from '../../dialects/round.ts';

const ROUNDED: ReadonlySet<string> = new Set(['mysql', 'mariadb']);

/** A value as a column: conditions as Boolean, MySQL's quotients with their digits. */
export function shown(
  written: Value,
  { isShown, at, context }: Use & { readonly at: number; readonly context: Context },
): Value {
  const { kind, scale, isNumberInClickHouse } = written.type;
  const { dialect, traits } = context.shared;
  if (kind === 'numeric' && scale === undefined && ROUNDED.has(dialect))
    differs(
      context,
      at,
      'type_unknown',
      `${dialect} rounds quotients and averages of exact numbers to a number of digits that depends on the columns`,
    );
  if (
    kind === 'numeric' &&
    scale !== undefined &&
    ROUNDED.has(dialect) &&
    !/^(?:[\d.-]+$|round\()/.test(String(written.sql))
  )
    return { ...roundHalfAway(written, Math.min(scale, 15)), type: written.type };
  if (kind === 'json' && dialect === 'sqlite')
    return { ...value('text', written.sql), type: { kind: 'text', isNullable: true, isMixed: true } };
  if (isShown && kind === 'seconds')
    differs(context, at, 'type', 'An interval is returned as a number of seconds');
  if (isShown && kind === 'interval')
    differs(context, at, 'type', 'An interval is returned in the form of ClickHouse');
  if (kind === 'bool' && isNumberInClickHouse === true && !traits.hasNumericConditions && isShown)
    return { sql: sql`toBool(${written.sql})`, type: { ...written.type, isNumberInClickHouse: false } };
  return written;
}
