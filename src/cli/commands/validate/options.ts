// What `millrace validate` checks, and with what.
import type { RoutesInput } from '../../checks/engine/rollup-routes.ts';
import type { FileSettings } from '../../checks/file.ts';
import type { FolderInput } from '../../checks/folder.ts';
import type { EngineSources } from '../../../sql/clickhouse/outside-sources.ts';
import type { Analyses } from '../analysis/analyse.ts';
import type { CommandError } from '../../kit/command-error.ts';
import type { OpenTestRuntime } from '../../kit/dependencies.ts';
import type { PrintFindings } from '../../findings/findings.ts';
import type { ChangedFiles } from './changed-files.ts';

export interface ValidateOptions extends FileSettings, Pick<FolderInput, 'paths' | 'tokens' | 'endpoints'> {
  /** Chooses the files that a change concerns; undefined: all of them are checked. */
  readonly changed: ((listed: readonly string[]) => Promise<ChangedFiles>) | undefined;
  readonly print: PrintFindings;
  /** Treat warnings as errors. */
  readonly isStrict: boolean;
  /** Opens the analysis cache, and an engine for what is not in it. */
  readonly openAnalyses: () => Promise<Analyses>;
  /** True if an engine analyses queries. */
  readonly asksEngine: boolean;
  /** Prints which rollup each query reads; undefined: does not. */
  readonly routes: Pick<RoutesInput, 'zone'> | undefined;
  readonly openTestRuntime: OpenTestRuntime;
  readonly engineSources: EngineSources;
  /** The error for queries that read tables, if none are known. */
  readonly withoutTables: CommandError | undefined;
}
