// `millrace query`: runs one endpoint from the shell, through the same path as an HTTP request, or on a running service.
import { randomUUID } from 'node:crypto';
import { Problem } from '../../../sql/base/problem.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { readRows } from '../../../service/engine/rows.ts';
import type { Prepared } from '../../../service/request/answer.ts';
import { localCall, type Call } from '../../../service/request/call.ts';
import { withLocal, type LocalDeps } from '../../kit/local.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { QueryReply } from './reply.ts';
import { type QueryOptions, fieldsOf, formatOf, LOCAL } from './options.ts';
import { localError } from './problem-error.ts';
import { printReplies } from './print.ts';

/**
 * Runs the endpoint in this process and prints its rows; with `explain`, prints the statement and the engine's query
 * plan.
 */
export async function query(options: QueryOptions, deps: LocalDeps): Promise<void> {
  const callAfter = (cursor: string | undefined): Call =>
    localCall(
      { requestId: randomUUID(), endpoint: options.endpoint },
      fieldsOf(options, cursor),
      formatOf(options),
      options.meta ? 'preferred' : undefined,
    );
  const { terminal } = deps;
  const first = callAfter(undefined); // before the engine starts: a pair may be invalid
  await withLocal({ ...options, ...LOCAL }, deps, async ({ path, rejected }, engine) => {
    try {
      if (options.explain) return await explain(await path.prepare(first), engine, terminal);
      const ask = async (cursor: string | undefined): Promise<QueryReply> => {
        const { body, rows, truncated, timing, next } = await path.answer(callAfter(cursor));
        return { body, rows, truncated, next, engine: timing.engine };
      };
      await printReplies(ask, options, terminal);
    } catch (error) {
      throw error instanceof Problem ? localError(error, rejected()) : error;
    }
  });
}

async function explain({ plan }: Prepared, engine: Engine, { print, paint }: Terminal): Promise<void> {
  const { sql, parameters } = plan.statement;
  for (const line of sql.split('\n')) print(line);
  for (const [name, value] of Object.entries(parameters))
    print(paint('dim', `-- ${name} = ${value ?? 'NULL'}`));
  print('');
  const rows = await readRows(engine, `EXPLAIN indexes = 1 ${sql}`, plan.statement);
  for (const [line] of rows as readonly [string][]) print(line); // one string column
}
