// Where a part of a query determines the name of a result column: in an item of a SELECT list that has no alias.
import type { Cursor } from '../sql/cursor.ts';

/** The part is inside no such item; is one; or is inside one, so that its name cannot be kept if the part is written otherwise. */
export type Naming = 'none' | 'whole' | 'part';

/** Which of a query's parts name result columns; reads the query once. */
export function createNaming(cursor: Cursor): (from: number, to: number) => Naming {
  const items = itemsOf(cursor);
  return (from, to) => {
    const item = items.findLast((each) => each.from <= from && to <= each.to);
    if (item === undefined || cursor.word(item.to - 2) === 'AS') return 'none';
    if (item.from !== from) return 'part';
    if (item.to === to) return 'whole';
    return item.to === to + 1 && cursor.name(to) !== undefined ? 'none' : 'part'; // an alias without AS
  };
}

interface Item {
  readonly from: number;
  readonly to: number;
}

/** What may follow a SELECT list. */
const AFTER_LIST: ReadonlySet<string | undefined> = new Set(
  'FROM PREWHERE WHERE GROUP HAVING WINDOW QUALIFY ORDER LIMIT OFFSET FETCH UNION INTERSECT EXCEPT'.split(
    ' ',
  ),
);

/** The items of all SELECT lists: of two that contain a token, the inner one comes later. */
function itemsOf(cursor: Cursor): readonly Item[] {
  const items: Item[] = [];
  for (let at = 0; at < cursor.length; at++) {
    if (cursor.word(at) !== 'SELECT') continue;
    let from = cursor.word(at + 1) === 'DISTINCT' ? at + 2 : at + 1;
    let end = from;
    for (
      ;
      end < cursor.length && cursor.kind(end) !== ')' && !AFTER_LIST.has(cursor.word(end));
      end = cursor.after(end)
    ) {
      if (cursor.kind(end) !== ',') continue;
      items.push({ from, to: end });
      from = end + 1;
    }
    items.push({ from, to: end });
  }
  return items;
}
