// Generated from schemas/rollup.schema.json by `npm run generate`; change the schema instead.

/**
 * A width, such as 1m, 15m, 1h or 1d.
 */
export type RollupGrain = string;
/**
 * Rollups, each with a name that no other file of the folder has.
 */
export type Rollups = Rollup[];

/**
 * Rollups: aggregates of a table by time and dimensions that the engine keeps up to date with each insert, and that queries over the table are answered from where the result is the same. Files end in .rollup.yaml and are in the folder of endpoint files, which can have rollups as well, as shared files can.
 */
export interface RollupFile {
  /**
   * Describes what the rollups are for.
   */
  description?: string;
  rollups: Rollups;
}
/**
 * Aggregates of one table.
 */
export interface Rollup {
  /**
   * Lower-case letters, digits and underscores: the names of its tables begin with it.
   */
  name: string;
  /**
   * The stored table that is aggregated, as database.table. Its engine is of the MergeTree family, and does not change rows when it merges.
   */
  from: string;
  time: RollupTime;
  /**
   * Rows are grouped by these: columns, parts of columns such as metadata.request.method, and expressions with a name. With tenants, the column that distinguishes them is the first one.
   *
   * Items: A column, or one expression with its name, such as { area: "if(status < 500, 'fine', 'failed')" }.
   */
  dimensions: (
    | string
    | {
        [k: string]: string;
      }
  )[];
  /**
   * Aggregates of the rows of a group, such as sum(bytes). count() is always one of them.
   *
   * Items: An aggregate such as sum(bytes), or { aggregate: quantile(0.95)(ms), approximate: true }.
   */
  measures: (string | RollupMeasure)[];
  /**
   * Buckets are kept for this time, in days; default: as long as the table keeps its rows, or longer. Buckets whose rows are gone answer no query.
   */
  keep?: string;
  /**
   * Buckets younger than this are read from the rows: an insert reaches the table and the rollup one after the other.
   */
  settle?: string;
}
/**
 * Defines how rows are divided by time.
 */
export interface RollupTime {
  /**
   * A column of the type DateTime or DateTime64.
   */
  column: string;
  /**
   * The width of a bucket, or several, the finest first, of which each divides the next: each is a table of its own, filled from the one before. A width divides a day; buckets begin at midnight in UTC.
   */
  every: RollupGrain | RollupGrain[];
}
/**
 * An aggregate whose merged states can differ from the aggregate of the rows.
 */
export interface RollupMeasure {
  /**
   * A call of an aggregate function.
   */
  aggregate: string;
  /**
   * Queries can be answered from the merged states although they can differ from the aggregate of the rows: sums of Float, quantiles, any value.
   */
  approximate?: boolean;
}
