// Writes the text of a query over virtual tables: planned, or described for its columns.
import type { Column } from '../../engine/engine.ts';
import { countAnalyses } from '../../request/consumer/analyses.ts';
import { runProblem } from '../../request/engine-problems.ts';
import { endpointCall } from './answer-endpoint.ts';
import type { Answering } from './answering.ts';
import type { Expression } from './commands.ts';
import type { VirtualScope } from './databases.ts';
import { inText, type Request } from './request.ts';
import { resolveQuery } from './resolved-query.ts';
import type { Seen } from './virtual/seen.ts';
import { admitKey } from '../../request/admission/keys.ts';
import { prepare } from '../../request/answer.ts';
import { MAX_ROWS, NO_PLAN, type Planned } from './run-virtual.ts';

interface VirtualText {
  readonly text: string;
  readonly database: VirtualScope | undefined;
  readonly seen: Seen;
}

export function planText(
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

/** Resolves to the columns of `DESCRIBE (SELECT …)`. Positions in problems are those of the whole statement. */
export async function describeQuery(
  answering: Answering,
  request: Request,
  { described: { sql, start, end }, used, seen, signal }: Described,
): Promise<readonly Column[]> {
  const { engine, path } = answering;
  // Spaces and line breaks before the query keep positions in it valid.
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
