// Answers commands and queries over virtual tables: with the key's rate limit, and by the engine, in every format.
import { Problem } from '../../../sql/base/problem.ts';
import { stringValue } from '../../../sql/clickhouse/literal.ts';
import { tokenTexts } from '../../../sql/clickhouse/tree/lexemes.ts';
import { MAX_SHOWN } from './answer-endpoint.ts';
import type { ClickHouseAnswer } from './call.ts';
import type { Answering } from './answering.ts';
import { suffixedDatabases } from './databases.ts';
import type { Request } from './request.ts';
import { timeLimited } from './time-limit.ts';
import { VIRTUAL_TABLES } from './virtual/definitions.ts';
import type { Seen } from './virtual/seen.ts';
import { admitKey } from '../../request/admission/keys.ts';
import { run } from './run-virtual.ts';
import { type VirtualStatement, planOf } from './plan-virtual.ts';

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
