// Reads consumer queries in the languages of the service: checked by the endpoint's sandbox, then resolved by the engine over empty
// tables with the columns of the endpoint's tables.
import type { Dialect } from '../../../service/endpoints/endpoint.ts';
import { explain } from '../../../service/endpoints/explain.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { engineSentence } from '../../../service/engine/engine-sentence.ts';
import type { Sandbox } from '../../../guard/sandbox/sandbox.ts';
import { rejected, type ConsumerText, type ReadResult, type Rejection } from './query.ts';
import { readsInTree, type PathRead } from './tree-reads.ts';
import { type QuerySurface, emptyTable, createEmptySandbox, OWN_FAILURES } from './empty-tables.ts';
import { toClickHouse, lqlToSql } from './to-clickhouse.ts';

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
