// A query of another tool's export, and what its readers return.
import type { Declaration, TemplateDialect, TemplateTool } from '../placeholders/template.ts';
import type { Position } from '../../core/position.ts';

/** The tools whose exports are read. */
export const EXPORT_TOOLS = ['metabase', 'superset', 'grafana', 'tinybird', 'redash', 'dbt'] as const;
export type ExportTool = (typeof EXPORT_TOOLS)[number];

/** A file of an export. */
export interface ExportFile {
  /** Relative to the folder or archive, with `/`. */
  readonly path: string;
  /** For messages: where the user finds it. */
  readonly shown: string;
  readonly text: string;
}

export interface ForeignQuery {
  readonly tool: ExportTool;
  /** As the tool shows it. */
  readonly title: string;
  /** The segments that the endpoint's name is made of, such as dashboard and panel. */
  readonly segments: readonly string[];
  readonly description?: string;
  readonly sql: string;
  /** Undefined if the export does not say: `--dialect` decides. */
  readonly dialect: TemplateDialect | undefined;
  /** The name of the database system in the export, if it is none of the dialects. */
  readonly engine?: string;
  readonly declarations: readonly Declaration[];
  /** Whose placeholders the text has, if not the tool's. */
  readonly template?: TemplateTool;
  readonly file: string;
  /** The position in the file of an offset in `sql`. */
  readonly locate: (offset: number) => Position;
  /** Why it is not converted at all. */
  readonly reason?: string;
  /** Tells apart queries of the same title, such as an identifier of the tool. */
  readonly key?: string;
}

/** A definition of a table, for `schema/`. */
export interface TableDefinition {
  readonly name: string;
  readonly sql: string;
  readonly file: string;
}

/** What a file, or the export as a whole, could not be read for. */
export interface ImportProblem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

export interface ReadExport {
  readonly queries: readonly ForeignQuery[];
  readonly tables: readonly TableDefinition[];
  readonly problems: readonly ImportProblem[];
}

/** Most queries of one run. */
export const MAX_QUERIES = 5_000;
