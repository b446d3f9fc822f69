// Answers commands and queries over virtual tables: with the key's rate limit, and by the engine, in every format.
import { Problem } from '../../../sql/base/problem.ts';
import { EngineError, type Column, type Statement } from '../../engine/engine.ts';
import { readAll } from '../../engine/rows.ts';
import { stringValue } from '../../../sql/clickhouse/string-literal.ts';
import { tokenTexts } from '../../../sql/clickhouse/tree/lexemes.ts';
import { countAnalyses } from '../../request/consumer/analyses.ts';
import { runProblem } from '../../request/engine-problems.ts';
import { asDeclared } from '../../request/formats/native/blocks.ts';
import { queryOf, ROWS_STATEMENT } from './answer-command.ts';
import { endpointCall, MAX_SHOWN } from './answer-endpoint.ts';
import type { ClickHouseAnswer } from './call.ts';
import type { Answering } from './answering.ts';
import type { Command, Expression } from './commands.ts';
import { suffixedDatabases, type VirtualScope } from './databases.ts';
import { inOriginal, type EditedText } from './edited-text.ts';
import { inText, type Request } from './request.ts';
import { resolveQuery } from './resolved-query.ts';
import { timeLimited } from './time-limit.ts';
import { VIRTUAL_TABLES } from './virtual/definitions.ts';
import type { Seen } from './virtual/seen.ts';
import { admitKey } from '../../request/admission/keys.ts';
import { prepare } from '../../request/answer.ts';
import type { PlannedQuery } from '../../request/planned-query.ts';

export type VirtualStatement =
  | { readonly kind: 'select'; readonly text: string; readonly database: VirtualScope | undefined }
  | {
      readonly kind: 'command';
      readonly command: Command;
      readonly text: string;
      readonly used: ReadonlySet<string>;
    };

type Planned = Pick<PlannedQuery, 'statement' | 'blame'>;

/** Rows of one result. */
const MAX_ROWS = 1_000_000;

/** Throws Problem. */
export async function answerVirtual(
  answering: Answering,
  request: Request,
  statement: VirtualStatement,
): Promise<ClickHouseAnswer> {
  const { path, running, clock, after, sandboxes } = answering;
  const { principal, queryId, content, call } = request;
  // The description of a query over an endpoint counts as a call of it.
  if (!isDescription(statement)) await admitKey(path, call.key, call.record);
  if (sandboxes.offBecause() !== undefined) throw new Problem('sandbox.switched_off');
  const database = request.current?.database.name ?? 'system';
  const seen = seenBy(answering, request, statement);
  const started = clock.monotonic();
  const entry = running.begin(principal.id, {
    queryId,
    query: content.text.slice(0, MAX_SHOWN),
    database,
    started,
  });
  const limited = timeLimited(after, request, entry.signal);
  try {
    const signal = limited.signal();
    const planned = await planOf(answering, request, { statement, seen, signal });
    return await run(answering, request, { planned, signal, started });
  } finally {
    limited.end();
    entry.end();
  }
}

function isDescription(statement: VirtualStatement): boolean {
  return statement.kind === 'command' && statement.command.kind === 'describe query';
}

interface Asked {
  readonly statement: VirtualStatement;
  readonly seen: Seen;
  readonly signal: AbortSignal;
}

async function planOf(
  answering: Answering,
  request: Request,
  { statement, seen, signal }: Asked,
): Promise<Planned> {
  if (statement.kind === 'select') return planText(answering, request, { ...statement, seen });
  const { command, used } = statement;
  const answer = await queryOf(command, {
    seen,
    running: answering.running,
    isCompact: request.settings.isCompact,
    describe: (described) => describeQuery(answering, request, { described, used, seen, signal }),
  });
  if (answer.kind === 'virtual') {
    const plan = () => planText(answering, request, { text: answer.text, database: 'system', seen });
    return answer.sent === undefined ? plan() : planSent(answer.sent, plan);
  }
  return {
    statement: { ...ROWS_STATEMENT, sql: answer.sql, key: request.principal.id },
    blame: () => undefined,
  };
}

