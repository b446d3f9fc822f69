// The context of a query that is converted offline.
import type { FromItem, Query, Expression } from '../../sql/syntax-tree.ts';
import type { Context as BaseContext } from '../../dialects/context.ts';
import type { Sql } from '../../dialects/sql.ts';
import type { Value } from '../../dialects/value.ts';
import type { Joined, Relation, WithColumns } from './scope.ts';

/** Derived with changes for each nested query. */
export interface Context extends BaseContext {
  readonly relations: readonly Relation[];
  /** Tables of WITH, in lower case. */
  readonly withTables: ReadonlyMap<string, WithColumns>;
  readonly parent?: Context | undefined;
  /** Aliases of the select list that this expression can refer to, in lower case. */
  readonly aliases: ReadonlyMap<string, { readonly name: string; readonly value: Value }>;
  /** Aliases of the select list, in lower case, that are not columns of the same name. */
  readonly shadowed?: ReadonlySet<string>;
  /** Names that the select list uses, in lower case: with tables whose columns are unknown, they are columns. */
  readonly usedNames?: ReadonlySet<string>;
  /** HAVING of MySQL: aliases come before columns. */
  readonly prefersAliases?: boolean;
  /** The keys of GROUP BY, outside of aggregate functions. */
  readonly grouped?: GroupKeys | undefined;
  /** Joins that subqueries in expressions add to FROM. */
  readonly joins?: AddedJoins | undefined;
  /** Keys of GROUP BY may be NULL, for ROLLUP and similar. */
  readonly hasRollup?: boolean;
  /** Called if a name of an outer query is used. */
  readonly onOuter?: (() => void) | undefined;
  write(expression: Expression, context: Context): Value;
  query(query: Query, context: Context): WrittenQuery;
  /** A join with a lateral subquery; undefined if it does not refer to earlier tables. */
  lateral(item: FromItem, context: Context): Joined | undefined;
}

/** Keys of GROUP BY by their SQL. */
export interface GroupKeys {
  readonly keys: ReadonlySet<string>;
  /** Keys that are grouped in lower case: elsewhere, any of their values is read. */
  readonly caseless: ReadonlySet<string>;
  /** Other columns depend on the keys, or the source returns any of their values. */
  readonly hasOthers: boolean;
}

export interface AddedJoins {
  readonly pieces: string[];
  /** Without groups: a joined column can be used everywhere. */
  readonly isOpen: boolean;
}

/** A query in ClickHouse SQL, without parentheses, and its columns. */
export interface WrittenQuery {
  readonly sql: Sql;
  readonly columns: readonly { readonly name: string; readonly value: Value }[] | undefined;
}
