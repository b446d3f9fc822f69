// What the readers of other tools' templates produce: SQL without placeholders, its parameters, and where each part came from.
import type {
  ConversionNote,
  ConvertedParameter,
  ForeignDialect,
  ParameterValue,
} from '../../../sql/dialects/conversion.ts';

/** The tools whose placeholders and templates are read; driver: `$1`, `?`, `:x`, `%(x)s`, `@x` and ClickHouse's `{x:Type}`. */
export type TemplateTool = 'driver' | 'metabase' | 'superset' | 'grafana' | 'tinybird' | 'redash' | 'dbt';

/** `clickhouse`: the text is ClickHouse SQL already, and only its placeholders are replaced. */
export type TemplateDialect = ForeignDialect | 'clickhouse';

export interface Template {
  /** SQL with `:name` for each parameter, or `@name` in ClickHouse SQL, and calls of `clickhouse__NAME(…)` for ClickHouse's own functions. */
  readonly sql: string;
  readonly parameters: readonly ConvertedParameter[];
  readonly notes: readonly ConversionNote[];
  /** Its tags do not match, or it is too large: `sql` is the text itself. */
  readonly isUnreadable?: boolean;
  /** The offset in the source text of an offset in `sql`. */
  readonly sourceOffset: (offset: number) => number;
  /** Adds the reasons to the parts that were not converted; `sql` is ClickHouse SQL with `@name`. */
  readonly restore: (sql: string) => string;
}

/** A placeholder's declaration outside the text, as in a card, dashboard or query of the tool. */
export interface Declaration {
  /** As the text writes it. */
  readonly name: string;
  readonly type?: string;
  readonly isList?: boolean;
  /** A list that may be empty: then it restricts nothing, as Grafana's All. */
  readonly isAllAllowed?: boolean;
  readonly required?: boolean;
  readonly default?: ParameterValue;
  readonly enum?: readonly (string | number)[];
  readonly description?: string;
  readonly example?: ParameterValue;
  /** The tool was last used with this text, which may be empty. */
  readonly saved?: string;
  /** Two parameters, for the two ends of a range: Redash's `{{ x.start }}`, Metabase's date filters. */
  readonly isRange?: boolean;
  /** A condition on this column instead of a value: a field filter of Metabase. */
  readonly filter?: { readonly column: readonly string[] | undefined; readonly kind: string };
  /** SQL inserted as it is: a snippet or another query of the export, or a constant. */
  readonly text?: string;
  /** Why it cannot be a parameter. */
  readonly reason?: string;
}

export interface TemplateOptions {
  /** Default: the tool that the placeholders belong to. */
  readonly tool?: TemplateTool;
  readonly dialect: TemplateDialect;
  readonly declarations?: readonly Declaration[];
  /** The columns of an alternative exist in it only: `CASE` and conditions, which read those of all, are the last choice. */
  readonly prefersParts?: boolean | undefined;
}

/** The longest text that is read, in UTF-16 code units. */
export const MAX_TEMPLATE_LENGTH = 262_144;
/** Most placeholders and tags in one text. */
export const MAX_MARKS = 2_000;
