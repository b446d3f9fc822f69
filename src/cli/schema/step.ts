// What a statement of a schema becomes: statements for the embedded engine, or nothing.
import type { QualifiedName } from '../../sql/definition/qualified-name.ts';

/** Statements for the engine. */
export interface Step {
  readonly kind: 'step';
  readonly action: 'create' | 'change' | 'remove';
  /** What it creates, changes or removes. */
  readonly target: QualifiedName;
  /** Its kind, for messages: table, view, dictionary, database, function. */
  readonly what: string;
  /**
   * The statement in the forms to try, the most faithful first. Later ones have the same columns, without what the
   * engine may lack: the tables or functions that values and keys are computed from.
   */
  readonly attempts: readonly string[];
  /** Reads what no attempt has: how long rows are kept, indexes, projections, and the key by which rows are distributed. */
  readonly check?: string | undefined;
  /** No attempt has these ALTER commands for indexes and projections, since no result depends on them. */
  readonly indexes?: readonly string[];
  /** It changes the columns of a table, which those of a table that is another name of it follow. */
  readonly isAlter?: boolean;
  /** The table that it reads or fills, without which the first attempt fails or has no effect. */
  readonly needs?: QualifiedName | undefined;
  /** The engine of a table, if the embedded engine is not asked for it. */
  readonly engine?: string | undefined;
}

export type Normalised =
  | Step
  /** Not needed to analyse queries. `noted` counts it in a note; undefined: it changes rows or shows something. */
  | { readonly kind: 'skip'; readonly noted?: string }
  /** The database of names without one, from here to the end of the file. */
  | { readonly kind: 'use'; readonly database: string }
  /** Settings that change the columns of tables, from here to the end of the file. */
  | { readonly kind: 'set'; readonly settings: readonly (readonly [name: string, value: string])[] }
  /** Such a statement is needed, and could not be parsed; `at` is the offset in it. */
  | {
      readonly kind: 'unknown';
      readonly message: string;
      readonly target?: QualifiedName | undefined;
      readonly at?: number | undefined;
    };

/** What is known before a statement. */
export interface StatementContext {
  /** The current database. */
  readonly database: string;
  /** Settings of MergeTree tables that accept keys which are rejected by default; '' or a SETTINGS clause. */
  readonly treeSettings: string;
}
