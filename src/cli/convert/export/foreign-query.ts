// A query of another tool's export, and what its readers return.
import type { Declaration, TemplateDialect, TemplateTool } from '../placeholders/template.ts';
import type { Position } from '../../../sql/base/position.ts';
import type { Contents, ImportProblem } from './document.ts';

/** The tools whose exports are read. */
export const EXPORT_TOOLS = ['metabase', 'superset', 'grafana', 'tinybird', 'redash', 'dbt'] as const;
export type ExportTool = (typeof EXPORT_TOOLS)[number];

/** A part of an export that has a line in the report: a node, panel, card, chart, model, macro … */
export interface SourceItem {
  readonly tool: ExportTool;
  /** As the tool calls it. */
  readonly kind: string;
  /** As the tool shows it. */
  readonly title: string;
  readonly file: string;
  readonly place: Position;
}

/** An item that no query or definition is made of, and why. */
export interface OtherItem extends SourceItem {
  readonly reason: string;
  /** It has nothing to convert, such as a panel with a text. */
  readonly isEmpty?: boolean;
}

export interface QueryPart extends SourceItem {
  readonly lastLine: number;
}

/** A call of the source's own tests. */
export interface SourceExample {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** The rows that it expects, as the source writes them; undefined: it expects no particular rows. */
  readonly rows?: readonly Readonly<Record<string, unknown>>[];
  /** The HTTP status of an error that it expects. */
  readonly status?: number;
}

export interface ForeignQuery {
  readonly tool: ExportTool;
  readonly kind: string;
  /** As the tool shows it. */
  readonly title: string;
  /** The line of the report, if it is not the title. */
  readonly label?: string;
  /** The segments that the endpoint's name is made of, such as dashboard and panel. */
  readonly segments: readonly string[];
  readonly description?: string;
  readonly sql: string;
  /** Undefined if the export does not say: `--dialect` decides. */
  readonly dialect: TemplateDialect | undefined;
  /** The name of the database system in the export, if it is none of the dialects. */
  readonly engine?: string;
  readonly declarations: readonly Declaration[];
  readonly prefersParts?: true;
  /** Whose placeholders the text has, if not the tool's. */
  readonly template?: TemplateTool;
  readonly file: string;
  /** The position in the file of an offset in `sql`. */
  readonly locate: (offset: number) => Position;
  /** Why it is not converted at all. */
  readonly reason?: string;
  /** Tells apart queries of the same title, such as an identifier of the tool. */
  readonly key?: string;
  /** Items whose SQL is a part of this one's, with their last lines. */
  readonly parts?: readonly QueryPart[];
  /** Keys of the other queries of the export that it reads; in the SQL, they are the names of tables. */
  readonly reads?: readonly string[];
  /** The same query with all that it reads inside, for those that cannot be included. */
  readonly whole?: () => ForeignQuery;
  /** Not an endpoint: the query of a view, after the beginning of its statement. */
  readonly view?: ViewHead;
  /** A view that other queries read, beside the endpoint. */
  readonly relation?: Relation;
  readonly examples?: readonly SourceExample[];
}

export interface Relation {
  /** Undefined: that of the project. */
  readonly database: string | undefined;
  readonly name: string;
}

/** The beginning of the statement that creates a view, up to AS. */
export interface ViewHead {
  readonly name: string;
  /** The table that it writes, or itself. */
  readonly target: string;
  readonly sql: (database: string) => string;
}

/** A definition of a table, for `schema/`. */
export interface TableDefinition extends SourceItem {
  readonly name: string;
  /** Queries use these names for it as well. */
  readonly aliases?: readonly string[];
  /** Undefined: that of the project. */
  readonly database?: string;
  /** The statement. */
  readonly sql: (database: string) => string;
  /** The names of its columns, if queries of the export can choose among them. */
  readonly columns?: readonly string[];
  readonly rows?: TableRows;
}

/** Rows of a table that the source has for tests. */
export interface TableRows {
  readonly format: 'ndjson' | 'csv';
  readonly text: string;
  readonly file: string;
}

export interface ReadExport {
  readonly queries: readonly ForeignQuery[];
  readonly tables: readonly TableDefinition[];
  readonly others: readonly OtherItem[];
  readonly problems: readonly ImportProblem[];
}

/** How to recognise and read the exports of a tool. */
export interface ToolReader {
  readonly isOwn: (contents: Contents) => boolean;
  readonly read: (contents: Contents) => Partial<ReadExport>;
}

/** Most queries of one run. */
export const MAX_QUERIES = 5_000;
