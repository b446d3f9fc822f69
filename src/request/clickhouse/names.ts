// Which database a query reads. Qualifiers of its tables are replaced by spaces: the sandbox knows tables by name only.
import { didYouMean, nearest } from '../../core/nearest.ts';
import { Problem } from '../../core/problem.ts';
import type { Cursor } from '../../sql/cursor.ts';
import { quoteIdentifier } from '../../sql/literal.ts';
import {
  splitSuffix,
  readSuffix,
  unknownDatabase,
  type Database,
  type Databases,
  type NamedDatabase,
} from './databases.ts';
import { KEYWORDS, NO_BARE_ALIAS } from '../../sql/tree/keywords.ts';
import { blank, placed, type Edit } from './edited-text.ts';
import { readScopes } from './table-scopes.ts';

export interface ResolvedNames {
  readonly edits: readonly Edit[];
  /** Undefined: the query reads no table. */
  readonly named: ReadDatabase | undefined;
}

/** A database, or the two virtual ones together. */
export type ReadDatabase = NamedDatabase | typeof BOTH;

const BOTH = {
  database: { kind: 'virtual', name: 'both' },
  parameters: new Map<string, string>(),
} as const;

/** A table of the information schema beside those of system, which has some of the same names. */
export function joinedName(table: string): string {
  return `information_schema_${table}`;
}

/** Names with dots between them. */
interface Path {
  readonly parts: readonly Part[];
  /** Index of the first token. */
  readonly at: number;
  /** `.*` follows. */
  readonly hasStar: boolean;
}

interface Part {
  readonly name: string;
  readonly index: number;
}

/** A table of a database, as a path names it. */
interface Qualified {
  readonly database: Database;
  readonly suffix: string | undefined;
  readonly table: string;
  /** Number of parts of the qualifier; 0: the table's own part has the qualifier. */
  readonly parts: number;
}

/** A path that names a table, or a column of one. */
interface Reference {
  readonly path: Path;
  readonly found: Qualified;
  readonly isTable: boolean;
}

/**
 * Resolves the names of a query. `current` is the database of the request. Throws Problem `clickhouse.database_unknown`,
 * `clickhouse.database_missing`, `clickhouse.table_unknown` or `clickhouse.databases_mixed`.
 */
export function resolveNames(
  cursor: Cursor,
  databases: Databases,
  current: NamedDatabase | undefined,
): ResolvedNames {
  const { isTable, elements } = readScopes(cursor);
  const edits: Edit[] = [];
  const qualified: Qualified[] = [];
  const references: Reference[] = [];
  const bare: Part[] = [];
  for (let at = 0; at < cursor.length; at++) {
    const path = readPath(cursor, at);
    if (path === undefined) continue;
    const { length } = path.parts;
    const isTablePlace = isTable(at);
    const found = findQualified(path, databases, isTablePlace);
    const sequence = isTablePlace ? readSequence(cursor, path, databases) : undefined;
    if (sequence !== undefined) {
      qualified.push(sequence.used);
      edits.push(sequence.edit);
    } else if (found !== undefined) {
      qualified.push(found);
      references.push({ path, found, isTable: isTablePlace });
    } else if (isTablePlace && length > 1) {
      if (isCondition(cursor, at)) continue;
      throw unknownTable(cursor, path, databases);
    } else if (isTablePlace && isBareTable(cursor, path, elements)) {
      bare.push(...path.parts);
    }
    at = path.parts.at(-1)?.index ?? at;
  }
  const named = decide(cursor, { qualified, bare, databases, current });
  if (named === BOTH) {
    const joined = references.flatMap((reference) => joinedEdits(cursor, reference));
    const own = current?.database.name === 'information_schema' ? bare : [];
    return { edits: [...edits, ...joined, ...own.map((part) => joinedEdit(cursor, part, part))], named };
  }
  const folded =
    named?.database.name === 'information_schema' ? lowerCased(cursor, named.database, bare) : [];
  const referred = references.flatMap(({ path, found }) => editsFor(cursor, path, found));
  return { edits: [...edits, ...referred, ...folded], named };
}

/** Tables of the information schema get the names that they have beside those of system. */
function joinedEdits(cursor: Cursor, { path, found, isTable }: Reference): readonly Edit[] {
  const target = path.parts[found.parts];
  if (!isTable || target === undefined || found.database.name !== 'information_schema')
    return editsFor(cursor, path, found);
  return [joinedEdit(cursor, { name: found.table, index: path.at }, target)];
}

/** Replaces the tokens up to `last`. Columns are named after the table, unless it has an alias. */
function joinedEdit(cursor: Cursor, { name, index }: Part, last: Part): Edit {
  const table = name.toLowerCase();
  const isPlain = cursor.word(index - 1) !== 'IN' && !hasAlias(cursor, last.index);
  const text = `${joinedName(table)}${isPlain ? ` AS ${quoteIdentifier(table)}` : ''}`;
  return { start: cursor.start(index), end: cursor.end(last.index), text };
}

