// Reads a request as a statement needs it: its databases, settings and format.
import type { Answering } from './answering.ts';
import { databasesOf, findDatabase } from './databases.ts';
import { formatOf, readSettings } from './settings.ts';
import type { SentStatement } from './statement.ts';
import type { Request } from './request.ts';
import { VIRTUAL_NAMES } from './virtual/definitions.ts';

export function readRequest(
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
