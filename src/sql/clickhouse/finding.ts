// What is wrong at a location in an SQL query.

/** A finding between two offsets (UTF-16 code units, end exclusive) of the query that was read. */
export interface SqlFinding {
  readonly start: number;
  readonly end: number;
  /** `query.reason`, stable. */
  readonly code: string;
  readonly message: string;
}
