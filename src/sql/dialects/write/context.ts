// The context of a query that is written.
import type { Expression, IndexBase, Query } from '../tree.ts';
import type { Context as BaseContext, Place as BasePlace } from '../context.ts';
import type { OwnFunctions } from '../function.ts';
import type { Sql, Type, Value } from '../value.ts';

/** A column of a query. */
export interface OutputColumn {
  readonly name: string;
  readonly value: Value;
}

/** A table that FROM may name without a qualifier: of an endpoint, or of WITH. */
export interface Table {
  readonly sql: Sql;
  /** Undefined if they are not known. */
  readonly columns: readonly OutputColumn[] | undefined;
}

/** A column of a relation, as spelled in its definition. */
export interface RelationColumn {
  readonly name: string;
  readonly value: Value;
  /** Its name without the table's, which people prefer where it is enough. */
  readonly bare?: Sql;
}

/** One table, array or record in FROM. */
export interface Relation {
  /** As in the source. */
  readonly alias: string | undefined;
  /** As in the SQL that is written. */
  readonly written: string;
  /** By name in lower case; undefined if they are not known, which happens only offline. */
  readonly columns: ReadonlyMap<string, RelationColumn> | undefined;
  /** The columns are written as expressions: the SQL has no table for them. */
  readonly isInline?: boolean;
  /** One element of an unnested array, or the record. */
  readonly element?: Value;
  /** Columns that USING merged with those of an earlier table, in lower case. */
  readonly merged?: ReadonlySet<string> | undefined;
  /** An outer join may add rows without values. */
  readonly isOptional?: boolean;
  /** At run time, the condition that a later outer join produced no row of it. */
  readonly marker?: Sql;
}

/** The names that an expression can refer to. */
export interface Scope {
  readonly relations: readonly Relation[];
  /** What is written for an alias of the select list, by name in lower case; empty until its columns are written. */
  readonly aliases: ReadonlyMap<string, Value>;
  /** Aliases come before columns. */
  readonly prefersAliases?: boolean;
  readonly parent?: Scope | undefined;
  /** Aliases that are not columns of the same name, in lower case: ClickHouse prefers the alias, so these columns are qualified. */
  readonly shadowed?: ReadonlySet<string> | undefined;
  /** Names that the select list uses, in lower case: with tables whose columns are unknown, they are columns. */
  readonly usedNames?: ReadonlySet<string> | undefined;
  /** Called if an expression inside uses a name of an outer query. */
  readonly onOuter?: () => void;
}

/** Keys of GROUP BY by their SQL. */
export interface GroupKeys {
  readonly keys: ReadonlySet<string>;
  /** Keys that are grouped in lower case: elsewhere, any of their values is read. */
  readonly caseless: ReadonlySet<string>;
  /** Other columns depend on the keys, or the source returns any of their values. */
  readonly hasOthers: boolean;
  /** Keys that a grouping leaves out are NULL. */
  readonly isOptional?: boolean;
}

/** Joins that subqueries in expressions add to FROM. */
export interface AddedJoins {
  readonly pieces: Sql[];
  /** Without groups: a joined column can be used everywhere. */
  readonly isOpen: boolean;
}

/** Derived with changes for each nested query. */
export interface Context extends BaseContext {
  readonly scope: Scope;
  /** The functions that only the dialect has, or that mean something else elsewhere. */
  readonly functions: OwnFunctions;
  /** By name in lower case. */
  readonly tables: ReadonlyMap<string, Table>;
  /** In a grouped query, a dynamically typed path outside aggregate functions is a string. */
  readonly isGrouped: boolean;
  /** Inside of a condition, or of what is evaluated only if a condition is met: what would be an error there may not be evaluated. */
  readonly isGuarded: boolean;
  /** The keys of GROUP BY, outside of aggregate functions, for dialects in which other columns can be read. */
  readonly grouped?: GroupKeys | undefined;
  readonly joins?: AddedJoins | undefined;
  /** Keys of GROUP BY may be NULL, for ROLLUP and similar. */
  readonly hasRollup?: boolean;
  // Passed here to avoid circular imports between the files that define them. Both throw UnconvertedError.
  write(expression: Expression, context: Context): Value;
  query(query: Query, context: Context, use: Use): WrittenQuery;
}

export type Place = BasePlace<Context>;

/** How the rows of a query are used, which decides how its columns are written. */
export interface Use {
  /** The rows are the result. */
  readonly isShown: boolean;
  /** The columns are combined with those of other queries: no dynamically typed paths. */
  readonly isPlain: boolean;
}

/** The use of a subquery whose columns are read by name. */
export const READ: Use = { isShown: false, isPlain: false };

/** A query in ClickHouse SQL, without parentheses, and its columns in order; undefined if they are not known. */
export interface WrittenQuery {
  readonly sql: Sql;
  readonly columns: readonly OutputColumn[] | undefined;
}

/** FROM while it is written. */
export interface FromState {
  readonly pieces: Sql[];
  relations: readonly Relation[];
  /** Conditions of joins with arrays, which must be in WHERE. */
  readonly conditions: Sql[];
}

/** The rows of an element of FROM that is an array in ClickHouse. */
export interface RowSource {
  readonly array: Sql;
  readonly columns: readonly RowColumn[];
  /** A column with the places of the elements. */
  readonly offset?: { readonly name: string; readonly base: IndexBase };
  /** What is unnested, which at run time may be a record. */
  readonly written?: Value;
  readonly alias: string | undefined;
  /** It is true if it reads earlier tables. */
  readonly isCorrelated: boolean;
}

/** A column of the rows, written from one element. */
export interface RowColumn {
  readonly name: string;
  readonly type: Type;
  readonly of: (element: Sql) => Sql;
}
