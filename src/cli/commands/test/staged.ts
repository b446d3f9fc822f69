// An engine with the tables and fixtures of the examples.
import type { Settings } from '../../../service/config/settings.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import type { LoadedSchema } from '../../schema/load-schema.ts';
import { withSchemaEngine } from '../../kit/schema-engine.ts';
import { noteSchema, type SchemaChoice } from '../../kit/schema-options.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { OpenEngine, OpenTestRuntime } from '../../kit/dependencies.ts';
import type { PrintReport } from './report.ts';
import { openStage, type Stage } from '../../kit/stage.ts';

export interface TestOptions {
  readonly settings: Settings;
  /** Folders of endpoint files and of fixtures. */
  readonly endpoints: string;
  readonly fixtures: string;
  /** The definitions of the tables. */
  readonly schema: SchemaChoice;
  /** Names of endpoints, or globs; empty: all. */
  readonly names: readonly string[];
  /** Only run examples whose name contains this, ignoring case. */
  readonly part: string | undefined;
  readonly update: boolean;
  /** Stop at the first failure. */
  readonly bail: boolean;
  readonly print: PrintReport;
}

export interface TestDeps {
  readonly openEngine: OpenEngine;
  readonly openTestRuntime: OpenTestRuntime;
  readonly terminal: Terminal;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/** An engine with the tables and fixtures loaded. */
export interface Staged {
  readonly engine: Engine;
  readonly stage: Stage;
  readonly schema: LoadedSchema;
  /** Findings about the fixtures; if there are any, no example can run. */
  readonly findings: readonly Finding[];
}

export function withStage<T>(
  { settings, schema, fixtures }: TestOptions,
  { openEngine, terminal }: Pick<TestDeps, 'openEngine' | 'terminal'>,
  use: (staged: Staged) => Promise<T>,
): Promise<T> {
  return withSchemaEngine({ settings, schema, openEngine }, async (engine, scratch, schema) => {
    noteSchema({ ...schema, findings: schema.findings.filter((each) => !isError(each)) }, terminal);
    const { engineSources } = settings;
    const staged = await openStage({ engine, scratch, fixtures, schema, engineSources });
    const findings = [...schema.findings.filter(isError), ...staged.findings];
    return use({ engine, schema, ...staged, findings });
  });
}

function isError({ severity }: Finding): boolean {
  return severity === 'error';
}
