// Finds the tables of a query that it names without a database, those that it reads on the servers of a cluster, and the columns that it
// compares with parameters.
import { createCursor, type Cursor } from '../../sql/clickhouse/cursor.ts';
import { CLAUSES, KEYWORDS, NO_BARE_ALIAS, SET_OPERATORS } from '../../sql/clickhouse/tree/keywords.ts';

interface Level {
  /** Between FROM and the next clause, where a comma is followed by a table. */
  isFrom: boolean;
  /** The arguments of a function such as `EXTRACT(YEAR FROM x)`. */
  readonly isFunction: boolean;
}

/** Words after which no table of FROM comes. */
const AFTER_FROM: ReadonlySet<string> = new Set([...CLAUSES, ...SET_OPERATORS, 'USING', 'ARRAY']);
const FUNCTIONS_WITH_FROM = /^(EXTRACT|SUBSTRING|SUBSTR|TRIM|LTRIM|RTRIM|OVERLAY)$/;

/** A query names this table without a database. */
export interface QualifiedTable {
  readonly database: string;
  /** The query uses this name for it, if it has another one. */
  readonly name?: string;
}

/** It returns undefined if the name stays as it is. */
export type QualifiedTableOf = (table: string) => QualifiedTable | undefined;

/** The query with `database.` before each table after FROM, JOIN and IN that is no name of its WITH clauses. */
export function qualifyTables(sql: string, relationOf: QualifiedTableOf): string {
  let written = '';
  let copied = 0;
  for (const { name: called, start, end } of bareTables(sql)) {
    const relation = relationOf(called);
    if (relation === undefined) continue;
    const { database, name } = relation;
    written += `${sql.slice(copied, start)}${database}.${name ?? ''}`;
    copied = name === undefined ? start : end;
  }
  return written + sql.slice(copied);
}

