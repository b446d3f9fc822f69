// The verdict on a consumer query that has passed the checks.
import type { BelowBarrier } from './leakproof/below-barrier.ts';
import type { ReadSubcolumns } from './subcolumns.ts';

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
  /** Whether columns of its result may be aggregate function states. */
  readonly hasStates: boolean;
  /** Whether it cannot fail on any row, so that the engine may evaluate it anywhere. */
  readonly isLeakproof: boolean;
  /** Whether its names and those of the endpoint's tables are apart. */
  readonly isApart: boolean;
  /** It is the query over tables with columns for the subcolumns that it reads; undefined if it reads none. */
  readonly narrow?: ReadSubcolumns | undefined;
  /** Conditions that are evaluated inside the tables, by table. */
  readonly below?: ReadonlyMap<string, BelowBarrier> | undefined;
  /** Tables of which the order of rows is of no consequence. */
  readonly unordered?: ReadonlySet<string> | undefined;
  /** The names in the query, if it reads columns by name only. */
  readonly needed?: ReadonlySet<string> | undefined;
  /** Names of what it may compute before it sorts and limits its rows. */
  readonly early?: ReadonlySet<string> | undefined;
  /** The texts with which it compares columns of which it does nothing else. */
  readonly compared?: ReadonlyMap<string, readonly string[]> | undefined;
}
