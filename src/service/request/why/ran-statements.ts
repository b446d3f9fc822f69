// Holds the last statements that ran, by request, so that a slow one can be planned again. They have values: only plans are made of them.
import { createLru } from '../../../sql/base/lru.ts';
import { isRedacting } from '../../../guard/redact/demand.ts';
import type { Statement } from '../../engine/engine.ts';
import type { Plan } from '../plan.ts';
import { createRepeats, type Repeats } from './repeats.ts';

export interface RanStatement {
  readonly statement: Statement;
  /** True if personal data was removed for the call: what it reads could then confirm a guess. */
  readonly isRedacted: boolean;
  /** That of the endpoint: a later request of the key may have the same id. */
  readonly revision: string;
}

export interface RanStatements {
  readonly repeats: Repeats;
  /** The id of a request may be that of a request of another key, since callers choose it: `usageId` keeps them apart. */
  readonly note: (usageId: string, requestId: string, ran: RanStatement) => void;
  readonly find: (usageId: string, requestId: string) => RanStatement | undefined;
}

/** Bytes, approximately. */
const MAX_BYTES = 4 * 2 ** 20;
/** The objects of a statement take this beside its texts. */
const OBJECT_BYTES = 500;

/** `now` returns milliseconds, monotonic. */
export function createRanStatements(now: () => number): RanStatements {
  const held = createLru<RanStatement>({ size: MAX_BYTES, sizeOf });
  return {
    repeats: createRepeats(now),
    note: (usageId, requestId, ran) => void held.set(JSON.stringify([usageId, requestId]), ran),
    find: (usageId, requestId) => held.get(JSON.stringify([usageId, requestId])),
  };
}

function sizeOf({ statement: { sql, parameters } }: RanStatement, id: string): number {
  const values = Object.values(parameters).reduce((sum, value) => sum + (value?.length ?? 0), 0);
  return 2 * (sql.length + values + id.length) + OBJECT_BYTES;
}

/** Called when a query runs for a request. */
export function noteRan(ran: RanStatements | undefined, plan: Plan): void {
  if (ran === undefined) return;
  ran.repeats.note(plan);
  const { query, admitted, redactor, requester } = plan;
  const { requestId, key } = requester;
  const { statement } = query.routed ?? query;
  const isRedacted = isRedacting(redactor);
  const { revision } = admitted.endpoint;
  const { usageId } = admitted.principal;
  ran.note(usageId, requestId, { statement: { ...statement, key }, isRedacted, revision });
}
