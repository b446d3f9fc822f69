// Generated from schemas/statistics.schema.json by `npm run generate`; change the schema instead.

/**
 * The sizes of the tables on a server, as `millrace schema pull --statistics` writes them to schema/statistics.yaml. `millrace cost` estimates with them what calls read. The file has no values of rows.
 */
export interface StatisticsFile {
  /**
   * The tables, by database.table.
   */
  tables: {
    [k: string]: Table;
  };
}
/**
 * The size of a table. A number of your own is as good: that of next year, for example.
 */
export interface Table {
  /**
   * How many rows the table has.
   */
  rows: number;
  /**
   * Its columns by name. Those that are left out have no sizes, and at most 256 different values.
   */
  columns?: {
    [k: string]: Column;
  };
}
/**
 * A column.
 */
export interface Column {
  /**
   * Bytes on disk, compressed.
   */
  bytes?: number;
  /**
   * How many different values it has, approximately. Only columns of keys and indexes need it.
   */
  distinct?: number;
  /**
   * Of a time: the seconds between the first and the last one.
   */
  seconds?: number;
}
