// CREATE TABLE: the same columns, on an engine that a single process has.
import type { Cursor } from '../sql/cursor.ts';
import { quoteString } from '../sql/literal.ts';
import type { Clause, ClauseKind } from './clauses.ts';
import { plainColumn, readColumns, type ColumnText } from './columns.ts';
import type { CreateHead } from './create-head.ts';
import { aliasStatement, localEngine, type LocalEngine } from './engine-clause.ts';
import { printName, readName } from './name.ts';
import type { StatementContext, Normalised } from './step.ts';

/** A CREATE statement, by its clauses. */
export interface CreateParts {
  readonly cursor: Cursor;
  readonly head: CreateHead;
  readonly clauses: readonly Clause[];
}

export function clauseOf({ clauses }: CreateParts, kind: ClauseKind): Clause | undefined {
  return clauses.find((clause) => clause.kind === kind && clause.to > clause.from);
}

export function textOf(parts: CreateParts, kind: ClauseKind): string | undefined {
  const clause = clauseOf(parts, kind);
  return clause === undefined ? undefined : parts.cursor.slice(clause.from, clause.to);
}

/** `CREATE TABLE`, with what applies if the table exists. */
export function createTable({ head }: CreateParts): string {
  return `CREATE ${head.isReplace ? 'OR REPLACE ' : ''}TABLE${head.ifNotExists ? ' IF NOT EXISTS' : ''}`;
}

export function normaliseTable(parts: CreateParts, context: StatementContext): Normalised {
  const { cursor, head } = parts;
  const local = engineOf(parts, context);
  const verb = createTable(parts);
  const alias = local?.kind === 'alias' ? [aliasStatement(verb, head.name, local.target)] : [];
  const own = bodiesOf(parts, context).map((body) => `${verb} ${printName(head.name)}${printBody(body)}`);
  const attempts = [...new Set([...alias, ...own])];
  if (attempts.length > 0) {
    const needs = local?.kind === 'alias' ? local.target : undefined;
    return { kind: 'step', action: 'create', target: head.name, what: 'table', attempts, needs };
  }
  const source = textOf(parts, 'engine') ?? textOf(parts, 'like') ?? cursor.text(head.next - 1);
  const message = `its columns are not written, and ${source.split('(')[0]} is not read; add them to the statement`;
  return { kind: 'unknown', target: head.name, message };
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

const PLAIN = ' ENGINE = MergeTree ORDER BY tuple()';

/**
 * The bodies to try, the most faithful first: as written; without the expressions that columns are computed from; also
 * without its keys. Empty if the columns are unknown.
 */
export function bodiesOf(parts: CreateParts, context: StatementContext): readonly TableBody[] {
  const local = engineOf(parts, context);
  const list = columnsOf(parts);
  const select = textOf(parts, 'query');
  const like = list === undefined ? likeOf(parts, context) : '';
  if (list === undefined && select === undefined && like === '') return [];
  const virtual = local?.kind === 'source' && list !== undefined ? local.virtual.map(virtualColumn) : [];
  const print = (text: (column: ColumnText) => string): string =>
    list === undefined ? '' : ` (${[...list.columns.map(text), ...virtual].join(', ')})`;
  const engine = engineText(parts, local, list?.primary, context);
  const query = select === undefined || list !== undefined ? '' : ` EMPTY AS ${select}`;
  const full = { columns: print(({ sql }) => sql), like, engine, query };
  const columns = print(plainColumn);
  return [full, { ...full, columns }, { ...full, columns, engine: PLAIN }];
}

export function columnsOf(parts: CreateParts): ReturnType<typeof readColumns> | undefined {
  const clause = clauseOf(parts, 'columns');
  if (clause === undefined || parts.cursor.kind(clause.from) !== '(') return undefined;
  const read = readColumns(parts.cursor, clause.from);
  return read.columns.length === 0 ? undefined : read;
}

function engineOf(parts: CreateParts, { database }: StatementContext): LocalEngine | undefined {
  const clause = clauseOf(parts, 'engine');
  return clause === undefined ? undefined : localEngine(parts.cursor, clause, database);
}

/** A column that queries can name and `*` does not select. */
function virtualColumn(column: string): string {
  const type = column.slice(column.indexOf(' ') + 1);
  return `${column} ALIAS defaultValueOfTypeName(${quoteString(type)})`;
}

/** ` AS other`; '' if the columns are not those of another table. */
function likeOf(parts: CreateParts, { database }: StatementContext): string {
  const clause = clauseOf(parts, 'like');
  const other = clause === undefined ? undefined : readName(parts.cursor, clause.from, database);
  return other === undefined || parts.cursor.kind(other.next) === '(' ? '' : ` AS ${printName(other.name)}`;
}

const KEYS: readonly (readonly [ClauseKind, string])[] = [
  ['partition', 'PARTITION BY'],
  ['primary', 'PRIMARY KEY'],
  ['order', 'ORDER BY'],
  ['sample', 'SAMPLE BY'],
];

/** ` ENGINE = …` with its keys; '' if the statement names none. */
function engineText(
  parts: CreateParts,
  local: LocalEngine | undefined,
  primary: string | undefined,
  { treeSettings }: StatementContext,
): string {
  if (local !== undefined && local.kind !== 'own') return PLAIN;
  const keys = KEYS.flatMap(([kind, words]) => {
    const text = textOf(parts, kind) ?? (kind === 'primary' ? primary : undefined);
    return text === undefined ? [] : [` ${words} ${text}`];
  });
  if (local === undefined && keys.length === 0) return '';
  const { sql, hasKeys } = local ?? { sql: 'MergeTree', hasKeys: true };
  if (!hasKeys) return ` ENGINE = ${sql}`;
  // The deprecated form has its keys in the arguments, and no settings.
  return ` ENGINE = ${sql}${keys.join('')}${keys.length === 0 ? '' : treeSettings}`;
}
