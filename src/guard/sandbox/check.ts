// From a consumer query to a verdict: it is read into a tree, scanned, compared with the engine's reading of it, and its conditions are
// judged, or it is rejected.
import type { Explain } from './explain.ts';
import { judgeWhole, type CheckContext } from './judge.ts';
import { lexConsumerQuery, type TokenEdit } from './lexed-query.ts';
import { minimumEdits } from './min-group/minimum.ts';
import { rejectServerValues } from './query-tree/server-values.ts';
import { edit, orNone, scan, type Scanned } from './scan/scanner.ts';
import { timeEdits } from './times/times.ts';
import { scaleEdits } from './times/whole-seconds.ts';
import type { Verdict } from './verdict.ts';

/**
 * The verdict on a query, with the times that it compares in forms that the engine reads. `evaluate` makes the engine evaluate constants
 * of the query.
 * @throws Problem sandbox.*
 */
export async function checkQuery(
  source: string,
  context: CheckContext,
  evaluate: Explain | undefined,
): Promise<Verdict> {
  const sent = scan(lexConsumerQuery(source), context);
  const verdict = await judge(sent, [], context);
  const { explain, columns } = context;
  if (explain === undefined || evaluate === undefined || columns === undefined) return verdict;
  const resolving = { evaluate, tables: verdict.tables, columns };
  const { functions } = context.leakproof;
  await rejectServerValues(sent.query, sent.scanned.unresolved, { ...resolving, functions });
  const times = await timeEdits(sent.query, resolving);
  // With the longer literals it may be too long.
  return times.length === 0
    ? verdict
    : judge(sent, times, context).catch((error: unknown) => orNone(error) ?? verdict);
}

/** The verdict on the query that was sent, with edits for its times, for the smallest group, and with scales of times if it is accepted with them. */
async function judge(sent: Scanned, times: readonly TokenEdit[], context: CheckContext): Promise<Verdict> {
  const { minGroup, columns, leakproof } = context;
  const needed = [...times, ...(minGroup === undefined ? [] : minimumEdits(sent.scanned, minGroup))];
  const scales = columns === undefined ? [] : scaleEdits(sent.query, leakproof.types);
  const judgeWith = async (edits: readonly TokenEdit[]): Promise<Verdict> =>
    judgeWhole(sent.query, edit(sent, edits, context), context);
  if (scales.length === 0) return judgeWith(needed);
  return judgeWith([...needed, ...scales]).catch((error: unknown) => orNone(error) ?? judgeWith(needed));
}
