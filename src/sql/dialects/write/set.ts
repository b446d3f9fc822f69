// Set operations and VALUES: queries whose columns are combined by position.
import type { Rows, SetOperation } from '../tree.ts';
import {
  differs,
  syntax,
  unconverted,
  type Context,
  type OutputColumn,
  type Place,
  type Use,
  type WrittenQuery,
} from '../context.ts';
import { joinSql, sql, type Sql, UNKNOWN, value, type Type, type Value } from '../value.ts';
import { formatted } from './shown.ts';
import { unified } from './unify.ts';

/** Members of a set operation as one query. */
export function combined(
  { operator, members: sources, at }: SetOperation,
  members: readonly WrittenQuery[],
  { context, use }: { readonly context: Context; readonly use: Use },
): WrittenQuery {
  if (operator.startsWith('INTERSECT ALL') || operator.startsWith('EXCEPT ALL'))
    return unconverted(at, 'clause', `${operator} is not converted`);
  const width = members[0]?.columns?.length;
  for (const [index, { columns }] of members.entries()) {
    if (width === undefined || columns === undefined || columns.length === width) continue;
    const message = `This query has ${columns.length} columns, the first has ${width}`;
    syntax(sources[index]?.at ?? at, message);
  }
  const written = aligned(members, { at, context, isShown: use.isShown });
  if (!operator.endsWith('ALL')) checkStrings(operator, written, { at, context });
  const { style } = context.shared;
  const parts = written.map((each) => each.sql);
  return { sql: style.lines(between(parts, operator)), columns: commonColumns(written, context) };
}

function between(parts: readonly Sql[], operator: string): readonly Sql[] {
  return parts.flatMap((each, index) => (index === 0 ? [each] : [operator, each]));
}

function checkStrings(operator: string, written: readonly WrittenQuery[], { at, context }: Place): void {
  const isCaseless = ({ value: own }: OutputColumn): boolean =>
    own.literal === undefined && context.key(own).sql !== own.sql;
  if (context.shared.traits.ignoresCase && written.some(({ columns }) => columns?.some(isCaseless) === true))
    differs(context, at, 'collation', `${operator} keeps strings that differ only in case`);
}

function commonColumns(
  written: readonly WrittenQuery[],
  context: Context,
): readonly OutputColumn[] | undefined {
  const [first] = written;
  return first?.columns?.map((column, index) => {
    const values = written.map((each) => each.columns?.[index]?.value ?? value('unknown', ''));
    return {
      name: column.name,
      value: { sql: context.shared.style.name(column.name), type: unified(values).type },
    };
  });
}

/** The types of the first member decide: integers must not be of the size of a literal. */
export function widened(start: WrittenQuery, context: Context): WrittenQuery {
  return converted(start, context, ({ value: { type } }, own) =>
    type.bytes === undefined ? undefined : { sql: `toInt64(${own})`, type },
  );
}

interface Conversion {
  readonly sql: string;
  readonly type: Type;
}

interface Members extends Place {
  /** The columns are already in the form of the result. */
  readonly isShown?: boolean;
}

/** A query with some of its columns converted. */
function converted(
  query: WrittenQuery,
  { shared: { style } }: Context,
  convert: (column: OutputColumn, own: string, index: number) => Conversion | undefined,
): WrittenQuery {
  const { columns = [] } = query;
  const names = columns.map((each) => style.name(each.name));
  const conversions = columns.map((each, index) => convert(each, names[index] ?? '', index));
  const items = names.map((own, index) => {
    const { sql: written = own } = conversions[index] ?? {};
    return written === own ? own : `${written} AS ${own}`;
  });
  if (items.every((each, index) => each === names[index])) return query;
  const typed = columns.map((each, index) => ({
    ...each,
    value: { sql: each.value.sql, type: conversions[index]?.type ?? each.value.type },
  }));
  return {
    sql: style.lines([sql`SELECT ${items.join(', ')}`, sql`FROM ${style.block(query.sql)}`]),
    columns: typed,
  };
}

/** Members of a set operation with common types: ClickHouse has none for Int64 and Float64, or for strings and times. */
export function aligned(
  members: readonly WrittenQuery[],
  { at, context, isShown = false }: Members,
): readonly WrittenQuery[] {
  const [first] = members;
  const width = first?.columns?.length;
  if (members.some(({ columns }) => columns === undefined || columns.length !== width)) return members;
  const common = (first?.columns ?? []).map((_, index) =>
    unified(
      members.flatMap(({ columns }) => namedValue(columns?.[index], context)),
      { at, context },
    ),
  );
  return members.map((member, place) =>
    converted(member, context, (_, own, index) => {
      const { sqls = [], type = UNKNOWN } = common[index] ?? {};
      const each = sqls[place] ?? own;
      // A DATETIME is a string in the result, a DATE beside it is none yet.
      const isLate = isShown && type.kind === 'datetime' && String(each) !== own;
      return { sql: String(isLate ? formatted({ sql: each, type }, { at, context }).sql : each), type };
    }),
  );
}

/** A column as the outer query reads it. */
function namedValue(column: OutputColumn | undefined, { shared }: Context): readonly Value[] {
  if (column === undefined) return [];
  const { literal, type } = column.value;
  return [{ sql: shared.style.name(column.name), type, ...(literal === undefined ? {} : { literal }) }];
}

/** VALUES. */
export function rowsQuery({ rows, at }: Rows, context: Context): WrittenQuery {
  const width = rows[0]?.length ?? 0;
  const written = rows.map((row) => row.map((each) => context.write(each, context)));
  if (width === 0 || rows.some((row) => row.length !== width))
    return unconverted(at, 'clause', 'VALUES with rows of different lengths');
  const columns = Array.from({ length: width }, (_, index) => {
    const { type } = unified(written.flatMap((row) => row[index] ?? []));
    return { name: `column${index + 1}`, value: { sql: `column${index + 1}`, type } };
  });
  const selects = written.map((row) => {
    const items = row.map((each, index) => sql`${each.sql} AS column${String(index + 1)}`);
    return sql`SELECT ${joinSql(items)}`;
  });
  return { sql: context.shared.style.lines(between(selects, 'UNION ALL')), columns };
}
