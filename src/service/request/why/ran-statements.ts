// Holds the last statements that ran, by request, so that a slow one can be planned again. They have values: only plans are made of them.
import { createLru } from '../../../sql/base/lru.ts';
import { isRedacting } from '../../../guard/redact/demand.ts';
import type { Statement } from '../../engine/engine.ts';
import type { Plan } from '../plan.ts';

export interface RanStatement {
  readonly statement: Statement;
  /** True if personal data was removed for the call: what it reads could then confirm a guess. */
  readonly isRedacted: boolean;
}

export interface RanStatements {
  /** The id of a request may be that of a request of another key, since callers choose it: `usageId` keeps them apart. */
  readonly note: (usageId: string, requestId: string, ran: RanStatement) => void;
  readonly find: (usageId: string, requestId: string) => RanStatement | undefined;
}

/** Bytes, approximately. */
const MAX_BYTES = 4 * 2 ** 20;
/** What the objects of a statement take beside its texts. */
const OBJECT_BYTES = 500;

export function createRanStatements(): RanStatements {
  const held = createLru<RanStatement>({ size: MAX_BYTES, sizeOf });
  return {
    note: (usageId, requestId, ran) => void held.set(JSON.stringify([usageId, requestId]), ran),
    find: (usageId, requestId) => held.get(JSON.stringify([usageId, requestId])),
  };
}

function sizeOf({ statement: { sql, parameters } }: RanStatement, id: string): number {
  const values = Object.values(parameters).reduce((sum, value) => sum + (value?.length ?? 0), 0);
  return 2 * (sql.length + values + id.length) + OBJECT_BYTES;
}

/** Called when a query runs for a request. */
export function noteRan(
  ran: RanStatements | undefined,
  { query, admitted, redactor, requester }: Plan,
): void {
  const { requestId, key } = requester;
  const { statement } = query.routed ?? query;
  const isRedacted = isRedacting(redactor);
  ran?.note(admitted.principal.usageId, requestId, { statement: { ...statement, key }, isRedacted });
}
