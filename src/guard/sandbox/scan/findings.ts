// What a visit of a consumer query's tree finds.
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';

/** Tokens from `start` up to, and without, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What a scan has found for the check of states. */
export interface StateFindings {
  /** Calls that return states. */
  readonly made: Span[];
  /** Where a state may occur: whole arguments of functions that accept states, and excluded columns. */
  readonly permitted: Span[];
  /** Elements of SELECT and WITH, with their aliases. */
  readonly items: Span[];
  /** `*` with its column modifiers. */
  readonly stars: { readonly node: Node; readonly isPlain: boolean }[];
  /** Forms that are not allowed in a query with states, by their first token. */
  readonly barred: { readonly at: number; readonly form: string }[];
}

/** What a visit has found. */
export interface Findings {
  /** Endpoint tables that are read. */
  readonly tables: Set<string>;
  /** Names that the query itself defines: aliases, lambda arguments, WITH elements. */
  readonly names: Set<string>;
  /** Token indexes of bare names in positions of values. */
  readonly bare: number[];
  /** Where aggregate function states occur and where they may. */
  readonly states: StateFindings;
  /** Every SELECT, in the order in which they begin. */
  readonly selects: SelectFinding[];
  /** Endpoint tables that are the right side of IN, which compares all their columns. */
  readonly sets: Set<string>;
  /** The consumer's own WITH tables, and the token after the name of each. */
  readonly withTables: { readonly name: string; readonly at: number }[];
}

export function createFindings(): Findings {
  return {
    tables: new Set(),
    names: new Set(),
    bare: [],
    states: { made: [], permitted: [], items: [], stars: [], barred: [] },
    selects: [],
    sets: new Set(),
    withTables: [],
  };
}

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
  /** It is true if it is the argument of a function `count`, which counts rows. */
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
  /** It is true if it has ARRAY JOIN, after which a name can mean an element of a column. */
  isMultiplied: boolean;
  /** Elements of its SELECT clause, with their aliases. */
  readonly items: ItemFinding[];
  /** It is true if a name is defined in it after the SELECT clause: an alias, a window. */
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

/** Returns whether a SELECT has a matcher whose columns are read. */
export function hasStar({ stars }: Pick<SelectFinding, 'stars'>): boolean {
  return stars.some(({ isCounted }) => !isCounted);
}
