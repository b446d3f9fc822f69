// The ClickHouse interface: a statement is read, its names and placeholders are resolved, and it is answered by an endpoint,
// by the virtual tables, or as a command.
import { Problem } from '../../../sql/base/problem.ts';
import { answerEndpoint } from './answer-endpoint.ts';
import { answerVirtual } from './answer-virtual.ts';
import type { Answering, ClickHouseDeps } from './answering.ts';
import type { AnswerClickHouse, ClickHouseAnswer } from './call.ts';
import { createColumnsOf } from './columns-of.ts';
import { readCommand } from './commands.ts';
import { databasesOf, findDatabase } from './databases.ts';
import { applyEdits } from './edited-text.ts';
import { substitute } from './placeholders.ts';
import { resolveQuery } from './resolved-query.ts';
import { createRunningQueries } from './running.ts';
import { formatOf, readSettings } from './settings.ts';
import { readSet, readStatement, readUse, type SentStatement } from './statement.ts';
import { inText, type Request } from './request.ts';
import { createPlanVirtual } from './virtual/sandbox.ts';
import { VIRTUAL_NAMES } from './virtual/definitions.ts';
import { identifyKey, admitKey } from '../../request/admission/keys.ts';

/** Creates the function that answers calls. It throws Problem, with positions in the text as it was sent. */
export function createClickHouse(deps: ClickHouseDeps): AnswerClickHouse {
  const answering: Answering = {
    ...deps,
    running: createRunningQueries(),
    planVirtual: createPlanVirtual(deps.engine),
    columnsOf: createColumnsOf(deps),
    started: deps.clock.monotonic(),
  };
  return async (call) => {
    const principal = await identifyKey(deps.path, call.key, call.record);
    try {
      const content = await call.read();
      const statement = readStatement(content.text);
      const request = readRequest(answering, { call, content, principal }, statement);
      return await answerStatement(answering, request, statement);
    } catch (error) {
      // What is rejected before a database is known counts as well.
      if (call.record.limits === undefined) await admitKey(deps.path, call.key, call.record);
      throw error;
    }
  };
}

function readRequest(
  { catalog }: Answering,
  { call, content, principal }: Pick<Request, 'call' | 'content' | 'principal'>,
  statement: SentStatement,
): Request {
  const settings = readSettings(effectiveSettings(content, statement));
  const name = statement.format ?? content.defaultFormat ?? settings.defaultFormat ?? 'TabSeparated';
  const databases = databasesOf(catalog(), principal, VIRTUAL_NAMES);
  const current = content.database === undefined ? undefined : findDatabase(databases, content.database);
  return {
    call,
    content,
    principal,
    databases,
    current,
    settings,
    queryId: content.queryId ?? call.requestId,
    ...formatOf({ name, protocolVersion: content.protocolVersion }, settings),
  };
}

/** Clients send settings with all queries that have an effect on some only. */
function effectiveSettings(
  { settings }: Request['content'],
  { hasJoin, settings: own }: SentStatement,
): readonly (readonly [name: string, value: string])[] {
  return [...settings, ...own].filter(([name]) => hasJoin || name !== 'join_use_nulls');
}

async function answerStatement(
  answering: Answering,
  request: Request,
  statement: SentStatement,
): Promise<ClickHouseAnswer> {
  const { kind, text, sql, word } = statement;
  switch (kind) {
    case 'select':
      return answerSelect(answering, request, statement);
    case 'show':
    case 'describe':
    case 'exists':
    case 'kill': {
      const { edits, used } = substitute(sql, request.content.parameters);
      const edited = applyEdits(text, [...statement.edits, ...edits]);
      return inText(text, edited, async () => {
        const command = readCommand(edited.text, request);
        return answerVirtual(answering, request, { kind: 'command', command, text: edited.text, used });
      });
    }
    case 'set':
      return answerSet(answering, request, statement);
    case 'use':
      return answerUse(answering, request, statement);
    case 'explain':
    case 'check':
    case 'transaction': {
      throw new Problem('clickhouse.statement_unsupported', {
        detail: `${word} is not supported`,
        ...(kind === 'explain'
          ? {
              hint: 'Plans name tables and conditions behind the database; DESCRIBE (SELECT …) has the columns of a query.',
            }
          : {}),
      });
    }
  }
}

/** Which database a query reads decides who answers it. */
async function answerSelect(
  answering: Answering,
  request: Request,
  { text, sql, edits }: SentStatement,
): Promise<ClickHouseAnswer> {
  const values = substitute(sql, request.content.parameters);
  const substituted = applyEdits(text, [...edits, ...values.edits]);
  return inText(text, substituted, async () => {
    const { resolved, named } = resolveQuery(answering, request, substituted.text);
    return inText(substituted.text, resolved, () => {
      const query = { text: resolved.text, used: values.used };
      if (named?.database.kind === 'endpoint') {
        const { endpoint } = named.database;
        return answerEndpoint(answering, request, { ...query, endpoint, parameters: named.parameters });
      }
      return answerVirtual(answering, request, {
        kind: 'select',
        ...query,
        database: named?.database.name,
      });
    });
  });
}

/** Accepted if it changes nothing: sessions hold no settings. */
async function answerSet(
  { path }: Answering,
  request: Request,
  { sql }: SentStatement,
): Promise<ClickHouseAnswer> {
  await admitKey(path, request.call.key, request.call.record);
  const read = readSet(sql);
  if (read === 'role') {
    throw new Problem('clickhouse.setting_read_only', {
      detail: 'Roles cannot be set',
      hint: 'The key decides what is allowed.',
    });
  }
  if (read === undefined) {
    throw new Problem('clickhouse.syntax_invalid', {
      detail: 'Write SET name = value, with commas between several',
    });
  }
  const { output, resultRows, time, defaultFormat } = readSettings(read);
  const [first] = output.map(([name]) => name);
  const applied =
    first ??
    (resultRows === undefined ? undefined : 'max_result_rows') ??
    (time && 'max_execution_time') ??
    (defaultFormat && 'default_format');
  if (applied === undefined) return nothing(request);
  throw new Problem('clickhouse.setting_read_only', {
    detail: `Sessions hold no settings, and ${applied} would change results`,
    hint: 'Send it with each query: in the URL, or as SETTINGS at the end of the query.',
  });
}

async function answerUse(
  { path }: Answering,
  request: Request,
  { sql }: SentStatement,
): Promise<ClickHouseAnswer> {
  await admitKey(path, request.call.key, request.call.record);
  const wanted = findDatabase(request.databases, readUse(sql));
  if (wanted?.database.name === request.current?.database.name) return nothing(request);
  throw new Problem('clickhouse.setting_read_only', {
    detail: 'Sessions hold no database',
    hint: 'Send database= with each query, or write the database before the table: `database`.table.',
  });
}

function nothing({ format, contentType, queryId }: Request): ClickHouseAnswer {
  return {
    body: Buffer.alloc(0),
    contentType,
    format: format.engine,
    queryId,
    summary: { resultRows: 0, elapsedNs: 0 },
    truncated: false,
    answer: undefined,
  };
}
