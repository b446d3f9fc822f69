// What the translation of one piece has to know of the rest.
import type { Scope, Table } from './scope.ts';
import type { Sql } from './sql.ts';
import type { Expression, Query, Window } from './tree.ts';
import type { OutputColumn } from './scope.ts';
import type { Value } from './value.ts';

export interface Context {
  readonly scope: Scope;
  /** Tables that FROM may name, in lower case: the endpoint's, and those of WITH so far. */
  readonly tables: ReadonlyMap<string, Table>;
  /** Names of the endpoint's tables in lower case; none of the caller's own may be called so. */
  readonly reserved: ReadonlySet<string>;
  /** Whether aliases of the select list are seen, and whether before or behind columns. */
  readonly aliases: 'no' | 'first' | 'last';
  /** In a grouped query, a path without fixed type is text wherever no aggregate function is around it. */
  readonly isGrouped: boolean;
  /** Aggregates of no rows are null where there is no GROUP BY. */
  readonly isUngrouped: boolean;
  /** Named windows, in lower case. */
  readonly windows: ReadonlyMap<string, Window>;
  /** Counts expressions and columns that are written, perhaps again; refuses too many. */
  readonly spend: (at: number, count?: number) => void;
  /** A new name that nothing else has. */
  readonly fresh: (kind: string) => string;
  /** Whether a name, in lower case, is nowhere used as a whole value: only with a dot behind it, or not at all. */
  readonly isRecordName: (name: string) => boolean;
  /** The rules, so that the files that hold them need not import each other in circles. */
  readonly rules: Rules;
}

export interface Rules {
  readonly expression: (expression: Expression, context: Context) => Value;
  readonly query: (query: Query, context: Context, use: QueryUse) => WrittenQuery;
}

export interface QueryUse {
  /** The caller sees its rows: truth values, wall times and objects are written as BigQuery would. */
  readonly isShown: boolean;
  /** Its columns meet those of others: no paths without fixed type. */
  readonly isPlain: boolean;
}

export interface WrittenQuery {
  readonly sql: Sql;
  readonly columns: readonly OutputColumn[];
}
