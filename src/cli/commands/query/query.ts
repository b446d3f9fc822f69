// `millrace query`: runs one endpoint from the shell, through the same path as an HTTP request, or on a running service.
import { randomUUID } from 'node:crypto';
import { Problem } from '../../../sql/base/problem.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { readRows } from '../../../service/engine/rows.ts';
import { localCall, type Call } from '../../../service/request/call.ts';
import { withLocal, type LocalDeps } from '../../kit/local.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { QueryReply } from './reply.ts';
import { type QueryOptions, fieldsOf, formatOf, LOCAL } from './options.ts';
import { localError } from './problem-error.ts';
import { printReplies } from './print.ts';
import { printSteps } from './print-steps.ts';
import { prepare, answer } from '../../../service/request/answer.ts';
import type { Plan } from '../../../service/request/plan.ts';

/**
 * Runs the endpoint in this process and prints its rows; with `explain`, prints the statement, the engine's query
 * plan, and each rewrite of the query.
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
      if (options.explain) return await printPlan(await prepare(path, first), engine, terminal);
      const ask = async (cursor: string | undefined): Promise<QueryReply> => {
        const { body, rows, truncated, timing, next } = await answer(path, callAfter(cursor));
        return { body, rows, truncated, next, engine: timing.engine };
      };
      await printReplies(ask, options, terminal);
    } catch (error) {
      throw error instanceof Problem ? localError(error, rejected()) : error;
    }
  });
}

async function printPlan({ query }: Plan, engine: Engine, terminal: Terminal): Promise<void> {
  const { print, paint } = terminal;
  const { statement } = query.routed ?? query;
  const { sql, parameters } = statement;
  for (const line of sql.split('\n')) print(line);
  for (const [name, value] of Object.entries(parameters))
    print(paint('dim', `-- ${name} = ${value ?? 'NULL'}`));
  print('');
  const rows = await readRows(engine, `EXPLAIN indexes = 1 ${sql}`, statement);
  for (const [line] of rows as readonly [string][]) print(line); // one string column
  printSteps(query.steps?.() ?? [], terminal);
}
