// Uses of a column that one of its subcolumns answers: `length(array)`, `map['key']`, `tuple.1`, `x IS NULL`. Over a stored table
// the engine reads the subcolumn by itself; over the endpoint's table it does if the query names the subcolumn.
import type { Cursor } from '../sql/cursor.ts';
import { quoteIdentifier } from '../sql/literal.ts';
import { stringValue } from '../sql/string-literal.ts';
import { typeArguments, type ClickHouseType } from '../sql/type.ts';
import type { ReadTable } from './read-table.ts';
import { createNaming } from './result-names.ts';
import type { ScanResult } from './scan/scanner.ts';

/** SQL in place of the tokens from index `from` up to, but excluding, `to`. */
export interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly sql: string;
}

/**
 * What to write in place of uses, by column: only of columns of which the whole query uses nothing but subcolumns, and of one
 * table alone. Result columns keep their names.
 */
export function columnUses(
  cursor: Cursor,
  { selects }: ScanResult,
  tables: readonly ReadTable[],
): ReadonlyMap<string, readonly Replacement[]> {
  const shown = new Set(
    selects
      .filter(({ stars }) => stars.some(({ end }) => !isCounted(cursor, end)))
      .flatMap(({ sources }) => sources.map(({ table }) => table)),
  );
  const ownerOf = (name: string): ReadTable | undefined => {
    const [table, other] = tables.filter(({ typeOf }) => typeOf(name) !== undefined);
    return table === undefined || other !== undefined || shown.has(table.name) ? undefined : table;
  };
  const context: UseContext = {
    cursor,
    typeOf: (name) => ownerOf(name)?.typeOf(name),
    hasMapKeys: (name) => ownerOf(name)?.hasMapKeys === true,
  };
  const found: ColumnUse[] = [];
  for (let at = 0; at < cursor.length; at++) {
    const use = useAt(context, at);
    if (use !== undefined) found.push(use);
    at = (use?.to ?? at + 1) - 1;
  }
  return found.length === 0 ? NO_USES : replacementsOf(cursor, found);
}

const NO_USES: ReadonlyMap<string, readonly Replacement[]> = new Map();

function isCounted(cursor: Cursor, end: number): boolean {
  return cursor.kind(end - 1) === '(' && cursor.name(end - 2)?.toLowerCase() === 'count';
}

function replacementsOf(
  cursor: Cursor,
  found: readonly ColumnUse[],
): ReadonlyMap<string, readonly Replacement[]> {
  const naming = createNaming(cursor);
  const used = new Set(found.map(({ at }) => at));
  const whole = new Set<string>();
  for (let at = 0; at < cursor.length; at++) {
    const isPath =
      cursor.kind(at + 1) === '.' && cursor.kind(at + 2) !== 'number' && cursor.kind(at - 1) !== '.';
    const name = cursor.name(at);
    if (name !== undefined && !used.has(at) && !isPath) whole.add(name);
  }
  const replacements = new Map<string, Replacement[]>();
  for (const { from, to, column, sql, title } of found) {
    const named = naming(from, to);
    if (named === 'part' || (named === 'whole' && title === undefined)) whole.add(column);
    const all = replacements.get(column) ?? [];
    replacements.set(column, all);
    all.push({ from, to, sql: named === 'whole' ? `${sql} AS ${quoteIdentifier(title ?? column)}` : sql });
  }
  return new Map([...replacements].filter(([column]) => !whole.has(column)));
}

/** The tokens from index `from` up to, but excluding, `to`. */
interface ColumnUse {
  readonly from: number;
  readonly to: number;
  /** The column, and the index of its token. */
  readonly column: string;
  readonly at: number;
  /** The same value as SQL over the subcolumn. */
  readonly sql: string;
  /** The name that the engine gives to a result column of this use; undefined if a query cannot contain it as a name. */
  readonly title: string | undefined;
}

interface UseContext {
  readonly cursor: Cursor;
  /** Undefined if the name is not a column whose subcolumns can be read. */
  readonly typeOf: (column: string) => ClickHouseType | undefined;
  /** Whether the maps of the column's table have a subcolumn for each key. */
  readonly hasMapKeys: (column: string) => boolean;
}

/** A column, qualified or not. */
interface ColumnName {
  readonly column: string;
  readonly at: number;
  readonly next: number;
  /** As written. */
  readonly sql: string;
}

/** The use that begins at a token; undefined if there is none. */
function useAt(context: UseContext, from: number): ColumnUse | undefined {
  const { cursor } = context;
  if (cursor.kind(from + 1) === '(') return callAt(context, from);
  const before = cursor.kind(from - 1);
  if (before === '.' || before === '::') return undefined;
  for (const length of [3, 1]) {
    const name = columnNameAt(cursor, from, length);
    const type = name && context.typeOf(name.column);
    const use = name && type && elementAt(context, from, { name, type });
    if (use !== undefined) return use;
  }
  return undefined;
}

