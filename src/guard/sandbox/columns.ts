// Columns of the tables that consumers may read.

/** A column as the engine describes it. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
}

/** A subcolumn, by the column that consumers know and the path below it: `metadata` and `request.path`. */
export interface Subcolumn {
  readonly column: string;
  readonly path: string;
}
