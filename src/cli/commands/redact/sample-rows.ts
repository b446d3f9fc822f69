// Reads sample rows of an endpoint as they are stored.
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import { EngineError, type Engine } from '../../../service/engine/engine.ts';
import { readAll } from '../../../service/engine/rows.ts';
import { linesOf } from '../../../service/formats/members.ts';
import { tablesOfStatement } from '../../../guard/sandbox/redaction/source-statement.ts';
import { readClause, withClause } from '../../../sql/clickhouse/clause.ts';
import { tokensOf } from '../../../sql/clickhouse/tree/tokens.ts';
import { quoteIdentifier } from '../../../sql/clickhouse/literal.ts';
import { CommandError } from '../../kit/command-error.ts';

export type Values = ReturnType<Endpoint['binder']['bind']>['values'];

/** The tables for consumers; those that a query redacted at the source reads; and the result of other saved queries. */
export function samplesOf(
  endpoint: Endpoint,
  rows: number,
): readonly { readonly name: string; readonly sql: string }[] {
  const { query, outline, sandbox, redaction } = endpoint;
  const clause = readClause(tokensOf(query), outline);
  const limit = `LIMIT ${rows}`;
  const readable = sandbox.enabled ? outline.elements.filter(({ kind }) => kind === 'table') : [];
  const ofConsumers = readable.map(({ name }) => ({
    name: `table ${name}`,
    sql: `${withClause(clause, clause.needed(name))}\nSELECT * FROM ${quoteIdentifier(name)} ${limit}`,
  }));
  const stored = redaction.at === 'source' ? tablesOfStatement(query) : [];
  const ofSource = stored.map((table) => ({
    name: `stored table ${table}`,
    sql: `SELECT * FROM ${table} ${limit}`,
  }));
  const result = { name: 'result', sql: `SELECT * FROM (\n${query}\n) ${limit}` };
  return [...ofConsumers, ...(redaction.at === 'source' ? ofSource : sandbox.enabled ? [] : [result])];
}

export async function read(
  engine: Engine,
  { id, limits, int64 }: Endpoint,
  { sql, values }: { readonly sql: string; readonly values: Values },
): Promise<readonly unknown[]> {
  try {
    const { chunks } = await engine.run(
      { sql, parameters: values, limits, origin: 'saved', int64 },
      {
        format: 'JSONEachRow',
        signal: new AbortController().signal,
        isPatient: false,
        lane: id,
        comment: '',
      },
    );
    return linesOf(Buffer.from(await readAll(chunks))).map((line): unknown => JSON.parse(line));
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    // The engine's message may quote a value.
    const code = error.engineCode === undefined ? '' : `, code ${error.engineCode}`;
    throw new CommandError(`The engine could not read the rows (${error.failure}${code})`, { cause: error });
  }
}
