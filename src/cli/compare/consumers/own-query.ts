// Reads consumer queries in the languages of the service: checked by the endpoint's sandbox, then resolved by the engine over empty
// tables with the columns of the endpoint's tables.
import { translate } from '../../../sql/dialects/bigquery/translate.ts';
import type { Dialect, Endpoint } from '../../../service/endpoints/endpoint.ts';
import type { TableColumns } from '../../../service/endpoints/describe.ts';
import { explain } from '../../../service/endpoints/explain.ts';
import { searchedTables } from '../../../service/endpoints/searched-tables.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { EngineError, Engine } from '../../../service/engine/engine.ts';
import { engineSentence } from '../../../service/engine/engine-sentence.ts';
import { compile } from '../../../sql/lql/compile.ts';
import { parse } from '../../../sql/lql/parse.ts';
import { createFunctionPolicy } from '../../../guard/sandbox/functions/policy.ts';
import { createSandbox, type Sandbox, type Verdict } from '../../../guard/sandbox/sandbox.ts';
import { createVerdictCache } from '../../../guard/sandbox/verdict-cache.ts';
import { outlineQuery } from '../../../sql/clickhouse/outline.ts';
import { quoteIdentifier, quoteString } from '../../../sql/clickhouse/literal.ts';
import { rejected, type ConsumerText, type ReadResult, type Rejection } from './query.ts';
import { readsInTree, type PathRead } from './tree-reads.ts';

/** An endpoint at one revision, with the columns of its tables. */
export interface QuerySurface {
  readonly endpoint: Endpoint;
  readonly tables: readonly TableColumns[];
}

/** Reads queries that are sent to one endpoint. Rejects with EngineError if the engine is unavailable. */
export type ReadOwn = (query: ConsumerText) => Promise<ReadResult<PathRead>>;

/** Creates the reader of one endpoint at one revision. */
export function createReadOwn(engine: Engine, surface: QuerySurface): ReadOwn {
  const { endpoint, tables } = surface;
  const { enabled, languages, dialects } = endpoint.sandbox;
  const head = `WITH ${tables.map(emptyTable).join(',\n')}\n`;
  const sandbox = createEmptySandbox(engine, surface, head);
  return async (query) => {
    const { language, dialect, text } = query;
    if (!enabled) return rejected('the endpoint accepts no consumer queries');
    if (!languages.has(language)) return rejected(`the endpoint accepts no consumer queries in ${language}`);
    if (sandbox === undefined) return rejected('the tables of the endpoint cannot be analysed');
    const read = (toSql: () => string) => readSql(engine, sandbox, { head, toSql });
    if (language === 'lql') return read(() => lqlToSql(text, surface));
    if (dialect !== undefined && !isOneOf(dialects, dialect))
      return rejected(`the endpoint accepts SQL in ${dialects.join(' and ')} only`);
    const results = await Promise.all(
      (dialect === undefined ? dialects : [dialect]).map((each) =>
        read(() => toClickHouse(text, each, surface)),
      ),
    );
    return (
      results.find(({ kind }) => kind === 'read') ?? results[0] ?? rejected('the endpoint accepts no SQL')
    );
  };
}

function isOneOf(dialects: readonly Dialect[], dialect: string): dialect is Dialect {
  return (dialects as readonly string[]).includes(dialect);
}

/** An element of the WITH clause: a table without rows. */
function emptyTable({ name, columns }: TableColumns): string {
  const structure = columns.map((column) => `${quoteIdentifier(column.name)} ${column.type}`).join(', ');
  return `${quoteIdentifier(name)} AS (SELECT * FROM null(${quoteString(structure)}))`;
}

function createEmptySandbox(
  engine: Engine,
  { endpoint, tables }: QuerySurface,
  head: string,
): Sandbox | undefined {
  const boundSql = `${head}SELECT 1`;
  const { outline } = outlineQuery(boundSql);
  if (outline === undefined || tables.length === 0) return undefined;
  return createSandbox({
    boundSql,
    // Queries must not define names of the saved query.
    outline: { ...outline, identifiers: endpoint.outline.identifiers },
    revision: '',
    functions: createFunctionPolicy(endpoint.sandbox),
    columns: new Map(tables.map(({ name, columns }) => [name, columns])),
    cache: createVerdictCache<Verdict>(CACHE_CHARACTERS),
    explain: (sql) => explain(engine, sql, OWN_FAILURES),
  });
}

/** Queries are read once each. */
const CACHE_CHARACTERS = 100_000;

function toClickHouse(text: string, dialect: Dialect, { endpoint, tables }: QuerySurface): string {
  return dialect === 'clickhouse'
    ? text
    : translate(text, { tables, taken: endpoint.outline.identifiers }).sql;
}

/** What a query reads does not depend on the time. In microseconds. */
const ANY_TIME = 1_700_000_000_000_000n;

/** Throws Problem. */
function lqlToSql(text: string, { endpoint, tables }: QuerySurface): string {
  const parsed = parse(text);
  const compiled =
    'findings' in parsed
      ? parsed
      : compile(parsed.tree, {
          tables: searchedTables(endpoint, tables),
          defaultTable: endpoint.outline.defaultTable,
          now: ANY_TIME,
        });
  if ('sql' in compiled) return compiled.sql;
  const [first] = compiled.findings;
  throw first === undefined
    ? new Problem('internal.error')
    : new Problem(first.code, { detail: first.message });
}

interface SqlSource {
  readonly head: string;
  /** Throws Problem. */
  readonly toSql: () => string;
}

async function readSql(
  engine: Engine,
  sandbox: Sandbox,
  { head, toSql }: SqlSource,
): Promise<ReadResult<PathRead>> {
  try {
    const { joined } = await sandbox.check(toSql());
    const explained = await explain(
      engine,
      `EXPLAIN QUERY TREE run_passes = 1 ${head}SELECT * FROM (\n${joined}\n)`,
      OWN_FAILURES,
    );
    if (explained.kind === 'rejected') return rejected(engineSentence(explained.message));
    const reads = readsInTree(explained.text);
    return reads === undefined ? rejected('the query is too large to be analysed') : { kind: 'read', reads };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return rejected(error.message, CAUSES.get(error.code));
  }
}

const CAUSES: ReadonlyMap<string, Rejection['cause']> = new Map([
  ['sandbox.table_denied', 'elsewhere'],
  ['lql.table_unknown', 'elsewhere'],
  ['lql.table_missing', 'elsewhere'],
  ['sandbox.query_invalid', 'syntax'],
  ['sandbox.syntax_unsupported', 'syntax'],
  ['bigquery.syntax_invalid', 'syntax'],
]);

/** A query that the engine cannot analyse in time or memory is not read, nor is one that ends its process. */
const OWN_FAILURES = {
  isRejection: ({ failure }: EngineError): boolean => failure !== 'unavailable' && failure !== 'busy',
};
