// CREATE TABLE: the same columns, on an engine that a single process has.
import { quoteIdentifier, quoteString } from '../../sql/clickhouse/literal.ts';
import { aliasStatement, localEngine, type LocalEngine } from './engine-clause.ts';
import { printName, type QualifiedName } from '../../sql/definition/qualified-name.ts';
import type { ClauseKind, ColumnText, CreateRecord } from '../../sql/definition/record.ts';
import type { StatementContext, Normalised } from './step.ts';

/** `CREATE TABLE`, with what applies if the table exists. */
export function createTable({ isReplace, ifNotExists }: CreateRecord): string {
  return `CREATE ${isReplace ? 'OR REPLACE ' : ''}TABLE${ifNotExists ? ' IF NOT EXISTS' : ''}`;
}

export function normaliseTable(record: CreateRecord, context: StatementContext): Normalised {
  const { name, clauses } = record;
  const local = engineOf(record, context);
  const verb = createTable(record);
  const alias = local?.kind === 'alias' ? [aliasStatement(verb, name, local.target)] : [];
  const own = bodiesOf(record, context).map((body) => `${verb} ${printName(name)}${printBody(body)}`);
  const attempts = [...new Set([...alias, ...own])];
  if (attempts.length > 0) {
    const needs = local?.kind === 'alias' ? local.target : undefined;
    const check = checkOf(record, local, context);
    const engine = local?.kind === 'source' ? record.engine?.name : undefined;
    const indexes = record.columns?.indexes ?? [];
    return {
      kind: 'step',
      action: 'create',
      target: name,
      what: 'table',
      attempts,
      needs,
      check,
      engine,
      indexes,
    };
  }
  const source = clauses.get('engine') ?? clauses.get('like') ?? record.writtenName;
  const message = `its columns are not written, and ${source.split('(')[0]} is not read; add them to the statement`;
  return { kind: 'unknown', target: name, message };
}

const MORE = /\b(?:INDEX|PROJECTION|TTL)\b/i;
/** Disks and volumes are those of a server. */
const MOVES = /\bTO\s+(?:DISK|VOLUME)\s+'[^']*'/gi;

export function withoutMoves(sql: string): string {
  return sql.replace(MOVES, '');
}

/** The table on which parts of a definition are tried. */
export function checkedName(name: QualifiedName): QualifiedName {
  return { ...name, name: `${name.name} (checked)` };
}

/** Rows of fixtures may be older than the table would keep them, so that only a table without rows has such parts. */
function checkOf(
  record: CreateRecord,
  local: LocalEngine | undefined,
  context: StatementContext,
): string | undefined {
  const { name, clauses } = record;
  const [list = '', ttl] = [clauses.get('columns'), clauses.get('ttl')];
  if (local?.kind === 'alias') return shardingCheck(record, local.target);
  if (local?.kind !== 'own' || !local.hasKeys || !list.startsWith('(')) return undefined;
  if (ttl === undefined && !MORE.test(list)) return undefined;
  const checked = printName(checkedName(name));
  const expiry = ttl === undefined ? '' : ` TTL ${withoutMoves(ttl)}`;
  const engine = engineText(record, local, context, expiry);
  return `CREATE TABLE ${checked} ${withoutMoves(list)}${engine};\nDROP TABLE ${checked}`;
}

/** Reads the key by which a Distributed table chooses a server for a row. */
function shardingCheck({ engine }: CreateRecord, target: QualifiedName): string | undefined {
  const key = engine?.name === 'Distributed' ? engine.arguments[3] : undefined;
  return key && `SELECT ${key.sql} FROM ${printName(target)} LIMIT 0 FORMAT Null`;
}

/** What follows the name of a table: from where it has its columns, and its engine; each with a space before it. */
export interface TableBody {
  readonly columns: string;
  readonly like: string;
  readonly engine: string;
  readonly query: string;
}

function printBody({ columns, like, engine, query }: TableBody): string {
  return `${columns}${like}${engine}${query}`;
}

/** Without this clause, a table `AS` another one would have that one's primary key. */
const NO_KEYS = ' PRIMARY KEY tuple() ORDER BY tuple()';
const PLAIN = ` ENGINE = MergeTree${NO_KEYS}`;
/** Its rows can be read with FINAL, as those of any MergeTree but the plain one. */
const MERGING = ` ENGINE = ReplacingMergeTree${NO_KEYS}`;

/**
 * The bodies to try, the most faithful first: as written; without constraints; without the expressions that columns are computed
 * from; also without its keys. Empty if the columns are unknown.
 */
