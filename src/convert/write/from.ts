// FROM and joins.
import { caselessUsing } from './using.ts';
import { sql, type Sql } from '../../dialects/sql.ts';
import type { Expression, FromItem, JoinKind, Name } from '../../sql/syntax-tree.ts';
import { placeholder, unconverted, UnconvertedError } from '../../dialects/context.ts';
import type { Context } from './context.ts';
import { named, renamed } from './column-names.ts';
import { indent } from './layout.ts';
import { rowsOf, type RowSource } from './row-source.ts';
import { tableColumns, type Column, type Joined, type Relation } from './scope.ts';
import { name, type Value } from '../../dialects/value.ts';

/** FROM as SQL, and what the other clauses need to know about it. */
export interface WrittenFrom {
  readonly sql: string | undefined;
  readonly relations: readonly Relation[];
  /** Conditions that belong to WHERE. */
  readonly conditions: readonly string[];
}

interface State {
  readonly pieces: string[];
  relations: readonly Relation[];
  readonly conditions: string[];
}

/** Writes the elements of FROM in order. */
export function writeFrom(items: readonly FromItem[], context: Context): WrittenFrom {
  const state: State = { pieces: [], relations: [], conditions: [] };
  for (const item of flattened(items)) {
    try {
      addItem(item, state, context);
    } catch (error) {
      if (!(error instanceof UnconvertedError)) throw error;
      const comment = placeholder(context, error);
      state.pieces.push(state.pieces.length === 0 ? comment : `CROSS JOIN ${comment}`);
      state.relations = [
        ...state.relations,
        { alias: item.alias?.name, columns: undefined, isOptional: true },
      ];
    }
  }
  const { pieces, relations, conditions } = state;
  return { sql: pieces.length === 0 ? undefined : pieces.join('\n'), relations, conditions };
}

/** A join in parentheses at the beginning needs none. */
function flattened(items: readonly FromItem[]): readonly FromItem[] {
  const [first, ...others] = items;
  return first?.source.kind === 'group' && first.alias === undefined
    ? [...flattened(first.source.items), ...others]
    : items;
}

function addItem(item: FromItem, state: State, context: Context): void {
  const isFirst = state.pieces.length === 0;
  const inside: Context = { ...context, relations: state.relations, aliases: new Map() };
  if (item.source.kind === 'unnest' || item.source.kind === 'function') {
    const rows = rowsOf(item, inside);
    if (addRows(item, rows, state, inside)) return;
    addJoined(
      item,
      {
        sql: `(${rowsQuery(rows)}) AS ${name(rows.alias)}`,
        relation: {
          alias: rows.alias,
          columns: rows.columns.map(({ name: own, type }) => ({ name: own, type })),
          isOptional: false,
        },
      },
      state,
      inside,
    );
    return;
  }
  if (item.source.kind === 'query' && !isFirst) {
    const lateral = context.lateral(item, inside);
    if (lateral !== undefined) {
      state.relations = [...state.relations, lateral.relation];
      if (lateral.sql !== undefined) {
        context.shared.settings.set('join_use_nulls', '1');
        state.pieces.push(String(lateral.sql));
      }
      return;
    }
  }
  const joined = writeSource(item, inside);
  if (joined.sql === undefined) return;
  addJoined(item, joined, state, inside);
}

/** An array per row becomes ARRAY JOIN; false if it has to be joined like a table. */
function addRows(item: FromItem, rows: RowSource, state: State, context: Context): boolean {
  const isFirst = state.pieces.length === 0;
  const isTrue = item.on === undefined || (item.on.kind === 'boolean' && item.on.value);
  const isArrayJoin = !isFirst && isTrue && item.join !== 'RIGHT' && item.join !== 'FULL';
  if (!isArrayJoin) {
    if (rows.isCorrelated)
      unconverted(item.at, 'join', 'This join with the elements of an array is not converted');
    return false;
  }
  const isLeft = item.join === 'LEFT' || rows.isOuter;
  const columns = rows.columns.map((each) => ({
    ...each,
    alias: context.shared.fresh(each.name.replaceAll(/\W/g, '_')),
  }));
  const [only, more] = columns;
  const sole = only === undefined || more !== undefined ? undefined : only;
  const variable = sole?.alias ?? context.shared.fresh('element');
  const array = isLeft
    ? `arrayMap(x -> ${sole === undefined ? 'x' : 'toNullable(x)'}, ${String(rows.array)})`
    : rows.array;
  if (isLeft && sole === undefined)
    unconverted(item.at, 'join', 'This outer join with the elements of an array is not converted');
  state.pieces.push(`${isLeft ? 'LEFT ' : ''}ARRAY JOIN ${String(array)} AS ${name(variable)}`);
  const values = new Map(
    columns.map((each) => [
      each.name.toLowerCase(),
      {
        sql: each.of(name(variable)),
        type: isLeft ? { ...each.type, isNullable: true } : each.type,
      } satisfies Value,
    ]),
  );
  state.relations = [
    ...state.relations,
    { alias: rows.alias, columns: undefined, isOptional: false, values },
  ];
  return true;
}

