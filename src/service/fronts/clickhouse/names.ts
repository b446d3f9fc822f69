// Which database a query reads. Qualifiers of its tables are replaced by spaces: the sandbox knows tables by name only.
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { quoteIdentifier } from '../../../sql/clickhouse/literal.ts';
import type { Node, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import {
  nameOf,
  namesOf,
  partOf,
  sourceOf,
  spanOf,
  textOf,
  walk,
} from '../../../sql/clickhouse/tree/visit.ts';
import {
  splitSuffix,
  readSuffix,
  unknownDatabase,
  type Database,
  type Databases,
  type NamedDatabase,
} from './databases.ts';
import { blank, placed, type Edit } from './edited-text.ts';

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
  readonly names: readonly string[];
  /** The token of the first; there is one for each dot. */
  readonly from: number;
  /** Where it is: a table that rows are read from, what may be the table of IN, or columns. */
  readonly place: 'source' | 'set' | 'columns';
  /** It is true if the table has a name of its own there. */
  readonly hasAlias: boolean;
  /** It is true if all of it qualifies columns, as before `.*`. */
  readonly isQualifier: boolean;
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
}

/** The names in a query, and the edits that qualify them. */
interface ResolvedPaths {
  readonly edits: Edit[];
  readonly qualified: Qualified[];
  readonly references: Reference[];
  /** Tables without a database. */
  readonly bare: Path[];
}

/**
 * Resolves the names of a query. `current` is the database of the request. Throws Problem `clickhouse.database_unknown`,
 * `clickhouse.database_missing`, `clickhouse.table_unknown` or `clickhouse.databases_mixed`.
 */
export function resolveNames(
  tree: Tree,
  databases: Databases,
  current: NamedDatabase | undefined,
): ResolvedNames {
  const names: ResolvedPaths = { edits: [], qualified: [], references: [], bare: [] };
  const elements = new Set<string>();
  walk(tree.root, (node, parent) => {
    if (node.kind === 'with-table') elements.add(nameOf(tree, node));
    const sequence = readSequence(tree, node, parent, databases);
    if (sequence !== undefined) {
      names.qualified.push(sequence.used);
      names.edits.push(sequence.edit);
    } else {
      const path = readPath(tree, node, parent);
      if (path !== undefined) readName(tree, path, databases, names);
    }
  });
  const { edits, references } = names;
  const bare = names.bare.filter(({ names: [only = ''] }) => !elements.has(only));
  const named = decide(tree, { ...names, bare, databases, current });
  if (named === BOTH) {
    const joined = references.flatMap((reference) => joinedEdits(tree, reference));
    const own = current?.database.name === 'information_schema' ? bare : [];
    const added = own.map((path) => joinedEdit(tree, path, { table: path.names[0] ?? '', parts: 0 }));
    return { edits: [...edits, ...joined, ...added], named };
  }
  const folded = named?.database.name === 'information_schema' ? lowerCased(tree, named.database, bare) : [];
  const referred = references.flatMap(({ path, found }) => editsFor(tree, path, found));
  return { edits: [...edits, ...referred, ...folded], named };
}

function readName(tree: Tree, path: Path, databases: Databases, names: ResolvedPaths): void {
  const found = findQualified(path, databases);
  if (found !== undefined) {
    names.qualified.push(found);
    names.references.push({ path, found });
  } else if (path.place === 'source') {
    if (path.names.length > 1) throw unknownTable(tree, path, databases);
    names.bare.push(path);
  }
}

/** Tables of the information schema get the names that they have beside those of system. */
function joinedEdits(tree: Tree, { path, found }: Reference): readonly Edit[] {
  const isJoined = path.place !== 'columns' && found.database.name === 'information_schema';
  return isJoined ? [joinedEdit(tree, path, found)] : editsFor(tree, path, found);
}

/** Replaces the names up to that of the table. Columns are named after the table, unless it has an alias. */
function joinedEdit(
  tree: Tree,
  { from, place, hasAlias }: Path,
  { table: named, parts }: Pick<Qualified, 'table' | 'parts'>,
): Edit {
  const table = named.toLowerCase();
  const isPlain = place === 'source' && !hasAlias;
  const text = `${joinedName(table)}${isPlain ? ` AS ${quoteIdentifier(table)}` : ''}`;
  return { ...spanOf(tree, { from, to: from + 2 * parts + 1 }), text };
}

/** The information schema has its tables in upper case too; the sandbox has them once. */
function lowerCased(tree: Tree, database: Database, bare: readonly Path[]): readonly Edit[] {
  return bare.flatMap(({ names: [name = ''], from }) => {
    const token = { from, to: from + 1 };
    return database.tables.includes(name) || tableIn(database, name) === undefined
      ? []
      : [{ ...spanOf(tree, token), text: textOf(tree, token).toLowerCase() }];
  });
}

/** The path that a node is; undefined for other nodes, and for functions. */
function readPath(tree: Tree, node: Node, parent: Node | undefined): Path | undefined {
  const { kind, from, to } = node;
  const isTable = kind === 'table' || (kind === 'table-function' && node.at > from);
  if (!isTable && kind !== 'column' && kind !== 'column-name') return undefined;
  const names = namesOf(tree, { ...node, to: kind === 'table-function' ? node.at + 1 : to });
  if (names.length === 0) return undefined;
  const tablePlace = parent?.kind === 'source' ? 'source' : 'set';
  return {
    names,
    from,
    place: isTable ? tablePlace : 'columns',
    hasAlias: parent?.kind === 'source' && parent.at >= to,
    isQualifier: parent?.kind === 'star' || parent?.kind === 'columns',
  };
}

