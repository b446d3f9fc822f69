// Runs a planned statement over virtual tables and writes its result in the format of the request.
import { Problem } from '../../../sql/base/problem.ts';
import { EngineError, type Statement } from '../../engine/engine.ts';
import { readAll } from '../../engine/rows.ts';
import { runProblem } from '../../request/engine-problems.ts';
import { asDeclared } from '../../request/formats/native/blocks.ts';
import type { ClickHouseAnswer } from './call.ts';
import type { Answering } from './answering.ts';
import type { Request } from './request.ts';
import type { PlannedQuery } from '../../request/planned-query.ts';

export type Planned = Pick<PlannedQuery, 'statement' | 'blame'>;

/** One result has at most this many rows. */
export const MAX_ROWS = 1_000_000;

export const NO_PLAN = { canonical: '', consumerQuery: undefined, overRedacted: undefined };

interface Run {
  readonly planned: Planned;
  readonly signal: AbortSignal;
  readonly started: number;
}

export async function run(
  { engine, clock }: Answering,
  { format, contentType, queryId, call, principal }: Request,
  { planned, signal, started }: Run,
): Promise<ClickHouseAnswer> {
  try {
    const comment = JSON.stringify({ request: call.requestId });
    const statement: Statement = { ...planned.statement, key: principal.id };
    const { chunks, rows = 0 } = await engine.run(cut(statement, format.resultRows), {
      format,
      signal,
      comment,
    });
    const bytes = await readAll(chunks);
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const { resultRows } = format;
    if (resultRows?.overflow === 'throw' && rows > resultRows.max) throw tooManyRows(resultRows.max);
    return {
      body: await asDeclared(body, format, () => engine.describe(statement, { signal })),
      contentType,
      format: format.engine,
      queryId,
      summary: {
        resultRows: rows,
        elapsedNs: Math.round((clock.monotonic() - started) * 1e6),
      },
      truncated: false,
      answer: undefined,
    };
  } catch (error) {
    throw runProblem(error, { ...NO_PLAN, ...planned }, signal);
  }
}

/** A row more than the caller wants is an error, or is cut. */
function cut(statement: Statement, resultRows: Request['format']['resultRows']): Statement {
  const most = resultRows?.overflow === 'break' ? resultRows.max : undefined;
  return most === undefined || most >= MAX_ROWS
    ? statement
    : { ...statement, sql: `SELECT * FROM (\n${statement.sql}\n) LIMIT ${most}` };
}

/** The engine's error TOO_MANY_ROWS_OR_BYTES has this code. */
const TOO_MANY_ROWS = 396;

function tooManyRows(max: number): Problem {
  const detail = `The result exceeds the limit max_result_rows: more than ${max} rows`;
  return new Problem('query.too_expensive', {
    detail,
    cause: new EngineError('limit', detail, { engineCode: TOO_MANY_ROWS }),
    hint: 'Add a LIMIT, or set result_overflow_mode to break.',
  });
}
