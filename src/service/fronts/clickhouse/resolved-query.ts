// A query with its names resolved and its functions about the server replaced, and the database that it reads.
import { parseSentText } from '../../../sql/clickhouse/tree/parse.ts';
import type { Answering } from './answering.ts';
import { applyEdits, type EditedText } from './edited-text.ts';
import { resolveNames, type ResolvedNames } from './names.ts';
import type { Request } from './request.ts';
import { replaceServerFunctions } from './server-functions.ts';

export interface ResolvedQuery extends Pick<ResolvedNames, 'named'> {
  readonly resolved: EditedText;
}

/** Throws Problem `clickhouse.*`. */
export function resolveQuery(
  { version, clock, started }: Answering,
  request: Request,
  query: string,
): ResolvedQuery {
  const tree = parseSentText(query);
  const { edits, named } = resolveNames(tree, request.databases, request.current);
  const facts = {
    version,
    user: request.principal.name,
    database: currentDatabase(request),
    queryId: request.queryId,
    uptime: (clock.monotonic() - started) / 1000,
  };
  const resolved = applyEdits(query, [...edits, ...replaceServerFunctions(tree, facts)]);
  return { resolved, named };
}

/** As `currentDatabase()` returns it. */
function currentDatabase({ current, databases }: Request): string {
  const [only, second] = databases.endpoints;
  return current?.database.name ?? (second === undefined ? only?.name : undefined) ?? 'default';
}
