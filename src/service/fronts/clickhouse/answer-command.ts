// The answers to commands: rows of the service, and queries over virtual tables.
import type { Column, Statement } from '../../engine/engine.ts';
import { quoteIdentifier, quoteString } from '../../../sql/clickhouse/literal.ts';
import type { Command, Expression, Filter, NamedTable } from './commands.ts';
import type { Database } from './databases.ts';
import { applyEdits, type EditedText } from './edited-text.ts';
import { literalRows, type Row, type TypedColumn } from './rows-text.ts';
import type { RunningQueries } from './running.ts';
import { createStatement } from './virtual/catalog-rows.ts';
import { VIRTUAL_TABLES } from './virtual/definitions.ts';
import { databaseNames, type Seen } from './virtual/seen.ts';
import { showsNullable } from './virtual/type-facts.ts';

/** A query of the service's own, or one over virtual tables that the sandbox checks. */
export type CommandQuery =
  | { readonly kind: 'rows'; readonly sql: string }
  | {
      readonly kind: 'virtual';
      readonly text: string;
      /** The statement that it was made of; undefined if nothing of the text is the caller's. */
      readonly sent: { readonly sql: string; readonly edited: EditedText } | undefined;
    };

export interface CommandContext {
  readonly seen: Seen;
  readonly running: RunningQueries;
  /** DESCRIBE has names and types only. */
  readonly isCompact: boolean;
  /** The columns of a query of the caller. */
  readonly describe: (query: Expression) => Promise<readonly Column[]>;
}

/** The query that answers a command. Throws Problem. */
export async function queryOf(command: Command, context: CommandContext): Promise<CommandQuery> {
  const { seen } = context;
  const list = listWhere(command);
  if (list !== undefined) return list;
  switch (command.kind) {
    case 'select':
      return { kind: 'virtual', text: filtered(command.sql, command.filter), sent: undefined };
    case 'databases':
      return names(
        'name',
        databaseNames(seen).map(([name]) => name),
        command.filter,
      );
    case 'tables':
      return tablesQuery(command.database, command.isFull, command.filter);
    case 'columns':
      return columnsQuery(await columnsOf(command.named, seen), command.isFull, command.filter);
    case 'create table':
      return names('statement', [await createTable(command.named, seen)]);
    case 'create database':
      return names('statement', [
        `CREATE DATABASE ${quoteIdentifier(command.database.name)}\nENGINE = Memory`,
      ]);
    case 'describe':
      return describeQuery(await columnsOf(command.named, seen), context);
    case 'describe query':
      return describeQuery(await context.describe(command.query), context);
    case 'exists':
      return rowsOf([{ name: 'result', type: 'UInt8' }], [[command.exists ? 1 : 0]]);
    case 'kill':
      return killQuery(command, context);
  }
}

function rowsOf(columns: readonly TypedColumn[], rows: readonly Row[], filter?: Filter): CommandQuery {
  const [first] = columns;
  const sql = literalRows(columns, rows);
  return {
    kind: 'rows',
    sql:
      filter === undefined || first === undefined
        ? sql
        : filtered(`SELECT * FROM (${sql})`, filter, first.name),
  };
}

function names(column: string, values: readonly string[], filter?: Filter): CommandQuery {
  return rowsOf(
    [{ name: column, type: 'String' }],
    values.map((value) => [value]),
    filter,
  );
}

/** A list with an expression of the caller: a query over the virtual tables, so that the sandbox checks it. */
function listWhere(command: Command): CommandQuery | undefined {
  if (!('filter' in command) || command.filter.where === undefined) return undefined;
  const { where, limit } = command.filter;
  const rows = limit === undefined ? '' : `\nLIMIT ${limit}`;
  const order = command.kind === 'databases' || command.kind === 'tables' ? '\nORDER BY name' : '';
  const { sql, start, end } = where;
  const edited = applyEdits(sql, [
    { start: 0, end: start, text: `${listOf(command)} (` },
    { start: end, end: sql.length, text: `\n)${order}${rows}` },
  ]);
  return { kind: 'virtual', text: edited.text, sent: { sql, edited } };
}