/** A name of one token, or of three: `table.column`. */
function columnNameAt(cursor: Cursor, from: number, length: number): ColumnName | undefined {
  const at = from + length - 1;
  const column = cursor.name(at);
  if (column === undefined || cursor.name(from) === undefined) return undefined;
  if (length === 3 && cursor.kind(from + 1) !== '.') return undefined;
  const sql = length === 1 ? cursor.text(at) : `${cursor.text(from)} . ${cursor.text(at)}`;
  return { column, at, next: at + 1, sql };
}

interface TypedName {
  readonly name: ColumnName;
  readonly type: ClickHouseType;
}

/** `map['key']`, `tuple.1`, `column IS NULL`. */
function elementAt(
  { cursor, hasMapKeys }: UseContext,
  from: number,
  { name, type }: TypedName,
): ColumnUse | undefined {
  const { column, at, next, sql } = name;
  const use = (to: number, rest: Pick<ColumnUse, 'sql' | 'title'>): ColumnUse | undefined =>
    cursor.kind(to) === '.' ? undefined : { from, to, column, at, ...rest };
  const literal = cursor.text(next + 1);
  if (cursor.kind(next) === '[' && type.name === 'Map') {
    const key = cursor.kind(next + 2) === ']' ? stringValue(literal) : undefined;
    if (key === undefined || !KEY.test(key) || !hasMapKeys(column)) return undefined;
    return use(next + 3, { sql: `${sql} . ${quoteIdentifier(`key_${key}`)}`, title: undefined });
  }
  if (cursor.kind(next) === '.' && cursor.kind(next + 1) === 'number' && type.name === 'Tuple') {
    const element = /^[1-9]\d{0,3}$/.test(literal) ? typeArguments(type).at(Number(literal) - 1) : undefined;
    const path = element === undefined ? undefined : (element.name ?? literal);
    const title = `tupleElement(${column}, ${literal})`;
    return path === undefined
      ? undefined
      : use(next + 2, { sql: `${sql} . ${quoteIdentifier(path)}`, title });
  }
  if (cursor.word(next) !== 'IS' || type.name !== 'Nullable') return undefined;
  const isNegated = cursor.word(next + 1) === 'NOT';
  const end = isNegated ? next + 3 : next + 2;
  if (cursor.word(end - 1) !== 'NULL') return undefined;
  if (isNegated) return use(end, { sql: `not ( ${sql} . null )`, title: `isNotNull(${column})` });
  return use(end, { sql: `${sql} . null`, title: `isNull(${column})` });
}

/** Other keys are spelled by the engine in its own way. */
const KEY = /^[\w.-]{1,100}$/;

/** Functions of one column, by the type of the column: what they are over the subcolumn. */
const FUNCTIONS: ReadonlyMap<string, { readonly of: RegExp; readonly sql: (column: string) => string }> =
  new Map([
    ['length', { of: /^(?:Array|Map)$/, sql: (column: string) => `${column} . size0` }],
    ['empty', { of: /^(?:Array|Map)$/, sql: (column: string) => `( ${column} . size0 = 0 )` }],
    ['notEmpty', { of: /^(?:Array|Map)$/, sql: (column: string) => `( ${column} . size0 != 0 )` }],
    ['isNull', { of: /^Nullable$/, sql: (column: string) => `${column} . null` }],
    ['isNotNull', { of: /^Nullable$/, sql: (column: string) => `not ( ${column} . null )` }],
    ['mapKeys', { of: /^Map$/, sql: (column: string) => `${column} . keys` }],
    ['mapValues', { of: /^Map$/, sql: (column: string) => `${column} . values` }],
  ]);

function callAt({ cursor, typeOf }: UseContext, from: number): ColumnUse | undefined {
  const call = cursor.name(from) ?? '';
  const end = cursor.closing(from + 1);
  const length = cursor.kind(from + 3) === '.' ? 3 : 1;
  const name = columnNameAt(cursor, from + 2, length);
  const type = name && typeOf(name.column);
  if (name === undefined || type === undefined) return undefined;
  const { column, at, next, sql } = name;
  const use = { from, to: end + 1, column, at };
  const form = FUNCTIONS.get(call);
  if (next === end)
    return form?.of.test(type.name) === true
      ? { ...use, sql: form.sql(sql), title: `${call}(${column})` }
      : undefined;
  const key = cursor.kind(next) === ',' && next + 2 === end ? stringValue(cursor.text(next + 1)) : undefined;
  if (call !== 'mapContains' || type.name !== 'Map' || key === undefined || !KEY.test(key)) return undefined;
  return { ...use, sql: `has ( ${sql} . keys , '${key}' )`, title: undefined };
}