export function bodiesOf(record: CreateRecord, context: StatementContext): readonly TableBody[] {
  const local = engineOf(record, context);
  const list = record.columns;
  const select = record.clauses.get('query');
  const like = list !== undefined || record.like === undefined ? '' : ` AS ${printName(record.like)}`;
  if (list === undefined && select === undefined && like === '') return [];
  const virtual = local?.kind === 'source' && list !== undefined ? local.virtual.map(virtualColumn) : [];
  const print = (text: (column: ColumnText) => string, more: readonly string[] = []): string =>
    list === undefined ? '' : ` (${[...list.columns.map(text), ...virtual, ...more].join(', ')})`;
  const engine = engineText(record, local, context);
  const query = select === undefined || list !== undefined ? '' : ` EMPTY AS ${select}`;
  const full = { columns: print(({ sql }) => sql), like, engine, query };
  const checked = { ...full, columns: print(({ sql }) => sql, list?.constraints) };
  const columns = print(plainColumn);
  const engines = [engine, ...reducedEngines(record, local, context), PLAIN];
  return [checked, full, ...engines.map((each) => ({ ...full, columns, engine: each }))];
}

/**
 * Returns engines for a table that has a misspelled column in its keys or its engine. It is still read with FINAL, which merges rows by the
 * key: without the engine's arguments, with only those columns of its sorting key that exist, or without keys.
 */
function reducedEngines(
  record: CreateRecord,
  local: LocalEngine | undefined,
  { treeSettings }: StatementContext,
): readonly string[] {
  if (local?.kind !== 'own' || !local.hasKeys) return [];
  const tree = local.sql.replace(/\(.*/s, '');
  const bare = engineText(record, { ...local, sql: tree }, { database: '', treeSettings });
  const order = knownOrder(record);
  const sorted =
    order === undefined
      ? []
      : [local.sql, tree].map((sql) => ` ENGINE = ${sql} ORDER BY ${order}${treeSettings}`);
  return [bare, ...sorted, ...(tree === 'MergeTree' ? [] : [MERGING])];
}

/** Returns a sorting key that is a list of columns, without those that the table does not have. */
function knownOrder({ clauses, columns }: CreateRecord): string | undefined {
  const written = clauses.get('order');
  if (written === undefined || !/^\(?[\w`, \n]+\)?$/.test(written)) return undefined;
  const known = new Set(columns?.columns.map(({ name }) => plainName(name)));
  const left = written
    .split(',')
    .map(plainName)
    .filter((name) => known.has(name));
  return left.length === 0 ? undefined : `(${left.map(quoteIdentifier).join(', ')})`;
}

function plainName(written: string): string {
  return written.replace(/[`() \n]/g, '');
}

/** A column of the same name and type whose value depends on nothing. */
function plainColumn({ sql, name, type, kind }: ColumnText): string {
  if (type === undefined) return sql;
  if (kind === 'EPHEMERAL') return `${name} ${type} EPHEMERAL`;
  if (kind !== 'ALIAS' && kind !== 'MATERIALIZED') return `${name} ${type}`;
  return `${name} ${type} ${kind} defaultValueOfTypeName(${quoteString(type)})`;
}

function engineOf({ engine }: CreateRecord, { database }: StatementContext): LocalEngine | undefined {
  return engine && localEngine(engine, database);
}

/** A column that queries can name and `*` does not select. */
function virtualColumn(column: string): string {
  const type = column.slice(column.indexOf(' ') + 1);
  return `${column} ALIAS defaultValueOfTypeName(${quoteString(type)})`;
}

const KEYS: readonly (readonly [ClauseKind, string])[] = [
  ['partition', 'PARTITION BY'],
  ['primary', 'PRIMARY KEY'],
  ['order', 'ORDER BY'],
  ['sample', 'SAMPLE BY'],
];

/** ` ENGINE = …` with its keys; '' if the statement names none. `expiry` follows the keys. */
function engineText(
  { clauses, columns }: CreateRecord,
  local: LocalEngine | undefined,
  { treeSettings }: StatementContext,
  expiry = '',
): string {
  if (local !== undefined && local.kind !== 'own') return PLAIN;
  const keys = KEYS.flatMap(([kind, words]) => {
    const text = clauses.get(kind) ?? (kind === 'primary' ? columns?.primary : undefined);
    return text === undefined ? [] : [` ${words} ${text}`];
  });
  if (local === undefined && keys.length === 0) return '';
  const { sql, hasKeys } = local ?? { sql: 'MergeTree', hasKeys: true };
  if (!hasKeys) return ` ENGINE = ${sql}`;
  // The deprecated form has its keys in the arguments, and no settings.
  return ` ENGINE = ${sql}${keys.join('')}${expiry}${keys.length === 0 ? '' : treeSettings}`;
}
