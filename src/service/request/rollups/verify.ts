// Verifies rollups by calls: after some that read one, their query runs over the rows as well, in spare capacity. A difference switches
// the rollup off.
import type { Clock } from '../../../sql/base/clock.ts';
import type { Observe, RollupVerified } from '../../../sql/base/observation.ts';
import { fixClock } from '../../../sql/clickhouse/fixed-clock.ts';
import type { Node, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { parseSavedText } from '../../../sql/clickhouse/tree/parse.ts';
import { nodesOf, sourceOf } from '../../../sql/clickhouse/tree/visit.ts';
import type { Statement } from '../../engine/engine.ts';
import { linesOf } from '../../formats/members.ts';
import type { Plan } from '../plan.ts';
import { isDropped, type Spare } from '../shadow/spare.ts';
import type { RoutedStatement } from './routing.ts';

export interface VerificationDeps {
  readonly spare: Spare;
  /** No query reads this rollup from now on, until it is filled again. Never rejects. */
  readonly distrust: (rollup: RoutedStatement, reason: string) => Promise<void>;
  readonly observe: Observe;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** It returns numbers from 0 to 1. */
  readonly random: () => number;
}

export interface Verification {
  /** Offers the plan of a call that read a rollup. Returns at once and never throws. */
  readonly offer: (plan: Plan) => void;
}

type Outcome = RollupVerified['outcome'];

export function createVerification(deps: VerificationDeps): Verification {
  const { spare, observe, clock, random } = deps;
  return {
    offer: ({ endpoint, query, bindings, admitted, requester }) => {
      const { routed, statement } = query;
      if (routed?.isExact !== true || random() >= endpoint.verifiesRollups) return;
      const begun = clock.monotonic();
      const finish = (outcome: Outcome, started = begun): void =>
        observe({
          kind: 'rollup.verified',
          requestId: requester.requestId,
          endpoint: endpoint.name,
          rollup: routed.rollup,
          outcome,
          ms: clock.monotonic() - started,
        });
      const over = { rows: { ...statement, sql: fixClock(statement.sql, bindings.now) }, routed };
      const lane = `verify ${endpoint.id}`;
      const comment = { verify: admitted.call.requestId, endpoint: endpoint.name };
      spare.offer({
        run: async (signal) => {
          const started = clock.monotonic();
          const read = (each: Statement): Promise<Uint8Array | undefined> =>
            spare.rows(each, { signal, lane, comment });
          const outcome = await compare(over, read).catch((cause: unknown): Outcome => {
            return isDropped(cause) ? 'dropped' : 'failed';
          });
          if (outcome === 'different') await deps.distrust(routed, DIFFERENT);
          finish(outcome, started);
        },
        drop: () => finish('dropped'),
      });
    },
  };
}

const DIFFERENT = 'a call returned other values from it than from the rows';

interface Both {
  readonly rows: Statement;
  readonly routed: RoutedStatement;
}

/** If rows arrive between two runs, a difference means nothing: the rows of before and after then differ as well. */
async function compare(
  { rows, routed }: Both,
  read: (statement: Statement) => Promise<Uint8Array | undefined>,
): Promise<Outcome> {
  const before = await read(rows);
  const ofRollup = await read(routed.statement);
  if (before === undefined || ofRollup === undefined) return 'dropped';
  const [expected, found] = [before, ofRollup].map(sorted);
  if (expected?.join() === found?.join()) return 'equal';
  const after = await read(rows);
  if (after === undefined) return 'dropped';
  if (sorted(after).join() !== expected?.join()) return 'unstable';
  const most = Math.max(expected?.length ?? 0, found?.length ?? 0);
  return isCut(parseSavedText(rows.sql), most) ? 'unstable' : 'different';
}

/** The lines are sorted because rows without ORDER BY have no certain order. */
function sorted(bytes: Uint8Array): readonly string[] {
  return linesOf(bytes).toSorted();
}

/** Returns whether a LIMIT may have left out rows: of rows that are equal in ORDER BY, it may return any. */
function isCut(tree: Tree, rows: number): boolean {
  return nodesOf(tree.root, 'limit').some((node) => !exceeds(tree, node, rows));
}

/** Only the limit around the whole query cuts the rows that are returned. */
function exceeds(tree: Tree, limit: Node, rows: number): boolean {
  const isOuter = limit.to === tree.root.to;
  return (
    isOuter && /^LIMIT \d+$/i.test(sourceOf(tree, limit)) && Number(sourceOf(tree, limit).slice(6)) > rows
  );
}
