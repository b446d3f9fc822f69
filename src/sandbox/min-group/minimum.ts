// Adds the smallest group to the text of a consumer query: a condition in each SELECT over a table, and a LIMIT, below which the
// engine moves no condition of the queries around it.
import type { NodeKind } from '../../sql/tree/nodes.ts';
import { partOf } from '../../sql/tree/visit.ts';
import type { LexedQuery } from '../lexed-query.ts';
import type { ScanResult } from '../scan/scanner.ts';
import type { SelectFinding } from '../scan/selects.ts';

const LIMITS: ReadonlySet<NodeKind> = new Set<NodeKind>(['limit', 'offset', 'fetch']);
const AFTER_HAVING: ReadonlySet<NodeKind> = new Set<NodeKind>(['windows', 'qualify', 'order-by', ...LIMITS]);

/** Above any possible number of groups. */
const ALL_GROUPS = 10n ** 18n;

/** The query with `HAVING count() >= minimum` and a LIMIT in every SELECT over a table. `scanned` is the scan of `text`. */
export function withMinimum(
  { cursor }: LexedQuery,
  { selects }: Pick<ScanResult, 'selects'>,
  minimum: number,
): string {
  const condition = `count() >= ${minimum}`;
  const insertions = selects.flatMap((select) => {
    if (!select.sources.some(({ table }) => table !== undefined)) return [];
    const { having, end, isLimited } = clausesOf(select);
    const limit = isLimited ? [] : [{ at: select.end, text: ` LIMIT ${ALL_GROUPS} ` }];
    if (having === undefined) return [{ at: end, text: ` HAVING ${condition} ` }, ...limit];
    return [{ at: having + 1, text: ` ${condition} AND (` }, { at: end, text: ') ' }, ...limit];
  });
  const { sql } = cursor;
  let text = '';
  let copied = 0;
  for (const insertion of insertions.toSorted((a, b) => a.at - b.at)) {
    const offset = cursor.end(insertion.at - 1);
    text += sql.slice(copied, offset) + insertion.text;
    copied = offset;
  }
  return text + sql.slice(copied);
}

interface Clauses {
  /** Token index of HAVING, and of the clause after it. */
  readonly having: number | undefined;
  readonly end: number;
  readonly isLimited: boolean;
}

function clausesOf({ node }: SelectFinding): Clauses {
  return {
    having: partOf(node, 'having')?.from,
    end: node.parts.find(({ kind }) => AFTER_HAVING.has(kind))?.from ?? node.to,
    isLimited: node.parts.some(({ kind }) => LIMITS.has(kind)),
  };
}
