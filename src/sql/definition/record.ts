// A statement of a schema as its readers see it: what it does, and its parts as SQL. No reader looks at its tokens again.
import type { QualifiedName } from './qualified-name.ts';

export type StatementRecord =
  | CreateRecord
  /** ALTER of something. */
  | AlterRecord
  /** DROP, RENAME and EXCHANGE: `sql` is the statement without its cluster. */
  | {
      readonly kind: 'drop' | 'rename';
      /** The statement's first word. */
      readonly verb: string;
      /** TABLE, DICTIONARIES and so on. */
      readonly what: string;
      readonly name: QualifiedName | undefined;
      readonly sql: string;
    }
  /** The database is undefined if its name cannot be read. */
  | { readonly kind: 'use'; readonly database: string | undefined }
  /** Settings with values that are words, numbers or strings. */
  | { readonly kind: 'set'; readonly settings: readonly (readonly [name: string, value: string])[] }
  /** About rows, sessions and the server itself: nothing that a query can name. `access`: about rights. */
  | { readonly kind: 'rows' | 'access'; readonly verb: string }
  /** Creates something that queries cannot name: `what` is its kind. */
  | { readonly kind: 'other object'; readonly what: string }
  | {
      readonly kind: 'unreadable';
      readonly message: string;
      readonly name?: QualifiedName;
      /** It is the offset in the statement; undefined means its start. */
      readonly at?: number;
    };

export type CreatedKind =
  | 'TABLE'
  | 'VIEW'
  | 'MATERIALIZED VIEW'
  | 'LIVE VIEW'
  | 'WINDOW VIEW'
  | 'DICTIONARY'
  | 'DATABASE'
  | 'FUNCTION';

export type ClauseKind =
  | 'columns'
  | 'engine'
  | 'partition'
  | 'primary'
  | 'order'
  | 'sample'
  | 'ttl'
  | 'settings'
  | 'comment'
  | 'query'
  | 'like'
  | 'to'
  | 'refresh'
  | 'ignored'
  | 'source'
  | 'layout'
  | 'lifetime'
  | 'range';

export interface CreateRecord {
  readonly kind: 'create';
  readonly what: CreatedKind;
  readonly isReplace: boolean;
  readonly ifNotExists: boolean;
  readonly name: QualifiedName;
  /** The last part of the name, as it is written. */
  readonly writtenName: string;
  /** ATTACH without anything after the name: the definition is in a file of the server. */
  readonly isAttached: boolean;
  /** Clauses that are not empty, without their keywords. Not verified: that they are complete, or may follow each other. */
  readonly clauses: ReadonlyMap<ClauseKind, string>;
  /** Undefined if there is no list of columns, or an empty one. */
  readonly columns: ColumnList | undefined;
  readonly engine: EngineRecord | undefined;
  /** `AS other`: the table that has the same columns. */
  readonly like: QualifiedName | undefined;
  /** `TO other`: the table that a view fills. */
  readonly to: QualifiedName | undefined;
  readonly dictionary: DictionaryRecord;
  /** The name and the lambda of a function in SQL; undefined for other functions. */
  readonly lambda: string | undefined;
  /** The strings in the clauses. */
  readonly strings: readonly ClauseString[];
}

export interface ColumnList {
  readonly columns: readonly ColumnText[];
  /** The primary key, if it is one of the items. */
  readonly primary: string | undefined;
  /** They are the indexes and projections among the items, as ALTER commands that add them. */
  readonly indexes: readonly string[];
  /** They are the constraints among the items that INSERT checks, as written. */
  readonly constraints: readonly string[];
}

export interface ColumnText {
  /** It is as written, without codec, expiry and the like. */
  readonly sql: string;
  /** The name as written. */
  readonly name: string;
  /** Undefined if the type is that of the default. */
  readonly type: string | undefined;
  /** How its value is made up: DEFAULT, MATERIALIZED, ALIAS, EPHEMERAL. */
  readonly kind: string | undefined;
}

export interface EngineRecord {
  readonly name: string;
  /** The name with the arguments in parentheses, if there are any. */
  readonly sql: string;
  readonly arguments: readonly EngineArgument[];
}

export interface EngineArgument {
  readonly sql: string;
  readonly isString: boolean;
  /** An identifier, or the value of a string; '' for anything else, such as currentDatabase(). */
  readonly name: string;
  /** The regular expression in `REGEXP('…')`. */
  readonly regexp: string | undefined;
}

export interface DictionaryRecord {
  readonly attributes: readonly AttributeText[];
  /** The layout's name in upper case, and the whole of it; undefined without one. */
  readonly layout: { readonly name: string; readonly sql: string } | undefined;
  /** Parameters of the source by their names in upper case; undefined if it is not ClickHouse. */
  readonly clickhouse: ReadonlyMap<string, string> | undefined;
}

/** An attribute of a dictionary. */
export interface AttributeText {
  readonly sql: string;
  /** Without the expression that computes it from columns of the source. */
  readonly plain: string;
  /** Name and type. */
  readonly column: string;
}

export interface ClauseString {
  readonly clause: ClauseKind;
  /** Offsets in the statement, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  /** The word before it, in upper case. */
  readonly after: string | undefined;
}

export interface AlterRecord {
  readonly kind: 'alter';
  /** TABLE, USER and so on. */
  readonly what: string;
  readonly name: QualifiedName | undefined;
  /** The commands that change columns, or the query of a view. */
  readonly commands: readonly string[];
  /** The commands that change how long rows are kept, and add indexes, projections and constraints. */
  readonly checked: readonly string[];
  /** These commands add and drop indexes and projections. */
  readonly indexes: readonly string[];
}