function hasAlias(cursor: Cursor, table: number): boolean {
  const word = cursor.word(table + 1);
  if (word === undefined) return cursor.name(table + 1) !== undefined;
  return word === 'AS' || !(KEYWORDS.has(word) || NO_BARE_ALIAS.has(word));
}

/** The information schema has its tables in upper case too; the sandbox has them once. */
function lowerCased(cursor: Cursor, database: Database, bare: readonly Part[]): readonly Edit[] {
  return bare.flatMap(({ name, index }) =>
    database.tables.includes(name) || tableIn(database, name) === undefined
      ? []
      : [{ start: cursor.start(index), end: cursor.end(index), text: cursor.text(index).toLowerCase() }],
  );
}

function readPath(cursor: Cursor, at: number): Path | undefined {
  const name = cursor.name(at);
  if (name === undefined || cursor.kind(at - 1) === '.') return undefined;
  const parts: Part[] = [{ name, index: at }];
  let last = at;
  for (;;) {
    const next = cursor.kind(last + 1) === '.' ? cursor.name(last + 2) : undefined;
    if (next === undefined) break;
    last += 2;
    parts.push({ name: next, index: last });
  }
  const hasStar = cursor.kind(last + 1) === '.' && cursor.kind(last + 2) === '*';
  return { parts, at, hasStar };
}

/** Dots and characters of names that are looked up piece by piece. */
const [MAX_PARTS, MAX_NAME] = [100, 1000];

/** The longest qualifier that is a database with the table that follows it. */
function findQualified(
  { parts, hasStar }: Path,
  databases: Databases,
  isTable: boolean,
): Qualified | undefined {
  for (let count = Math.min(parts.length - 1, MAX_PARTS); count > 0; count--) {
    // In expressions, a column or a star follows.
    if (!isTable && count + 1 === parts.length && !hasStar) continue;
    const qualifier = parts.slice(0, count).map(({ name }) => name);
    const found = findTable(databases, qualifier.join('.'), parts[count]?.name ?? '');
    if (found !== undefined) return { ...found, parts: count };
  }
  const [only] = parts;
  if (!isTable || parts.length > 1 || only === undefined || only.name.length > MAX_NAME) return undefined;
  for (let dot = only.name.lastIndexOf('.'); dot > 0; dot = only.name.lastIndexOf('.', dot - 1)) {
    const found = findTable(databases, only.name.slice(0, dot), only.name.slice(dot + 1));
    if (found !== undefined) return { ...found, parts: 0 };
  }
  return undefined;
}

function findTable(
  databases: Databases,
  qualifier: string,
  name: string,
): Omit<Qualified, 'parts'> | undefined {
  const [base, suffix] = splitSuffix(qualifier);
  const database = databases.find(base);
  if (database === undefined) return undefined;
  const table = tableIn(database, name);
  return table === undefined ? undefined : { database, suffix, table };
}

/** The information schema has its tables in upper case too. */
function tableIn({ name: database, tables }: Database, name: string): string | undefined {
  const isUpper = database === 'information_schema' && name === name.toUpperCase();
  const wanted = isUpper ? name.toLowerCase() : name;
  return tables.includes(wanted) ? wanted : undefined;
}

const SEQUENCES: ReadonlySet<string> = new Set(['numbers', 'numbers_mt', 'zeros', 'zeros_mt']);

/** `numbers(n)` and `numbers(from, n)`, with numbers as arguments: a part of the table of that name. */
function readSequence(
  cursor: Cursor,
  { parts: [only], at }: Path,
  databases: Databases,
): { readonly used: Qualified; readonly edit: Edit } | undefined {
  const database = databases.find('system');
  if (only === undefined || database === undefined || cursor.kind(at + 1) !== '(') return undefined;
  const close = cursor.closing(at + 1);
  const isPair = close === at + 5 && cursor.kind(at + 3) === ',';
  const [from, count] = isPair ? [cursor.text(at + 2), cursor.text(at + 4)] : ['0', cursor.text(at + 2)];
  if (!SEQUENCES.has(only.name) || !(isPair || close === at + 3) || !isInSequence(from, count))
    return undefined;
  const [column, table] = only.name.startsWith('z') ? ['zero', 'zeros'] : ['number', 'numbers'];
  const text = `(SELECT ${column} FROM ${table} LIMIT ${count} OFFSET ${from})`;
  return {
    used: { database, suffix: undefined, table, parts: 0 },
    edit: { start: cursor.start(at), end: cursor.end(close), text },
  };
}

/** Rows of system.numbers, which on a server has no end. */
export const MAX_NUMBERS = 1_000_000;

function isInSequence(...sizes: readonly string[]): boolean {
  const total = sizes.reduce((sum, size) => sum + (/^\d{1,9}$/.test(size) ? Number(size) : Number.NaN), 0);
  return total <= MAX_NUMBERS;
}

function editsFor(cursor: Cursor, { parts, at }: Path, { table, parts: count }: Qualified): readonly Edit[] {
  const target = parts[count];
  if (target === undefined) return [];
  const start = cursor.start(target.index);
  const end = cursor.end(target.index);
  if (count === 0) return [{ start, end, text: quoteIdentifier(table).padEnd(end - start) }];
  const isRenamed = target.name !== table;
  const renamed = isRenamed ? [{ start, end, text: cursor.text(target.index).toLowerCase() }] : [];
  return [blank(cursor.start(at), start), ...renamed];
}

