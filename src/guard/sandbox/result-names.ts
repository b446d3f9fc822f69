// Where a part of a query determines the name of a result column: in an item of a SELECT list that has no alias.
import type { TokenRange } from '../../sql/clickhouse/tree/nodes.ts';
import type { SelectFinding } from './scan/selects.ts';

/** The part is inside no such item; is one; or is inside one, so that its name cannot be kept if the part is written otherwise. */
export type Naming = 'none' | 'whole' | 'part';

/** Which of a query's parts name result columns. */
export function createNaming(selects: readonly SelectFinding[]): (part: TokenRange) => Naming {
  // Of two that contain a token, the inner one begins later.
  const items = selects
    .flatMap((select) => select.items.map(({ node }) => node))
    .toSorted((a, b) => a.from - b.from);
  return ({ from, to }) => {
    const item = items.findLast((each) => each.from <= from && to <= each.to);
    if (item === undefined || item.kind === 'alias') return 'none';
    return item.from === from && item.to === to ? 'whole' : 'part';
  };
}
