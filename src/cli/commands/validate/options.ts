// Declares what `millrace validate` checks, and with what.
import type { RoutesInput } from '../../checks/engine/rollup-routes.ts';
import type { FileSettings } from '../../checks/file.ts';
import type { FolderInput } from '../../checks/folder.ts';
import type { EngineSources } from '../../../sql/clickhouse/outside-sources.ts';
import type { Analyses } from '../analysis/analyse.ts';
import type { CommandError } from '../../kit/command-error.ts';
import type { OpenTestRuntime } from '../../kit/dependencies.ts';
import type { PrintFindings } from '../../findings/findings.ts';
import type { ChangedFiles } from './changed-files.ts';
import type { FindCosts } from './find-costs.ts';

export interface ValidateOptions extends FileSettings, Pick<FolderInput, 'paths' | 'tokens' | 'endpoints'> {
  /** It chooses the files that a change concerns; if it is undefined, all of them are checked. */
  readonly changed: ((listed: readonly string[]) => Promise<ChangedFiles>) | undefined;
  readonly print: PrintFindings;
  /** If it is true, warnings are errors. */
  readonly isStrict: boolean;
  /** It opens the analysis cache, and an engine for what is not in it. */
  readonly openAnalyses: () => Promise<Analyses>;
  /** It is true if an engine analyses queries. */
  readonly asksEngine: boolean;
  /** If it is defined, what the calls of examples read is reported as well. */
  readonly findCosts: FindCosts | undefined;
  /** If it is defined, the rollup that each query reads is printed. */
  readonly routes: Pick<RoutesInput, 'zone'> | undefined;
  readonly openTestRuntime: OpenTestRuntime;
  readonly engineSources: EngineSources;
  /** Queries that read tables have this error if no tables are known. */
  readonly withoutTables: CommandError | undefined;
}
