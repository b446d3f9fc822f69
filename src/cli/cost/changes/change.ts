// Changes of a query, or of its tables, that may make it read less. Nothing here proves one: it is shown after both forms have run.
import type { Node, TokenRange, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import type { ClickHouseType } from '../../../sql/types/type.ts';
import type { CostChangeCode } from '../cost-codes.ts';

/** The source between two tokens is replaced by a text; an empty range is an insertion before its token. */
export interface ChangeEdit {
  readonly range: TokenRange;
  readonly text: string;
}

export interface ChangeProposal {
  readonly code: CostChangeCode;
  /** The finding is at its first token. */
  readonly at: TokenRange;
  /** A phrase that says why the query reads more than it needs. */
  readonly reason: string;
  /** They are in the order of their ranges, which do not overlap. */
  readonly edits: readonly ChangeEdit[];
  /** A table gets this part; `edits` is empty. */
  readonly part?: TablePart;
  /** The query reads it in place of rows; `edits` is empty. */
  readonly rollup?: ProposedRollup;
}

/** A rollup that no file declares. */
export interface ProposedRollup {
  readonly name: string;
  /** It is the text of its file. */
  readonly text: string;
  /** It has the form `database.table`. */
  readonly table: string;
  /** It is the column of the table that buckets are cut by. */
  readonly time: string;
  /** The unit is seconds. */
  readonly every: number;
  readonly dimensions: readonly string[];
}

export interface TablePart {
  /** It has the form `database.table`. */
  readonly table: string;
  readonly kind: 'INDEX' | 'PROJECTION';
  readonly name: string;
  /** It is what follows the name in ALTER TABLE … ADD. */
  readonly definition: string;
}

/** A table that the query reads. */
export interface ReadTable {
  /** It has the form `database.table`. */
  readonly name: string;
  readonly sortingKey: string;
  /** It has the types of all columns by their names. */
  readonly columns: ReadonlyMap<string, ClickHouseType>;
  /** Keys and indexes are computed from these columns. */
  readonly keyColumns: ReadonlySet<string>;
  /** Keys, indexes and projections name these columns. */
  readonly indexed: ReadonlySet<string>;
  /** It has the number of different values in a table of `rows`, by column; those that are not known are left out. */
  readonly distinct: ReadonlyMap<string, number>;
  readonly rows: number;
  /** It has the seconds between the first and the last time, by column; those that are not known are left out. */
  readonly seconds: ReadonlyMap<string, number>;
}

/** A query, and what is known about the tables that it reads. */
export interface ChangeSubject {
  readonly tree: Tree;
  readonly tables: readonly ReadTable[];
  /** The conditions that a row must meet, or one of several: the parts of AND and OR. */
  readonly conditions: readonly Node[];
  /** It is true if consumers read the tables of the WITH clause. */
  readonly isSandboxed: boolean;
}

/** Recognises places where a query may read less. */
export interface ChangeKind {
  readonly name: string;
  readonly propose: (subject: ChangeSubject) => Iterable<ChangeProposal>;
}