/** A query that returns the elements. */
function rowsQuery({ array, columns, alias }: RowSource): string {
  const variable = `${alias}_element`.replaceAll(/\W/g, '_');
  const [only, more] = columns;
  if (only !== undefined && more === undefined && only.of('x') === 'x')
    return `SELECT arrayJoin(${String(array)}) AS ${name(only.name)}`;
  return `SELECT ${columns.map((each) => `${String(each.of(name(variable)))} AS ${name(each.name)}`).join(', ')} FROM (SELECT arrayJoin(${String(array)}) AS ${name(variable)})`;
}

const WORDS: Readonly<Record<JoinKind, string>> = {
  CROSS: 'CROSS JOIN',
  INNER: 'INNER JOIN',
  LEFT: 'LEFT JOIN',
  RIGHT: 'RIGHT JOIN',
  FULL: 'FULL JOIN',
};

function addJoined(item: FromItem, { sql = '', relation }: Joined, state: State, context: Context): void {
  if (state.pieces.length === 0) {
    state.pieces.push(String(sql));
    state.relations = [relation];
    return;
  }
  const { join } = item;
  if (join !== 'CROSS' && join !== 'INNER') context.shared.settings.set('join_use_nulls', '1');
  const earlier =
    join === 'RIGHT' || join === 'FULL'
      ? state.relations.map((each) => ({ ...each, isOptional: true }))
      : state.relations;
  const isOptional = join === 'LEFT' || join === 'FULL';
  const plain: Context = { ...context, relations: [...state.relations, relation] };
  const using = item.isNatural === true ? common(state.relations, relation, item) : item.using;
  const { relations } = state;
  const equal =
    using === undefined || !context.shared.traits.ignoresCase
      ? item.on
      : caselessUsing(using, { item, relation, earlier: relations });
  const on = equal === undefined ? '' : onSql(item, equal, { context: plain, relation });
  const isCross = join === 'CROSS' || (join === 'INNER' && on === '' && using === undefined);
  const condition =
    using === undefined || equal !== undefined
      ? on
      : `\n  USING (${using.map((each) => name(spelled(each, relation))).join(', ')})`;
  state.pieces.push(
    `${isCross ? 'CROSS JOIN' : WORDS[join]} ${String(sql)}${String(isCross ? '' : condition)}`,
  );
  const merged = using === undefined ? undefined : new Set(using.map((each) => each.name.toLowerCase()));
  state.relations = [...earlier, { ...relation, isOptional, merged }];
}

function spelled({ name: own }: Name, { columns }: Relation): string {
  return columns?.find((each) => each.name.toLowerCase() === own.toLowerCase())?.name ?? own;
}

function common(earlier: readonly Relation[], { columns }: Relation, { at }: FromItem): readonly Name[] {
  if (columns === undefined || earlier.some((each) => each.columns === undefined))
    return unconverted(
      at,
      'join',
      'NATURAL JOIN is converted only if the columns of the tables are known',
      'Write USING (…).',
    );
  const known = new Set(earlier.flatMap((each) => each.columns ?? []).map((each) => each.name.toLowerCase()));
  return columns
    .filter((each) => known.has(each.name.toLowerCase()))
    .map((each) => ({ name: each.name, at }));
}

function onSql(
  { join, at }: FromItem,
  on: Expression,
  { context, relation }: { readonly context: Context; readonly relation: Relation },
): Sql {
  const isTrue = on.kind === 'boolean' && on.value;
  if (isTrue && join === 'INNER') return '';
  const isOuter = join !== 'INNER' && join !== 'CROSS';
  if (isOuter && !hasEquality(on, relation, context))
    return unconverted(
      at,
      'join',
      'ClickHouse needs an equality between columns of both tables in the condition of an outer join',
      'Join on an equality, and filter afterwards.',
    );
  return sql`\n  ON ${context.write(on, { ...context, isJoin: true, nullIsFalse: true }).sql}`;
}

/** Whether a condition has an equality of both sides, in each of its alternatives. */
function hasEquality(on: Expression, relation: Relation, context: Context): boolean {
  if (on.kind === 'chain')
    return on.operator === 'AND'
      ? on.values.some((each) => hasEquality(each, relation, context))
      : on.values.every((each) => hasEquality(each, relation, context));
  if (on.kind !== 'binary' || !['=', 'IS NOT DISTINCT FROM', '<=>'].includes(on.operator)) return false;
  const left = usesOf(on.left, relation, context);
  const right = usesOf(on.right, relation, context);
  return (left === 'new' && right === 'old') || (left === 'old' && right === 'new');
}

