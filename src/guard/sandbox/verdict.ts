// The verdict on a consumer query that has passed the checks.
import type { Subcolumn } from './columns.ts';

/** Conditions on one table. */
export interface BelowBarrier {
  readonly alias: string;
  /** Leakproof ones, as the consumer's tokens, joined by spaces: columns of the table, which may be qualified with `alias`. */
  readonly conditions: readonly string[];
  /** Total ones, on columns of the stored table. */
  readonly stored: readonly string[];
}

/** A query reads this of columns of which subcolumns may be read alone. */
export interface ReadSubcolumns {
  /** The query, with uses of columns written as uses of their subcolumns. */
  readonly joined: string;
  /** By table. */
  readonly subcolumns: ReadonlyMap<string, readonly Subcolumn[]>;
  /** Columns of which it reads nothing else, by table. */
  readonly onlyParts: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A query that may run. */
export interface Verdict {
  /** The query as the consumer sent it. */
  readonly source: string;
  /** Its tokens, joined by single spaces, with what was added to them. */
  readonly joined: string;
  /** The endpoint's tables that it reads, in the endpoint's order. */
  readonly tables: readonly string[];
  /** Names that it defines. */
  readonly names: ReadonlySet<string>;
  /** It is true if columns of its result may be aggregate function states. */
  readonly hasStates: boolean;
  /** It is true if it cannot fail on any row, so that the engine may evaluate it anywhere. */
  readonly isLeakproof: boolean;
  /** It is true if its names and those of the endpoint's tables are apart. */
  readonly isApart: boolean;
  /** It is the query over tables with columns for the subcolumns that it reads; undefined if it reads none. */
  readonly narrow?: ReadSubcolumns | undefined;
  /** Conditions that are evaluated inside the tables, by table. */
  readonly below?: ReadonlyMap<string, BelowBarrier> | undefined;
  /** Tables of which the order of rows is of no consequence. */
  readonly unordered?: ReadonlySet<string> | undefined;
  /** The names in a query of redacted tables, as the next ones; undefined if it reads columns not only by name. */
  readonly needed?: ReadonlySet<string> | undefined;
  /** Names of what it may compute before it sorts and limits its rows. */
  readonly early?: ReadonlySet<string> | undefined;
  /** The texts with which it compares columns of which it does nothing else. */
  readonly compared?: ReadonlyMap<string, readonly string[]> | undefined;
}
