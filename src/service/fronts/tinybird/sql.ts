// Answers `/v0/sql`: a query over one pipe, that of `pipeline` or the one that the query names. It is the consumer query of that
// endpoint, which its key has to be allowed to send.
import type { Principal } from '../../auth/principal.ts';
import { isCallable } from '../../endpoints/callable.ts';
import type { Catalog } from '../../endpoints/catalog.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { Answer, CallRecord, Call } from '../../request/call.ts';
import { readSent } from './content.ts';
import { tinybirdKey } from './key.ts';
import { tablesRead } from './over-result.ts';
import { callOf, type ReceivedRequest, type ReceivedCall } from './receive.ts';
import { readQuery } from './statement.ts';

/** How keys are admitted and calls answered. */
export interface Answering {
  readonly answer: (call: Call) => Promise<Answer>;
  readonly identifyKey: (key: string | undefined, record: CallRecord) => Promise<Principal>;
  readonly admitKey: (key: string | undefined, record: CallRecord) => Promise<Principal>;
}

/** Throws Problem, with positions in the query as it was sent. */
export async function answerSql(answering: Answering, received: ReceivedRequest): Promise<Answer> {
  const { request, reply } = received;
  const { record } = reply;
  const key = tinybirdKey(request);
  const principal = await answering.identifyKey(key, record);
  try {
    return await answerReceived(answering, await receiveSql(received, key, principal));
  } catch (error) {
    // A request that is rejected before a pipe is known counts as well.
    if (record.limits === undefined) await answering.admitKey(key, record);
    throw error;
  }
}

export async function answerReceived(
  { answer }: Pick<Answering, 'answer'>,
  { call, located }: ReceivedCall,
): Promise<Answer> {
  try {
    return await answer(call);
  } catch (error) {
    throw located(error);
  }
}

async function receiveSql(
  received: ReceivedRequest,
  key: string | undefined,
  principal: Principal,
): Promise<ReceivedCall> {
  const sent = await readSent(received.request, received.reply);
  if (sent.query === undefined)
    throw new Problem('sandbox.query_invalid', { detail: 'There is no query', hint: 'Send the query as q.' });
  const query = readQuery(sent.query);
  const endpoint = sent.pipeline ?? pipeIn(query.select.text, received.catalog(), principal);
  const engine = query.engine ?? 'TabSeparated';
  return callOf(received, { endpoint, key }, async () => ({ sent, query, engine }));
}

/** The pipe that a query names, if it names one. The message names no pipe that the key may not call. */
function pipeIn(text: string, catalog: Catalog, principal: Principal): string {
  const names = new Set(tablesRead(text).map(({ name }) => name));
  const pipes = [...names].filter((name) => {
    const endpoint = catalog.find(name);
    return endpoint !== undefined && isCallable(endpoint, principal);
  });
  const [pipe, second] = pipes;
  if (pipe !== undefined && second === undefined) return pipe;
  const [name] = names;
  if (name === undefined)
    throw new Problem('sandbox.table_denied', {
      detail: 'The query names no pipe',
      hint: 'Name a pipe in FROM, or send pipeline=NAME. A query that cannot be parsed names none.',
    });
  if (pipe !== undefined)
    throw new Problem('sandbox.table_denied', {
      detail: 'The query reads several pipes',
      hint: 'Query one pipe at a time.',
    });
  throw new Problem('sandbox.table_denied', {
    detail: `There is no pipe "${name.slice(0, 100)}" that your token may query`,
    hint: 'GET /v0/pipes lists the pipes of your token; pipeline=NAME says which pipe _ is. Data sources cannot be queried.',
  });
}