/** Which tables an expression reads: only the joined one, only earlier ones, or both. */
function usesOf(
  expression: Expression,
  relation: Relation,
  context: Context,
): 'new' | 'old' | 'both' | 'none' {
  const names = pathsOf(expression);
  const isNew = names.map((parts) => {
    const [first, second] = parts;
    if (
      second !== undefined &&
      context.relations.some(({ alias }) => alias?.toLowerCase() === first?.name.toLowerCase())
    )
      return relation.alias?.toLowerCase() === first?.name.toLowerCase();
    return relation.columns?.some((each) => each.name.toLowerCase() === first?.name.toLowerCase()) ?? false;
  });
  if (isNew.length === 0) return 'none';
  return isNew.every(Boolean) ? 'new' : isNew.some(Boolean) ? 'both' : 'old';
}

/** The paths in an expression. */
export function pathsOf(part: unknown): readonly (readonly Name[])[] {
  if (typeof part !== 'object' || part === null) return [];
  // Only paths have parts that are names.
  if ('kind' in part && part.kind === 'path') return [(part as Extract<Expression, { kind: 'path' }>).parts];
  return Object.values(part).flatMap(pathsOf);
}

const DEFAULT_SCHEMAS: ReadonlySet<string> = new Set(['public', 'main', 'dbo']);

function writeSource(item: FromItem, context: Context): Joined {
  const { source, alias, columns } = item;
  switch (source.kind) {
    case 'table':
      return writeTable(item, source.parts, context);
    case 'query': {
      const query = columns === undefined ? source.query : renamed(source.query, columns);
      const outside: Context = { ...context, relations: [], parent: context.parent };
      const written = named(context.query(query, outside), columns);
      const own = alias?.name ?? context.shared.fresh('subquery');
      const known = written.columns?.map((each) => ({ name: each.name, type: each.value.type }));
      return {
        sql: `(\n${indent(written.sql)}\n) AS ${name(own)}`,
        relation: { alias: own, columns: known, isOptional: false },
      };
    }
    case 'group':
      return unconverted(item.at, 'join', 'A join in parentheses is converted only at the beginning of FROM');
    case 'unnest':
    case 'function':
      return unconverted(item.at, 'join', 'This source is not converted');
  }
}

function writeTable({ alias, columns, at }: FromItem, parts: readonly Name[], context: Context): Joined {
  const last = parts.at(-1)?.name ?? '';
  const { dialect } = context.shared;
  if (last.toLowerCase() === 'dual' && parts.length === 1)
    return { sql: undefined, relation: { alias: undefined, columns: [], isOptional: false } };
  if (columns !== undefined)
    return unconverted(at, 'clause', 'Names of columns after the alias of a table are not converted');
  const sequence = dialect === 'mariadb' ? /^seq_(\d+)_to_(\d+)(?:_step_(\d+))?$/i.exec(last) : null;
  if (sequence !== null) return sequenceTable(sequence, alias?.name ?? last);
  const withTable = parts.length === 1 ? context.withTables.get(last.toLowerCase()) : undefined;
  const own = alias?.name ?? last;
  if (withTable !== undefined)
    return {
      sql: aliasedTable(name(withTable.name), withTable.name, own),
      relation: { alias: own, columns: withTable.columns, isOptional: false },
    };
  const qualified = parts
    .slice(-2)
    .filter(
      (part, index, all) =>
        !(all.length === 2 && index === 0 && DEFAULT_SCHEMAS.has(part.name.toLowerCase())),
    );
  const known = context.shared.tableOf?.(parts.map((part) => part.name));
  const written = known ?? qualified.map((part) => part.name);
  return {
    sql: aliasedTable(written.map(name).join('.'), written.at(-1) ?? last, own),
    relation: { alias: own, columns: tableColumns(parts, context), isOptional: false },
  };
}

const aliasedTable = (sql: string, own: string, alias: string): string =>
  own === alias ? sql : `${sql} AS ${name(alias)}`;

/** MariaDB's tables of numbers. */
function sequenceTable([, from = '0', to = '0', step = '1']: RegExpExecArray, alias: string): Joined {
  const columns: readonly Column[] = [{ name: 'seq', type: { kind: 'int', isNullable: false, scale: 0 } }];
  const sql = `(SELECT arrayJoin(range(${from}, ${to} + 1, ${step})) AS seq) AS ${name(alias)}`;
  return { sql, relation: { alias, columns, isOptional: false } };
}
