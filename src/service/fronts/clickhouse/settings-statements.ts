// Answers the statements SET and USE, without rows: sessions have neither settings nor a database.
import { Problem } from '../../../sql/base/problem.ts';
import type { Answering } from './answering.ts';
import type { ClickHouseAnswer } from './call.ts';
import { findDatabase } from './databases.ts';
import { readSettings } from './settings.ts';
import { readSet, readUse, type SentStatement } from './statement.ts';
import type { Request } from './request.ts';
import { admitKey } from '../../request/admission/keys.ts';

/** Accepts the statement if it changes nothing: sessions have no settings. */
export async function answerSet(
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

export async function answerUse(
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
