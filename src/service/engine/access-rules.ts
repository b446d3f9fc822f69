// What consumer statements may read on the embedded engine, enforced by its own access control: grants and row filters.

export interface StoredTableName {
  readonly database: string;
  readonly table: string;
}

/** A table that the engine has. */
export interface TypedTable extends StoredTableName {
  /** ClickHouse's name of the table engine. */
  readonly engine: string;
  /** Types by column. */
  readonly columns: ReadonlyMap<string, string>;
}

/** A table with the statement that makes it. */
export interface DefinedTable extends TypedTable {
  readonly definition: string;
}

/** A table that consumer statements may read. */
export interface GrantedTable extends StoredTableName {
  /**
   * SQL condition over its columns, with EMBEDDED_CARRIER; undefined: every row. The engine applies it below the statement,
   * whatever that says.
   */
  readonly filter: string | undefined;
}

export interface AccessRules {
  readonly tables: readonly GrantedTable[];
  /** Dictionaries whose values functions such as `dictGet` may look up. */
  readonly dictionaries: readonly StoredTableName[];
  /** Tables that any connection may read unless their rows are hidden: those of the engine itself. */
  readonly hidden: readonly StoredTableName[];
  /** The revision of each endpoint, by its reference, from which the rules were derived. */
  readonly revisions: ReadonlyMap<string, string>;
}