/** Dots and characters of names that are looked up piece by piece. */
const [MAX_PARTS, MAX_NAME] = [100, 1000];

/** The longest qualifier that is a database with the table that follows it. */
function findQualified({ names, place, isQualifier }: Path, databases: Databases): Qualified | undefined {
  for (let parts = Math.min(names.length - 1, MAX_PARTS); parts > 0; parts--) {
    // In expressions, a column or a star follows.
    if (place === 'columns' && parts + 1 === names.length && !isQualifier) continue;
    const found = findTable(databases, names.slice(0, parts).join('.'), names[parts] ?? '');
    if (found !== undefined) return { ...found, parts };
  }
  const [only = ''] = names;
  if (place === 'columns' || names.length > 1 || only.length > MAX_NAME) return undefined;
  for (let dot = only.lastIndexOf('.'); dot > 0; dot = only.lastIndexOf('.', dot - 1)) {
    const found = findTable(databases, only.slice(0, dot), only.slice(dot + 1));
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
  tree: Tree,
  node: Node,
  parent: Node | undefined,
  databases: Databases,
): { readonly used: Qualified; readonly edit: Edit } | undefined {
  const isTable = node.kind === 'table-function' || (node.kind === 'call' && parent?.kind === 'in');
  const database = isTable && node.at === node.from ? databases.find('system') : undefined;
  const sizes = (partOf(node, 'arguments')?.parts ?? []).map((size) => sourceOf(tree, size));
  const [from = '', count = ''] = sizes.length === 1 ? ['0', ...sizes] : sizes;
  const name = nameOf(tree, node);
  if (database === undefined || !SEQUENCES.has(name) || sizes.length > 2 || !isInSequence(from, count))
    return undefined;
  const [column, table] = name.startsWith('z') ? ['zero', 'zeros'] : ['number', 'numbers'];
  const text = `(SELECT ${column} FROM ${table} LIMIT ${count} OFFSET ${from})`;
  return { used: { database, suffix: undefined, table, parts: 0 }, edit: { ...spanOf(tree, node), text } };
}

/** Rows of system.numbers, which on a server has no end. */
export const MAX_NUMBERS = 1_000_000;

function isInSequence(...sizes: readonly string[]): boolean {
  const total = sizes.reduce((sum, size) => sum + (/^\d{1,9}$/.test(size) ? Number(size) : Number.NaN), 0);
  return total <= MAX_NUMBERS;
}

function editsFor(tree: Tree, { names, from }: Path, { table, parts }: Qualified): readonly Edit[] {
  const target = { from: from + 2 * parts, to: from + 2 * parts + 1 };
  const { start, end } = spanOf(tree, target);
  if (parts === 0) return [{ start, end, text: quoteIdentifier(table).padEnd(end - start) }];
  const isRenamed = names[parts] !== table;
  const renamed = isRenamed ? [{ start, end, text: textOf(tree, target).toLowerCase() }] : [];
  return [blank(spanOf(tree, { from, to: from + 1 }).start, start), ...renamed];
}

function unknownTable(tree: Tree, { names, from }: Path, databases: Databases): Problem {
  const place = (message: string) => placed(tree.cursor.sql, tree.cursor.start(from), message);
  for (let count = Math.min(names.length - 1, MAX_PARTS); count > 0; count--) {
    const database = databases.find(splitSuffix(names.slice(0, count).join('.'))[0]);
    if (database !== undefined) return noTable(database, names.slice(count).join('.'), place);
  }
  const problem = unknownDatabase(databases, splitSuffix(names.slice(0, -1).join('.'))[0]);
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

interface Found extends Pick<ResolvedPaths, 'qualified' | 'bare'> {
  readonly databases: Databases;
  readonly current: NamedDatabase | undefined;
}

/** The one database that the query reads; if it is not read to its end, the one that it would read by default. */
function decide(tree: Tree, { qualified, bare, databases, current }: Found): ReadDatabase | undefined {
  const [first] = qualified;
  const [unqualified] = bare;
  const needsDefault = unqualified !== undefined || (tree.fault !== undefined && first === undefined);
  const byDefault = current ?? (first === undefined ? onlyDatabase(databases) : undefined);
  const used = qualified.map(({ database }) => database);
  if (needsDefault && byDefault !== undefined) used.push(byDefault.database);
  const [one] = used;
  if (one === undefined) {
    if (unqualified === undefined) return undefined;
    throw missingDatabase(tree, unqualified, databases);
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

function missingDatabase(tree: Tree, { names: [name = ''], from }: Path, { endpoints }: Databases): Problem {
  const names = endpoints.map((each) => each.name);
  const having = endpoints.filter(({ tables }) => tables.includes(name)).map((each) => each.name);
  const listed = (having.length > 0 ? having : names).slice(0, MAX_LISTED).join(', ');
  const which =
    having.length > 0 ? `Databases with this table: ${listed}` : `Databases of your key: ${listed || 'none'}`;
  return new Problem('clickhouse.database_missing', {
    ...placed(
      tree.cursor.sql,
      tree.cursor.start(from),
      `Unknown table expression identifier '${name.slice(0, 100)}' in scope: its database is not named`,
    ),
    hint: `${which}. Send database=, or write the database before the table: \`database\`.table.`,
  });
}
