// What a scan finds about each SELECT: its sources and the matchers that expand to their columns.
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';

/** A table expression of FROM or JOIN. */
export interface SourceFinding {
  /** The endpoint's table; undefined for subqueries and the consumer's own WITH tables. */
  readonly table: string | undefined;
  /** The name that qualifies its columns; undefined if there is none. */
  readonly alias: string | undefined;
  /** Index of its first token. */
  readonly at: number;
}

/** `*`, `name.*` or `COLUMNS('pattern')`. */
export interface StarFinding {
  /** Index of its last token, before its column modifiers. */
  readonly end: number;
  readonly isQualified: boolean;
  /** Whether it is the argument of a function `count`, which counts rows. */
  readonly isCounted: boolean;
  /** Undefined if it is not qualified, or by more than one name. */
  readonly qualifier: string | undefined;
}

export interface SelectFinding {
  readonly node: Node;
  /** Index of its first token, and of the token after its last. */
  readonly start: number;
  readonly end: number;
  readonly sources: SourceFinding[];
  readonly stars: StarFinding[];
  /** Whether it has ARRAY JOIN, after which a name can mean an element of a column. */
  isMultiplied: boolean;
  /** Elements of its SELECT clause, with their aliases. */
  readonly items: ItemFinding[];
  /** Whether a name is defined in it after the SELECT clause: an alias, a window. */
  definesLater: boolean;
}

export interface ItemFinding {
  readonly node: Node;
  readonly start: number;
  readonly end: number;
}

export function createSelect(node: Node): SelectFinding {
  const { from, to } = node;
  return {
    node,
    start: from,
    end: to,
    sources: [],
    stars: [],
    isMultiplied: false,
    items: [],
    definesLater: false,
  };
}

/** Whether a SELECT has a matcher whose columns are read. */
export function hasStar({ stars }: Pick<SelectFinding, 'stars'>): boolean {
  return stars.some(({ isCounted }) => !isCounted);
}
