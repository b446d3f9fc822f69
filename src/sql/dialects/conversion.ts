// What a conversion is given and returns.
import type { TextFinding, TextSpan } from '../base/finding.ts';

/** The dialects that are converted. */
export const DIALECTS = [
  'postgresql',
  'mysql',
  'mariadb',
  'snowflake',
  'bigquery',
  'trino',
  'redshift',
  'sqlite',
] as const;

/** SQL of another database system. */
export type ForeignDialect = (typeof DIALECTS)[number];

/** A column as DESCRIBE prints it. */
export interface SourceColumn {
  readonly name: string;
  readonly type: string;
}

export interface ConvertOptions {
  readonly dialect: ForeignDialect;
  /** The table in ClickHouse, as database and name, by its name as the query writes it; undefined: it is written as in the query. */
  readonly tableOf?: ((table: readonly string[]) => readonly string[] | undefined) | undefined;
  /** Columns of a table by its name as the query writes it; undefined if unknown. */
  readonly columnsOf?: ((table: readonly string[]) => readonly SourceColumn[] | undefined) | undefined;
}

/** What a part of the source text was converted to, if not to its exact equivalent. */
export interface ConversionNote extends TextFinding<ConversionCode>, TextSpan {
  /** `not_converted`: left out or left as it was, with a comment; `differs`: may differ in a named case. */
  readonly severity: 'not_converted' | 'differs' | 'note';
}

export type ConversionCode =
  | 'syntax'
  | 'statement'
  | 'timeout'
  | 'too_large'
  | 'clause'
  | 'name_unknown'
  | 'expression'
  | 'function'
  | 'type'
  | 'type_unknown'
  | 'join'
  | 'order'
  | 'collation'
  | 'time_zone'
  | 'placeholder';

/** A value of a parameter; lists are values of parameters of type Array. */
export type ParameterValue = string | number | boolean | readonly (string | number)[];

/** A parameter that a placeholder of the source became. */
export interface ConvertedParameter {
  readonly name: string;
  /** A type of the endpoint file. */
  readonly type: string;
  readonly required: boolean;
  readonly default?: ParameterValue;
  readonly enum?: readonly (string | number)[];
  /** SQL by name, instead of the type. */
  readonly choices?: Readonly<Record<string, string>>;
  readonly description?: string;
  readonly example?: ParameterValue;
  /** It is true if nothing in the source shows the type: String is assumed. */
  readonly isTypeGuessed?: boolean;
}

/** Tables and columns that the source text reads. */
export interface Reads {
  readonly tables: readonly (readonly string[])[];
  /** `path`: a column, and its fields; `table`: the table as FROM names it, if it is certain. */
  readonly columns: readonly { readonly table?: readonly string[]; readonly path: readonly string[] }[];
}

export interface Conversion {
  /** Undefined if the text could not be parsed at all. Not guaranteed: that ClickHouse accepts it. */
  readonly sql: string | undefined;
  readonly parameters: readonly ConvertedParameter[];
  readonly notes: readonly ConversionNote[];
  readonly reads: Reads;
}

/** How much of a query was converted. */
export type ConversionStatus = 'converted' | 'partly' | 'not';

/** The status, by the severities of the notes. */
export function statusOf({ sql, notes }: Pick<Conversion, 'sql' | 'notes'>): ConversionStatus {
  if (sql === undefined) return 'not';
  return notes.some(({ severity }) => severity !== 'note') ? 'partly' : 'converted';
}