export interface BareTable {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** The tables after FROM, JOIN and IN, and in strings of functions, that have no database and are no names of the WITH clauses, in order. */
export function bareTables(sql: string): readonly BareTable[] {
  const query = createCursor(sql);
  const common = commonTables(query);
  const levels: Level[] = [{ isFrom: false, isFunction: false }];
  const found: BareTable[] = [];
  const alternatives = alternativeTables(query);
  for (let index = 0; index < query.length; index++) {
    const argument = tableArgument(query, index);
    if (argument !== undefined) found.push(argument);
    if (!isTableNext(query, index, levels) && !alternatives.has(index + 1)) continue;
    const name = query.name(index + 1);
    const after = query.kind(index + 2);
    const isCall = after === '(' && !alternatives.has(index + 2);
    if (name === undefined || after === '.' || isCall || isCommon(index + 1, common.get(name))) continue;
    found.push({ name, start: query.start(index + 1), end: query.end(index + 1) });
  }
  return found;
}

function isName(query: Cursor, index: number): boolean {
  const word = query.word(index);
  return word === undefined || (!KEYWORDS.has(word) && !NO_BARE_ALIAS.has(word));
}

const PART_BEGINS = /\/\* if [^*]*\*\/\s*$/;
const NEXT_PART = /^\s*\/\* end \*\/\s*\/\* if [^*]*\*\/\s*$/;

/**
 * Returns the tokens that begin an optional part after one that begins with the table of FROM or JOIN, and therefore with another table.
 */
function alternativeTables(query: Cursor): ReadonlySet<number> {
  const found = new Set<number>();
  let isOpen = false;
  for (let index = 1; index < query.length; index++) {
    const between = query.sql.slice(query.end(index - 1), query.start(index));
    const before = query.word(index - 1);
    if (PART_BEGINS.test(between) && (before === 'FROM' || before === 'JOIN')) isOpen = true;
    else if (isOpen && NEXT_PART.test(between) && isName(query, index)) found.add(index);
    else if (between.includes('*/')) isOpen = false;
  }
  return found;
}

/** Functions whose first argument is the name of a table or dictionary, as a string. */
const OVER_NAMES = /^(joinGet|joinGetOrNull|dict(Get|Has|Is)\w*)$/i;

/** The table that a function names at this token. */
function tableArgument(query: Cursor, index: number): BareTable | undefined {
  if (!OVER_NAMES.test(query.text(index)) || query.kind(index + 1) !== '(') return undefined;
  const name = /^'([A-Za-z_]\w*)'$/.exec(query.text(index + 2))?.[1];
  const start = query.start(index + 2) + 1;
  return name === undefined ? undefined : { name, start, end: start + name.length };
}

/** Returns whether the token after this one can be a table. */
function isTableNext(query: Cursor, index: number, levels: Level[]): boolean {
  const level = levels.at(-1);
  const kind = query.kind(index);
  if (kind === '(') {
    levels.push({ isFrom: false, isFunction: FUNCTIONS_WITH_FROM.test(query.word(index - 1) ?? '') });
    return false;
  }
  if (kind === ')' && levels.length > 1) levels.pop();
  if (level === undefined) return false;
  if (kind === ',') return level.isFrom;
  if (query.kind(index - 1) === '@') return false; // a parameter, such as `@from`
  const word = query.word(index);
  if (word === 'FROM') {
    const before = query.word(index - 1);
    const isValue =
      level.isFunction || before === 'FILL' || (before === 'DISTINCT' && query.word(index - 2) === 'IS');
    if (!isValue && !(before === 'DISTINCT' && query.word(index - 2) === 'NOT')) level.isFrom = true;
    return level.isFrom && !isValue;
  }
  if (word === 'JOIN') return query.word(index - 1) !== 'ARRAY';
  if (word === 'IN') return !isAlias(query, query.name(index + 1));
  if (word !== undefined && AFTER_FROM.has(word)) level.isFrom = false;
  return false;
}

/** Returns whether a name is given to an expression somewhere, so that `IN name` is a list rather than a table. */
function isAlias(query: Cursor, name: string | undefined): boolean {
  return query.tokens.some((_, index) => query.word(index) === 'AS' && query.name(index + 1) === name);
}

/** The tokens of a WITH clause's query, in which its own name is that of a table. */
interface OwnQuery {
  readonly open: number;
  close: number;
}

/** Names before `AS (`, with their queries; those of recursive ones are empty, since they read themselves. */
function commonTables(query: Cursor): ReadonlyMap<string, readonly OwnQuery[]> {
  const named = new Map<string, OwnQuery[]>();
  const open: (OwnQuery | undefined)[] = [];
  let isRecursive = false;
  for (let index = 0; index < query.length; index++) {
    isRecursive ||= query.word(index) === 'RECURSIVE';
    if (query.kind(index) === '(') {
      const name = query.word(index - 1) === 'AS' ? query.name(index - 2) : undefined;
      const own = { open: index, close: isRecursive ? index : query.length };
      const others = name === undefined ? undefined : named.get(name);
      if (others !== undefined) others.push(own);
      else if (name !== undefined) named.set(name, [own]);
      open.push(isRecursive ? undefined : own);
    } else if (query.kind(index) === ')') {
      const own = open.pop();
      if (own !== undefined) own.close = index;
    }
  }
  return named;
}

function isCommon(index: number, queries: readonly OwnQuery[] = []): boolean {
  return queries.some(({ open, close }) => index < open || index > close);
}

/** A table that `cluster(…)` or `clusterAllReplicas(…)` reads, as one server has it. */
export interface ClusterTable {
  readonly start: number;
  readonly end: number;
  readonly function: string;
  readonly table: string;
}

/** They are in order; those whose arguments are not a cluster and a table are left out. */
export function clusterTables(sql: string): readonly ClusterTable[] {
  const query = createCursor(sql);
  const found: ClusterTable[] = [];
  for (let index = 0; index < query.length; index++) {
    if (!/^cluster(AllReplicas)?$/i.test(query.text(index)) || query.kind(index + 1) !== '(') continue;
    const table = argumentTable(query, index + 1);
    if (table === undefined) continue;
    const end = query.end(query.closing(index + 1));
    found.push({ start: query.start(index), end, function: query.text(index), table });
  }
  return found;
}

/** The table of `(cluster, database.table)`, `(cluster, database, table)` or `(cluster, function(…))`, with or without a sharding key. */
function argumentTable(query: Cursor, open: number): string | undefined {
  const close = query.closing(open);
  const commas: number[] = [];
  for (let index = open + 1; index < close; index = query.after(index))
    if (query.kind(index) === ',') commas.push(index);
  const [first, second = close, third = close] = commas;
  if (first === undefined) return undefined;
  const table = query.slice(first + 1, second);
  const isWhole = second === close || second - first > 2; // a name with its database is three tokens
  return isWhole ? unquoted(table) : `${unquoted(table)}.${unquoted(query.slice(second + 1, third))}`;
}

/** A name of a table can be written as a string. */
function unquoted(name: string): string {
  return /^'[\w.]+'$/.test(name) ? name.slice(1, -1) : name;
}

/** Returns the names before an operator and `@name`: `a`, in `a NOT IN @name`. */
export function comparedColumns(sql: string, parameter: string): readonly string[] {
  const query = createCursor(sql);
  return query.tokens.flatMap((_, index) => {
    if (query.name(index) !== parameter || query.kind(index - 1) !== '@') return [];
    if (!/^(in|=|==|!=|<>|<=?|>=?)$/i.test(query.text(index - 2))) return [];
    return [query.name(query.word(index - 3) === 'NOT' ? index - 4 : index - 3) ?? ''];
  });
}
