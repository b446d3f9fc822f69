// Subqueries in expressions.
import { correlated, isByEquality, isRepeatable, soleAggregate } from '../../dialects/correlated.ts';
import { gathered } from '../../dialects/functions/array-value.ts';
import { sql } from '../../dialects/sql.ts';
import { arrayOfType, value, type Value } from '../../dialects/value.ts';
import type { Expression, Query } from '../../sql/syntax-tree.ts';
import type { Context } from '../context.ts';
import { syntax, untranslated } from '../translation-error.ts';
import { quoteName } from '../value.ts';
import { writeArrayQuery } from './array-query.ts';

type QueryValue = Extract<Expression, { kind: 'query' }>;

/** `(SELECT …)`, `ARRAY(SELECT …)` and `EXISTS(SELECT …)`. */
export function writeQueryValue({ form, query, at }: QueryValue, context: Context): Value {
  const inline = writeArrayQuery(query, form, context);
  if (inline !== undefined) return inline;
  let outerReads = 0;
  const onOuter = (): void => {
    outerReads++;
  };
  const scope = { relations: [], aliases: new Map<string, Value>(), parent: context.scope, onOuter };
  const written = context.query(query, { ...context, scope }, { isShown: false, isPlain: true });
  const [column, more] = written.columns;
  if (form === 'exists') return value('bool', sql`exists(${written.sql})`);
  if (column === undefined || more !== undefined) syntax(at, 'A scalar subquery must have one column');
  const own = { sql: sql`(${written.sql})`, type: { ...column.type, isNullable: true } };
  if (outerReads > 0) checkRepeated(query, form, outerReads);
  if (form === 'value') return outerReads > 0 ? correlated(query, own, context) : own;
  const alias = context.shared.fresh('t');
  const values = gathered(sql`${alias}.${quoteName(column.name)}`, column.type);
  const array = sql`(SELECT ${values} FROM (${written.sql}) AS ${alias})`;
  return { sql: array, type: arrayOfType(column.type) };
}

/** ClickHouse repeats the rows of a correlated subquery if outer values repeat, unless they are only compared by equality. */
function checkRepeated(query: Query, form: QueryValue['form'], outerReads: number): void {
  const aggregated = form === 'value' ? soleAggregate(query) : undefined;
  const isPlain = aggregated?.kind === 'call' ? isRepeatable(aggregated) : form === 'value';
  if (isPlain || isByEquality(query, outerReads)) return;
  untranslated(
    query.at,
    'A correlated subquery that collects or counts rows may read outer tables only in equalities of columns',
    'Join a subquery with GROUP BY.',
  );
}
