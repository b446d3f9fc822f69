// Generated from schemas/view.schema.json by `npm run generate`; change the schema instead.

/**
 * A shared view: a state of the explorer's page under a name, listed for every key that may call its endpoint. Files end in .view.yaml and are in the folder of endpoint files.
 */
export interface ViewFile {
  /**
   * The name in the menu, unique among the views of the endpoint.
   */
  name: string;
  /**
   * Describes what the view shows.
   */
  description?: string;
  /**
   * The endpoint, by its name, with a version if it has several: usage.daily@2.
   */
  endpoint: string;
  /**
   * Values of parameters. Those that the reader's key locks are left out.
   */
  parameters?: {
    [k: string]: string | number | boolean;
  };
  logs?: Logs;
  /**
   * A consumer query in LQL, in place of the saved query.
   */
  lql?: string;
  /**
   * A consumer query in SQL, in place of the saved query.
   */
  sql?: string;
  /**
   * Selects how the result is shown; by default, as suits the rows.
   */
  show?: 'table' | 'chart' | 'json' | 'code';
}
/**
 * Defines what the log view shows.
 */
export interface Logs {
  /**
   * The table; default: the first one that the log view has.
   */
  table?: string;
  /**
   * The filter, in LQL.
   */
  filter?: string;
  /**
   * The time range: two times in UTC, or expressions relative to now; default: the last hour.
   */
  range?: string;
  /**
   * Paths of the columns beside the time, the level and the message; default: those of the log view.
   */
  columns?: string[];
  /**
   * Paths of facets beside those of the log view.
   */
  facets?: string[];
}
