// The context that the translation of an expression needs.
import type { Scope, Table } from './scope.ts';
import type { Sql } from '../dialects/sql.ts';
import type { Context as BaseContext } from '../dialects/context.ts';
import type { Expression, Query } from '../sql/syntax-tree.ts';
import type { OutputColumn } from './scope.ts';
import { type Value } from '../dialects/value.ts';

/** State while one expression or query is translated. Derived with changes for each nested query; the counters are shared. */
export interface Context extends BaseContext {
  readonly scope: Scope;
  /** Tables that FROM may name, in lower case: the endpoint's, and those of WITH defined so far. */
  readonly tables: ReadonlyMap<string, Table>;
  /** Names of the endpoint's tables in lower case; WITH must not redefine them. */
  readonly reserved: ReadonlySet<string>;
  /** Whether select-list aliases are visible, and whether they are resolved before or after columns. */
  readonly aliases: 'no' | 'first' | 'last';
  /** In a grouped query, a dynamically typed path outside aggregate functions is a string. */
  readonly isGrouped: boolean;
  /** Inside of a condition, or of what is evaluated only if a condition is met: what would be an error there may not be evaluated. */
  readonly isGuarded: boolean;
  /** Counts written expressions and columns, including repeats; throws above the limit. */
  readonly spend: (at: number, count?: number) => void;
  /** Whether a name, in lower case, is never used as a whole value: it is followed by a dot, or does not occur. */
  readonly isRecordName: (name: string) => boolean;
  // Passed here to avoid circular imports between the files that define them. Both throw UnconvertedError.
  write(expression: Expression, context: Context): Value;
  query(query: Query, context: Context, use: QueryUse): WrittenQuery;
}

/** How the rows of a query are used, which decides how its columns are written. */
export interface QueryUse {
  /** The rows are the final result: Booleans, DATETIMEs and objects are formatted as BigQuery does. */
  readonly isShown: boolean;
  /** The columns are combined with those of other queries: no dynamically typed paths. */
  readonly isPlain: boolean;
}

/** A translated query: its SQL without parentheses, and its columns in order. */
export interface WrittenQuery {
  readonly sql: Sql;
  readonly columns: readonly OutputColumn[];
}
