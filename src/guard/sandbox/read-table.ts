// A table of an endpoint that consumer queries may read.
import type { TableColumn } from './columns.ts';
import type { PassThrough } from './pass-through.ts';
import type { RedactedTable } from './redaction/source-redaction.ts';
import type { Verdict } from './verdict.ts';
import type { ClickHouseType } from '../../sql/types/type.ts';

/** Returns whether a parameter of the endpoint is NULL in this call. Undefined: not known, so optional conditions stay as written. */
export type IsNull = ((parameter: string) => boolean) | undefined;

/**
 * How a table is written into a statement. Two forms have a barrier, so that no consumer condition is evaluated inside the table:
 * `barred`, and `reread`, in which all shared columns are built again. The former builds those again for which it costs little.
 */
export type TableForm = 'open' | 'barred' | 'reread';

export interface ReadTable {
  readonly name: string;
  /** Tokens that a reference to it expands to, including what it refers to itself. */
  readonly size: number;
  /** They are as queries read them; empty if the engine has not described them. */
  readonly columns: readonly TableColumn[];
  /** Undefined if there is no such column. */
  readonly typeOf: (column: string) => ClickHouseType | undefined;
  /** The columns of a stored table that it passes on; undefined if it computes more than a selection. */
  readonly passes: PassThrough | undefined;
  /** Columns of the stored table that have a dot in their name; undefined if they are not known. */
  readonly dotted: readonly string[] | undefined;
  /** It is true if maps of the stored table have a subcolumn for each key. */
  readonly hasMapKeys: boolean;
  /** Undefined if it is not redacted. */
  readonly redaction: RedactedTable | undefined;
  /** It is true if it has columns that are stored with something of all rows beside theirs, so that `reread` differs. */
  readonly hasShared: boolean;
  /** It is true if every form has a barrier. */
  readonly isClosed: boolean;
  /**
   * A WITH element for a checked query: name, AS, and the elements of the endpoint's WITH clause that the table needs, in a view unless
   * the names of the query are apart.
   */
  readonly write: (form: TableForm, verdict: Verdict, isNull: IsNull) => string;
}
