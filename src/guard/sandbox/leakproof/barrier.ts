// Whether a consumer query runs above a barrier, and what of it is evaluated below.
import type { ReadTable } from '../read-table.ts';
import { unorderedTables } from '../row-order.ts';
import type { ScanResult } from '../scan/scanner.ts';
import type { Verdict } from '../verdict.ts';
import { conditionsBelow } from './below-barrier.ts';
import type { LeakproofContext } from './context.ts';
import { checkLeakproof } from './leakproof.ts';

/** Returns whether the query needs a barrier, and what is evaluated inside the tables all the same. */
export function barrierOf(
  scanned: ScanResult,
  tables: readonly ReadTable[],
  context: Omit<LeakproofContext, 'names'> | undefined,
): Pick<Verdict, 'isLeakproof' | 'below' | 'unordered'> {
  if (context === undefined) return { isLeakproof: false };
  const checked = checkLeakproof(scanned.tree, { ...context, names: scanned.names });
  const { isLeakproof } = checked;
  const below = conditionsBelow(scanned, checked, tables);
  return isLeakproof
    ? { isLeakproof, below }
    : { isLeakproof, below, unordered: unorderedTables(scanned, context.functions) };
}
