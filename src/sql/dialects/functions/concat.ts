// concat and concat_ws.
import { asText, taking } from '../function.ts';
import type { Application, Rules } from '../context.ts';
import { joinSql, sql, isNullable, operand, text, value, type Value } from '../value.ts';

/** A part of a string. */
function part(application: Application, index: number): Value {
  const own = application.arg(index);
  if (!application.traits.booleansAreLetters || own.type.kind !== 'bool') return asText(application, index);
  const letter = sql`if(${own.sql}, 't', 'f')`;
  const { isNullable: nullable } = own.type;
  return value('text', nullable ? sql`if(${operand(own)} IS NULL, NULL, ${letter})` : letter, nullable);
}

/** concat: NULL if an argument is NULL, except where NULL is skipped. */
function concat(application: Application): Value {
  const { all, call, context, fail } = application;
  if (call.args.length === 0) return fail('concat requires an argument');
  const written = all().map((_, index) => part(application, index));
  if (context.shared.traits.concatSkipsNull) {
    const present = written.map((each) =>
      each.type.isNullable ? sql`ifNull(${text(each)}, '')` : text(each),
    );
    return value('text', sql`concat(${joinSql(present)})`, false);
  }
  const parts = written.map((each) => (each.type.kind === 'unknown' ? each.sql : text(each)));
  const [first = value('text', "''")] = written;
  const kind = first.type.kind === 'bytes' ? 'bytes' : 'text';
  return value(kind, sql`concat(${joinSql(parts)})`, isNullable(...written));
}

/** Strings with a separator that is not constant between them. */
function between(separator: Value, others: readonly Value[], { fail }: Application): Value {
  if (isNullable(...others))
    return fail('concat_ws of values that may be NULL is converted only with a literal separator');
  const parts = others.flatMap((each, index) => (index === 0 ? [text(each)] : [text(separator), text(each)]));
  const joined = sql`concat(${joinSql(parts)})`;
  if (others.length > 1 || !separator.type.isNullable)
    return value('text', joined, separator.type.isNullable);
  return value('text', sql`if(${operand(separator)} IS NULL, NULL, ${joined})`);
}

/** concat_ws that is NULL if an argument is NULL. */
export function concatAll(application: Application): Value {
  const all = application.all().map((_, index) => part(application, index));
  if (all[0]?.type.kind === 'null') return value('text', 'CAST(NULL AS Nullable(String))');
  return value('text', sql`concatWithSeparator(${joinSql(all.map((each) => each.sql))})`, isNullable(...all));
}

/** concat_ws skips NULL. */
function concatWith(application: Application): Value {
  const [separator, ...others] = application.all().map((_, index) => part(application, index));
  if (separator === undefined) return value('text', "''", false);
  if (separator.type.kind === 'null') return value('text', 'CAST(NULL AS Nullable(String))');
  const all = [separator, ...others];
  const plain = sql`concatWithSeparator(${joinSql(all.map((each) => each.sql))})`;
  if (application.source(0).kind !== 'string') return between(separator, others, application);
  if (!isNullable(...others)) return value('text', plain, separator.type.isNullable);
  const items = others.map((each) =>
    each.type.kind === 'null' ? 'CAST(NULL AS Nullable(String))' : each.sql,
  );
  const array = sql`arrayFilter(x -> x IS NOT NULL, [${joinSql(items)}])`;
  return value(
    'text',
    sql`arrayStringConcat(arrayMap(x -> assumeNotNull(x), ${array}), ${separator.sql})`,
    separator.type.isNullable,
  );
}

export const CONCAT_FUNCTIONS: Rules = taking('any', { concat, concat_ws: concatWith }, 'decide');
