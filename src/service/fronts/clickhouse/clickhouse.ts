// The ClickHouse interface: a statement is read, its names and placeholders are resolved, and it is answered by an endpoint,
// by the virtual tables, or as a command.
import type { Answering, ClickHouseDeps } from './answering.ts';
import type { AnswerClickHouse } from './call.ts';
import { createColumnsOf } from './columns-of.ts';
import { createRunningQueries } from './running.ts';
import { readStatement } from './statement.ts';
import { createPlanVirtual } from './virtual/sandbox.ts';
import { identifyKey, admitKey } from '../../request/admission/keys.ts';
import { readRequest } from './read-request.ts';
import { answerStatement } from './answer-statement.ts';

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
