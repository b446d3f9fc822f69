// Adds the smallest group to a consumer query: a condition in each SELECT over a table, and a LIMIT, below which the
// engine moves no condition of the queries around it.
import type { NodeKind } from '../../../sql/clickhouse/tree/nodes.ts';
import { partOf } from '../../../sql/clickhouse/tree/visit.ts';
import type { TokenEdit } from '../lexed-query.ts';
import type { ScanResult } from '../scan/scanner.ts';
import type { SelectFinding } from '../scan/findings.ts';

const LIMITS: ReadonlySet<NodeKind> = new Set<NodeKind>(['limit', 'offset', 'fetch']);
const AFTER_HAVING: ReadonlySet<NodeKind> = new Set<NodeKind>(['windows', 'qualify', 'order-by', ...LIMITS]);

/** Above any possible number of groups. */
const ALL_GROUPS = 10n ** 18n;

/** The edits that add `HAVING count() >= minimum` and a LIMIT to every SELECT over a table. */
export function minimumEdits(
  { selects }: Pick<ScanResult, 'selects'>,
  minimum: number,
): readonly TokenEdit[] {
  const condition = `count() >= ${minimum}`;
  return selects.flatMap((select) => {
    if (!select.sources.some(({ table }) => table !== undefined)) return [];
    const { having, end, isLimited } = clausesOf(select);
    const limit = isLimited ? [] : [insert(select.end, `LIMIT ${ALL_GROUPS}`)];
    if (having === undefined) return [insert(end, `HAVING ${condition}`), ...limit];
    return [insert(having + 1, `${condition} AND (`), insert(end, ')'), ...limit];
  });
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

function insert(at: number, sql: string): TokenEdit {
  return { from: at, to: at, sql };
}
