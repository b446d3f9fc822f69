// Tables and subqueries in FROM.
import { nearest } from '../../base/nearest.ts';
import type { FromItem, Name } from '../tree.ts';
import { syntax, unconverted, unknown, READ, type Context, type Relation } from '../context.ts';
import { sql, type Sql, type Type } from '../value.ts';
import { typeOfColumn } from '../record.ts';
import { renamed, withNames } from './column-names.ts';
import { hasTable, relationOf } from './scope.ts';

export interface ItemPlace {
  readonly context: Context;
  /** An outer join may produce no row of it. */
  readonly isLost: boolean;
}

/** A table with its name in the query. */
interface Named {
  readonly sql: Sql | undefined;
  readonly relations: readonly Relation[];
}

interface TypedColumn {
  readonly name: string;
  readonly type: Type;
}

/** A table before it has a name in the query. */
interface Read {
  readonly sql: Sql;
  readonly columns: readonly TypedColumn[] | undefined;
  /** As the source refers to it. */
  readonly alias: string | undefined;
  /** Its name in ClickHouse if it is written without an alias. */
  readonly own?: string;
  /** Its name in ClickHouse, if that is another one. */
  readonly real?: string;
}

/** A table or a subquery with the name by which its columns are written: offline that of the source. */
export function readTable(item: FromItem, { context, isLost }: ItemPlace): Named {
  const read = readSource(item, context);
  if (read === undefined) return { sql: undefined, relations: [] };
  const { sql: table, columns, alias, own, real = own } = read;
  const { shared } = context;
  if (!shared.isStrict) {
    const name = alias ?? shared.fresh('subquery');
    const written = shared.style.name(name);
    const relation = relationOf(name, written, { columns, context });
    // Inside of the subquery, ClickHouse would read the name of the outer table as that of this one.
    if (real !== undefined && real !== name && hasTable(real, context.scope))
      return { sql: sql`(SELECT * FROM ${table}) AS ${written}`, relations: [relation] };
    return { sql: own === name ? table : sql`${table} AS ${written}`, relations: [relation] };
  }
  const name = shared.fresh('t');
  const relation = relationOf(alias, name, { columns, context });
  if (!isLost) return { sql: sql`${table} AS ${name}`, relations: [relation] };
  const marker = shared.style.name(shared.fresh('h'));
  return {
    sql: sql`(SELECT *, 1 AS ${marker} FROM ${table}) AS ${name}`,
    relations: [{ ...relation, marker: sql`${name}.${marker} = 0` }],
  };
}

/** Undefined for a table of no columns, such as DUAL. */
function readSource(item: FromItem, context: Context): Read | undefined {
  const { source, alias, columns, at } = item;
  if (source.kind === 'table') return readNamed(item, source.parts, context);
  if (source.kind !== 'query') return unconverted(at, 'join', 'This source is not converted');
  const query = columns === undefined ? source.query : renamed(source.query, columns);
  const written = withNames(context.query(query, context, READ), columns, context);
  const known = written.columns?.map(({ name, value }) => ({ name, type: value.type }));
  return { sql: context.shared.style.block(written.sql), columns: known, alias: alias?.name };
}

function readNamed(
  { alias, columns, at }: FromItem,
  parts: readonly Name[],
  context: Context,
): Read | undefined {
  const [first, more] = parts;
  const last = parts.at(-1)?.name ?? '';
  if (first === undefined) return syntax(at, 'Expected a table');
  if (columns !== undefined)
    return unconverted(at, 'clause', 'Names of columns after the alias of a table are not converted');
  const own = alias?.name ?? last;
  const known = more === undefined ? context.tables.get(last.toLowerCase()) : undefined;
  if (known !== undefined) {
    const types = known.columns?.map(({ name, value }) => ({ name, type: value.type }));
    const { name } = context.shared.style;
    const real = String(known.sql);
    return { sql: known.sql, columns: types, alias: own, ...(real === name(own) ? { own } : { real }) };
  }
  if (context.shared.isStrict) return notHere(first, parts.map(({ name }) => name).join('.'), context);
  if (last.toLowerCase() === 'dual' && more === undefined) return undefined;
  return sequenceTable(last, own, context) ?? foreignTable(parts, own, context);
}

function notHere({ at }: Name, written: string, { tables }: Context): never {
  const names = [...tables.keys()];
  const near = nearest(written.split('.').at(-1) ?? '', names);
  return unknown(
    at,
    `There is no table ${written.slice(0, 100)}: the tables are ${names.join(', ') || 'none'}`,
    near && `Write ${near}, without project or dataset.`,
  );
}

const DEFAULT_SCHEMAS: ReadonlySet<string> = new Set(['public', 'main', 'dbo']);

/** A table of the other system, under its name in ClickHouse. */
function foreignTable(parts: readonly Name[], alias: string, { shared }: Context): Read {
  const qualified = parts
    .slice(-2)
    .filter(
      (part, index, all) =>
        !(all.length === 2 && index === 0 && DEFAULT_SCHEMAS.has(part.name.toLowerCase())),
    );
  const names = parts.map((part) => part.name);
  const written = shared.tableOf?.(names) ?? qualified.map((part) => part.name);
  const columns = shared.columnsOf?.(names)?.map((column) => ({
    name: column.name,
    type: withoutDynamic(typeOfColumn(column)),
  }));
  const own = written.at(-1) ?? '';
  return { sql: written.map(shared.style.name).join('.'), columns, alias, own };
}

/** A column of type Dynamic is one of an unknown type. */
function withoutDynamic(type: Type): Type {
  return type.kind === 'dynamic' ? { ...type, kind: 'unknown' } : type;
}

/** A table of numbers. */
function sequenceTable(last: string, alias: string, { shared }: Context): Read | undefined {
  const found = shared.traits.hasSequenceTables ? /^seq_(\d+)_to_(\d+)(?:_step_(\d+))?$/i.exec(last) : null;
  if (found === null) return undefined;
  const [, from = '0', to = '0', step = '1'] = found;
  const isDown = Number(from) > Number(to);
  return {
    sql: `(SELECT arrayJoin(range(${from}, ${to} ${isDown ? '-' : '+'} 1, ${isDown ? '-' : ''}${step})) AS seq)`,
    columns: [{ name: 'seq', type: { kind: 'int', isNullable: false, scale: 0 } }],
    alias,
  };
}