/** Positions in problems are those of the statement as sent. */
async function planSent(
  { sql, edited }: { readonly sql: string; readonly edited: EditedText },
  plan: () => Promise<Planned>,
): Promise<Planned> {
  const { statement, blame } = await inText(sql, edited, plan);
  const blameSent: Planned['blame'] = (failure) => {
    const problem = blame(failure);
    return problem && inOriginal(problem, sql, edited);
  };
  return { statement, blame: blameSent };
}

interface VirtualText {
  readonly text: string;
  readonly database: VirtualScope | undefined;
  readonly seen: Seen;
}

function planText(
  { planVirtual, suspensions }: Answering,
  { principal, settings: { resultRows } }: Request,
  { text, database, seen }: VirtualText,
): Promise<Planned> {
  const name = database ?? 'system';
  const endpoint = { id: `virtual ${name}`, name };
  const sent = suspensions.admit({ language: 'sql', text, dialect: 'clickhouse' }, { endpoint, principal });
  const rows = Math.min(MAX_ROWS, resultRows?.max ?? MAX_ROWS);
  return planVirtual({ database, text, rows, caller: { key: principal.id, onFatal: sent.onFatal } }, seen);
}

interface Described {
  readonly described: Expression;
  readonly used: ReadonlySet<string>;
  readonly seen: Seen;
  readonly signal: AbortSignal;
}

/** The columns of `DESCRIBE (SELECT …)`. Positions in problems are those of the whole statement. */
async function describeQuery(
  answering: Answering,
  request: Request,
  { described: { sql, start, end }, used, seen, signal }: Described,
): Promise<readonly Column[]> {
  const { engine, path } = answering;
  // Spaces and line breaks before it keep its place.
  const query = `${sql.slice(0, start).replace(/[^\r\n]/g, ' ')}${sql.slice(start, end)}`;
  const { resolved, named } = resolveQuery(answering, request, query);
  const planOfText = async (): Promise<Planned> => {
    if (named?.database.kind === 'endpoint') {
      const described = { ...named, endpoint: named.database.endpoint, text: resolved.text, used };
      return (await prepare(path, endpointCall(request, described, resolved.text))).query;
    }
    await admitKey(path, request.call.key, request.call.record);
    return planText(answering, request, { text: resolved.text, database: named?.database.name, seen });
  };
  return inText(query, resolved, async () => {
    const planned = await planOfText();
    return countAnalyses(engine)
      .describe(planned.statement, { signal })
      .catch((error: unknown) => {
        throw runProblem(error, { ...NO_PLAN, ...planned }, signal);
      });
  });
}

const NO_PLAN = { canonical: '', consumerQuery: undefined, overRedacted: undefined };

interface Run {
  readonly planned: Planned;
  readonly signal: AbortSignal;
  readonly started: number;
}

async function run(
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

/** TOO_MANY_ROWS_OR_BYTES. */
const TOO_MANY_ROWS = 396;

function tooManyRows(max: number): Problem {
  const detail = `The result exceeds the limit max_result_rows: more than ${max} rows`;
  return new Problem('query.too_expensive', {
    detail,
    cause: new EngineError('limit', detail, { engineCode: TOO_MANY_ROWS }),
    hint: 'Add a LIMIT, or set result_overflow_mode to break.',
  });
}

function seenBy(
  answering: Answering,
  { databases, principal, content }: Request,
  statement: VirtualStatement,
): Seen {
  const { columnsOf, running, clock, version } = answering;
  const strings = tokenTexts(statement.text, 'string').flatMap((text) => stringValue(text) ?? []);
  return {
    databases,
    suffixed: suffixedDatabases(databases, [content.database ?? '', ...strings]),
    virtual: VIRTUAL_TABLES,
    principal,
    version,
    processes: () => running.of(principal.id),
    now: clock.monotonic,
    columnsOf: (endpoint) =>
      columnsOf(endpoint, endpoint.redaction.always || principal.redact || content.redact),
  };
}
