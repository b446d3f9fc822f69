// The saved query of an endpoint with `pii: { at: source }`, over redacted tables.
import { EngineError, type Column, type Engine, type Statement } from '../engine/engine.ts';
import { readRows } from '../engine/rows.ts';
import { SCALAR_SETTING } from '../../guard/query/tree/tree-grammar.ts';
import { createRedactTable } from '../../guard/sandbox/redaction/source-redaction.ts';
import {
  sourceStatement,
  tablesOfStatement,
  unredactedRead,
} from '../../guard/sandbox/redaction/source-statement.ts';
import { INNER_PAD, OUTER_PAD } from '../../guard/sandbox/redaction/text-functions.ts';
import { foldedPath } from './column-rules.ts';
import type { Endpoint } from './endpoint.ts';
import type { SampleValues } from './samples.ts';

interface UnknownRule {
  readonly path: string;
  readonly columns: readonly string[];
}

interface SourceErrorOptions extends ErrorOptions {
  readonly unknown?: UnknownRule;
}

/** The query cannot be redacted at the source. The message is for the endpoint's author. */
export class SourceError extends Error {
  /** It is the rule of pii.columns that names nothing, with the columns that there are. */
  readonly unknown: UnknownRule | undefined;
  constructor(message: string, { unknown, ...options }: SourceErrorOptions = {}) {
    super(message, options);
    this.name = 'SourceError';
    this.unknown = unknown;
  }
}

/** The saved query over redacted tables. */
export interface SourceQuery {
  /** The statement to run, in which conditions on texts use the sort key: only if all values of parameters can be compared. */
  readonly sql: string;
  /** The same with conditions on redacted texts alone. */
  readonly unindexed: string;
  /** The result columns. */
  readonly result: readonly Column[];
  /** The columns of the tables that it reads, before they are redacted. */
  readonly stored: readonly Column[];
}

/**
 * Has the engine describe the tables of the query, and verifies with its tree that nothing else is read. `samples` are values that the
 * engine accepts for the parameters. Rejects with SourceError, or with EngineError if the engine could not be asked.
 */
export async function readSourceQuery(
  engine: Engine,
  endpoint: Endpoint,
  samples: SampleValues,
): Promise<SourceQuery> {
  const { limits, int64, redaction } = endpoint;
  const { source } = redaction.redactor;
  if (source === undefined) throw new SourceError('the endpoint has no redaction');
  const columns = new Map<string, readonly Column[]>();
  for (const table of tablesOfStatement(endpoint.query)) {
    const described: Statement = {
      sql: `SELECT * FROM ${table}`,
      parameters: {},
      limits,
      origin: 'saved',
      int64,
    };
    columns.set(table, await engine.describe(described).catch(rejected));
  }
  const all = [...columns.values()].flat();
  const lost = Object.entries(redaction.columns).find(
    ([path, action]) => action === 'hash' && !all.some(({ name }) => isOnPath(name, path)),
  );
  if (lost !== undefined)
    throw new SourceError(`pii.columns hashes ${lost[0]}, which no table of the query has`, {
      unknown: { path: lost[0], columns: all.map(({ name }) => name) },
    });
  const how = { redact: createRedactTable(source), columns, isRuled: redaction.redactor.treats };
  const sql = sourceStatement(endpoint.statement, { ...how, canCompare: source.canCompare });
  const unindexed = sourceStatement(endpoint.statement, { ...how, canCompare: () => false });
  // Messages of the engine quote the values of parameters.
  const parameters = { ...samples, [INNER_PAD]: '', [OUTER_PAD]: '' };
  const explained = `EXPLAIN QUERY TREE run_passes = 1, passes = 1 ${sql}\nSETTINGS ${SCALAR_SETTING} = 0`;
  const rows = await readRows(engine, explained, { parameters, limits }).catch(rejected);
  const other = unredactedRead((rows as readonly [string][]).map(([line]) => line).join('\n')); // one string column
  if (other !== undefined) throw new SourceError(`the query reads ${other}, which is not redacted`);
  const statement: Statement = { sql, parameters, limits, origin: 'saved', int64 };
  return { sql, unindexed, result: await engine.describe(statement).catch(rejected), stored: all };
}

/** The keys of hashed columns: parameters of the statement. */
export function hashParameters({ redaction }: Endpoint): Readonly<Record<string, string>> {
  const keys = redaction.redactor.source?.hashKeys;
  return keys === undefined ? {} : { [INNER_PAD]: keys.inner, [OUTER_PAD]: keys.outer };
}

/** Returns whether a rule for `path` applies to a column, or to a part of it. Names are not case-sensitive. */
function isOnPath(column: string, path: string): boolean {
  const [name, folded] = [foldedPath(column), foldedPath(path)];
  return name === folded || folded.startsWith(`${name}.`) || name.startsWith(`${folded}.`);
}

function rejected(cause: unknown): never {
  if (!(cause instanceof EngineError) || cause.failure !== 'rejected') throw cause;
  throw new SourceError(cause.message, { cause });
}
