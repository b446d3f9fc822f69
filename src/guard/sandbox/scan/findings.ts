// What a visit of a consumer query's tree finds.
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';
import type { SelectFinding } from './selects.ts';

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