/** `x IN a.b`, where `a.b` may be a column. */
function isCondition(cursor: Cursor, at: number): boolean {
  return cursor.word(at - 1) === 'IN';
}

/** Not a table function, not a WITH element of the query, not a keyword before a subquery. */
function isBareTable(cursor: Cursor, { parts, at }: Path, elements: ReadonlySet<string>): boolean {
  const [only] = parts;
  if (only === undefined || cursor.kind(at + 1) === '(') return false;
  return !elements.has(only.name) && !isCondition(cursor, at);
}

function unknownTable(cursor: Cursor, { parts, at }: Path, databases: Databases): Problem {
  const place = (message: string) => placed(cursor.sql, cursor.start(at), message);
  for (let count = Math.min(parts.length - 1, MAX_PARTS); count > 0; count--) {
    const qualifier = parts
      .slice(0, count)
      .map(({ name }) => name)
      .join('.');
    const database = databases.find(splitSuffix(qualifier)[0]);
    if (database === undefined) continue;
    return noTable(
      database,
      parts
        .slice(count)
        .map(({ name }) => name)
        .join('.'),
      place,
    );
  }
  const qualifier = parts
    .slice(0, -1)
    .map(({ name }) => name)
    .join('.');
  const problem = unknownDatabase(databases, splitSuffix(qualifier)[0]);
  return new Problem(problem.code, { ...place(problem.message), hint: problem.hint });
}

/** Code 60, with the nearest name. */
export function noTable(
  { kind, name: database, tables }: Database,
  table: string,
  place: (message: string) => { detail?: string } = (detail) => ({ detail }),
): Problem {
  const shown = table.slice(0, 100);
  const meant = didYouMean(nearest(shown, tables));
  const some = tables.slice(0, 20).join(', ');
  const hint = [
    meant,
    kind === 'virtual' ? undefined : `Its tables are ${some}${tables.length > 20 ? ', …' : ''}.`,
  ];
  return new Problem('clickhouse.table_unknown', {
    ...place(`Table ${database}.${shown} does not exist`),
    hint:
      hint.filter((each) => each !== undefined).join(' ') || `SHOW TABLES FROM ${database} lists its tables.`,
  });
}

interface Found {
  readonly qualified: readonly Qualified[];
  readonly bare: readonly Part[];
  readonly databases: Databases;
  readonly current: NamedDatabase | undefined;
}

/** The one database that the query reads. */
function decide(cursor: Cursor, { qualified, bare, databases, current }: Found): ReadDatabase | undefined {
  const [first] = qualified;
  const [unqualified] = bare;
  const implied = unqualified && (current ?? (first === undefined ? onlyDatabase(databases) : undefined));
  const used = [
    ...qualified.map(({ database }) => database),
    ...(implied === undefined ? [] : [implied.database]),
  ];
  const [one] = used;
  if (one === undefined) {
    if (unqualified === undefined) return undefined;
    throw missingDatabase(cursor, unqualified, databases);
  }
  const other = used.find(({ name }) => name !== one.name);
  if (other !== undefined) {
    if (used.every(({ kind }) => kind === 'virtual')) return BOTH;
    throw new Problem('clickhouse.databases_mixed', {
      detail: `The query reads ${one.name} and ${other.name}: joins across databases are not supported`,
    });
  }
  const suffixes = new Set(qualified.flatMap(({ suffix }) => suffix ?? []));
  if (suffixes.size > 1) {
    const detail = `The query names ${one.name} with different parameters: ${[...suffixes].join(' and ')}`;
    throw new Problem('clickhouse.databases_mixed', { detail: detail.slice(0, 300) });
  }
  const [suffix] = suffixes;
  const inherited = current?.database.name === one.name ? current.parameters : new Map<string, string>();
  return { database: one, parameters: suffix === undefined ? inherited : readSuffix(suffix) };
}

function onlyDatabase({ endpoints }: Databases): NamedDatabase | undefined {
  const [only, second] = endpoints;
  return only === undefined || second !== undefined ? undefined : { database: only, parameters: new Map() };
}

/** Databases that are listed in a message. */
const MAX_LISTED = 20;

function missingDatabase(cursor: Cursor, { name, index }: Part, { endpoints }: Databases): Problem {
  const names = endpoints.map((each) => each.name);
  const having = endpoints.filter(({ tables }) => tables.includes(name)).map((each) => each.name);
  const listed = (having.length > 0 ? having : names).slice(0, MAX_LISTED).join(', ');
  const which =
    having.length > 0 ? `Databases with this table: ${listed}` : `Databases of your key: ${listed || 'none'}`;
  return new Problem('clickhouse.database_missing', {
    ...placed(
      cursor.sql,
      cursor.start(index),
      `Unknown table expression identifier '${name.slice(0, 100)}' in scope: its database is not named`,
    ),
    hint: `${which}. Send database=, or write the database before the table: \`database\`.table.`,
  });
}
