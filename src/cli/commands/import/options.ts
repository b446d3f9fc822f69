// The options of `millrace import`.
import type { TenancySetting } from '../../../service/endpoints/tenancy.ts';
import type { ExportTool } from '../../convert/export/foreign-query.ts';
import type { TemplateDialect } from '../../convert/placeholders/template.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import type { LoadedSchema } from '../../schema/load-schema.ts';
import type { EngineSources } from '../../../sql/clickhouse/outside-sources.ts';
import type { OpenTestRuntime } from '../../kit/dependencies.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { ImportReport } from './report.ts';

/** An engine with the tables of the repository. */
export interface ImportEngine {
  readonly engine: Engine;
  /** A folder that the engine may read. */
  readonly scratch: string;
  readonly schema: LoadedSchema;
}

export interface ImportOptions {
  readonly path: string;
  readonly from: ExportTool | undefined;
  readonly dialect: TemplateDialect | undefined;
  readonly endpoints: string;
  readonly schema: string;
  readonly database: string | undefined;
  readonly isForced: boolean;
  /** Only report. */
  readonly isDry: boolean;
  readonly tenancy: TenancySetting;
  readonly engineSources: EngineSources;
  readonly withEngine: <T>(use: (engine: ImportEngine) => Promise<T>) => Promise<T>;
  readonly openTestRuntime: OpenTestRuntime;
  readonly print: (report: ImportReport, terminal: Terminal) => Promise<void>;
}

export interface Making {
  readonly options: ImportOptions;
  readonly on: ImportEngine;
  readonly terminal: Terminal;
}
