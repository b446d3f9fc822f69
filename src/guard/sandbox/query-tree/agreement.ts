// The engine's own tree of a consumer query, accepted only if it agrees with the scanner.
import type { Problem } from '../../../sql/base/problem.ts';
import type { TreeLine } from '../../../sql/clickhouse/query-tree.ts';
import { enginePosition } from '../engine-message.ts';
import type { FunctionPolicy } from '../functions/policy.ts';
import { consumerOffset, rejection, type LexedQuery, type Violation } from '../lexed-query.ts';
import type { Explain, Explained } from '../explain.ts';
import { isBareCall, type ScanResult } from '../scan/scanner.ts';
import { shapeOf } from './shape.ts';
import { spanOf, stringTokens, wordOf } from '../../../sql/clickhouse/tree/visit.ts';
import { checkParsedTree } from './check.ts';
import { parseQueryTree } from './tree.ts';

const EXPLAIN = 'EXPLAIN QUERY TREE run_passes = 0 ';

/** The tree of the query itself. */
export function explainText(explain: Explain, { joined }: LexedQuery): Promise<Explained> {
  return explain(`${EXPLAIN}${joined}`);
}

/** The tree of the query, but for the values that it compares with; a rejection is that of the query itself. */
export async function explainShape(explain: Explain, text: LexedQuery): Promise<Explained> {
  const shape = shapeOf(text);
  const explained = await explain(`${EXPLAIN}${shape}`);
  const isOwn = explained.kind === 'tree' || shape === text.joined;
  return isOwn ? explained : explainText(explain, text);
}

interface Scanned {
  readonly scanned: ScanResult;
  readonly functions: FunctionPolicy;
  readonly isColumn: (name: string) => boolean;
}

/** Returns the engine's tree. Throws a Problem unless it agrees with the scanner. */
export function acceptTree(
  explained: Explained,
  text: LexedQuery,
  { scanned, functions, isColumn }: Scanned,
): TreeLine {
  if (explained.kind === 'rejected') throw unreadable(explained.message, text);
  const names = { functions, names: scanned.names, isColumn };
  const tree = parseQueryTree(explained.text);
  const violation =
    'violation' in tree
      ? tree.violation
      : checkParsedTree(tree.root, { scanned, functions, isBareCall: (name) => isBareCall(name, names) });
  if (violation !== undefined || 'violation' in tree)
    throw rejection(text.cursor.sql, 0, violation ?? NO_TREE);
  return tree.root;
}

export const NO_TREE: Violation = { code: 'sandbox.check_mismatch', message: 'The engine returned no tree' };

function unreadable(message: string, text: LexedQuery): Problem {
  const position = enginePosition(message, `${EXPLAIN}${text.joined}`);
  const offset = position === undefined ? 0 : consumerOffset(text, position - EXPLAIN.length);
  return rejection(text.cursor.sql, offset, {
    code: 'sandbox.syntax_unsupported',
    message: 'The engine cannot parse the query from here',
    ...(isQuotedInterval(text, offset) ? { hint: INTERVAL } : {}),
  });
}

const INTERVAL = 'Write an interval as INTERVAL 1 HOUR.';

/** Returns whether the string at the offset, or before it, is an interval. */
function isQuotedInterval(text: LexedQuery, offset: number): boolean {
  const at = stringTokens(text).findLast((from) => spanOf(text, { from, to: from + 1 }).start <= offset);
  return at !== undefined && wordOf(text, { at: at - 1 }) === 'INTERVAL';
}