/** Up to the expression. */
function listOf(command: Extract<Command, { readonly filter: Filter }>): string {
  switch (command.kind) {
    case 'select':
      return `SELECT * FROM (${command.sql}) WHERE`;
    case 'databases':
      return 'SELECT name FROM databases WHERE';
    case 'tables': {
      const type = command.isFull ? ", 'VIEW' AS table_type" : '';
      return `SELECT name${type} FROM tables WHERE database = ${quoteString(command.database.name)} AND`;
    }
    case 'columns': {
      const { database, table } = command.named;
      const shown = (command.isFull ? SHOWN_FULL : SHOWN).map((name) => {
        const value = {
          field: 'name',
          type: 'type',
          null: "if(match(type, '^(LowCardinality[(])?Nullable[(]'), 'YES', 'NO')",
        }[name];
        return `${value ?? "''"} AS ${quoteIdentifier(name)}`;
      });
      return `SELECT ${shown.join(', ')} FROM columns WHERE database = ${quoteString(database.name)} AND table = ${quoteString(table)} AND`;
    }
  }
}

/** The pattern has been quoted when it was read. */
function filtered(sql: string, { condition, limit }: Filter, column = 'name'): string {
  const where = condition === undefined ? '' : ` WHERE ${quoteIdentifier(column)} ${condition}`;
  const rows = limit === undefined ? '' : ` LIMIT ${limit}`;
  return where === '' ? `${sql}${rows}` : `SELECT * FROM (${sql})${where}${rows}`;
}

function tablesQuery(database: Database, isFull: boolean, filter: Filter): CommandQuery {
  if (!isFull) return names('name', database.tables.toSorted(), filter);
  const columns = [
    { name: 'name', type: 'String' },
    { name: 'table_type', type: 'String' },
  ];
  return rowsOf(
    columns,
    database.tables.map((name) => [name, 'VIEW']),
    filter,
  );
}

async function columnsOf({ database, table }: NamedTable, seen: Seen): Promise<readonly Column[]> {
  if (database.kind === 'endpoint') return (await seen.columnsOf(database.endpoint)).get(table) ?? [];
  return VIRTUAL_TABLES[database.name].find(({ name }) => name === table)?.columns ?? [];
}

async function createTable(named: NamedTable, seen: Seen): Promise<string> {
  const { database, table: name } = named;
  const columns = await columnsOf(named, seen);
  const isOwn = database.kind === 'endpoint';
  const engine = isOwn ? 'View' : VIRTUAL_TABLES[database.name].find((each) => each.name === name)?.engine;
  const comment = isOwn ? database.endpoint.description.trim() : '';
  return createStatement({ database: database.name, name, engine: engine ?? 'View', columns, comment });
}

const STRING = 'String';
const DESCRIPTION = [
  'name',
  'type',
  'default_type',
  'default_expression',
  'comment',
  'codec_expression',
  'ttl_expression',
];

function describeQuery(columns: readonly Column[], { isCompact }: CommandContext): CommandQuery {
  const shown = isCompact ? DESCRIPTION.slice(0, 2) : DESCRIPTION;
  return rowsOf(
    shown.map((name) => ({ name, type: STRING })),
    columns.map(({ name, type }) => [name, type, '', '', '', '', ''].slice(0, shown.length)),
  );
}

const SHOWN = ['field', 'type', 'null', 'key', 'default', 'extra'];
const SHOWN_FULL = ['field', 'type', 'null', 'key', 'default', 'extra', 'collation', 'comment', 'privileges'];

function columnsQuery(columns: readonly Column[], isFull: boolean, filter: Filter): CommandQuery {
  const shown = isFull ? SHOWN_FULL : SHOWN;
  return rowsOf(
    shown.map((name) => ({ name, type: STRING })),
    columns.map(({ name, type }) => {
      const values = [name, type, showsNullable(type) ? 'YES' : 'NO', '', '', '', '', '', ''];
      return values.slice(0, shown.length);
    }),
    filter,
  );
}

function killQuery(
  { ids, mode }: Extract<Command, { kind: 'kill' }>,
  { seen, running }: CommandContext,
): CommandQuery {
  const killed = running.kill(seen.principal.id, ids, mode === 'TEST');
  const status = { SYNC: 'finished', ASYNC: 'waiting', TEST: 'unknown_status' }[mode];
  const columns = ['kill_status', 'query_id', 'user', 'query'].map((name) => ({ name, type: STRING }));
  return rowsOf(
    columns,
    killed.map(({ queryId, query }) => [status, queryId, seen.principal.name, query]),
  );
}

/** Limits of queries of the service's own. */
export const ROWS_STATEMENT: Omit<Statement, 'sql'> = {
  parameters: {},
  limits: { time: 10, memory: 2 ** 28, readRows: 0, resultBytes: 2 ** 26 },
  origin: 'saved',
  int64: 'number',
};
