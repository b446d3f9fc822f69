// `millrace test`: runs the examples of endpoint files on the embedded engine, without a server.
import { visible } from '../../../service/observe/visible-text.ts';
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import { referenceOf } from '../../../service/endpoints/endpoint.ts';
import { compileGlobs } from '../../../service/auth/globs.ts';
import type { InspectedFile } from '../../../service/endpoints/compile.ts';
import type { Settings } from '../../../service/config/settings.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { nearest, withSuggestion } from '../../../sql/base/nearest.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { explainBroken } from '../../schema/broken.ts';
import type { LoadedSchema } from '../../schema/load-schema.ts';
import { CommandError } from '../../kit/command-error.ts';
import { createTextOf } from '../../findings/source-text.ts';
import { withSchemaEngine } from '../../kit/schema-engine.ts';
import { noteSchema, type SchemaChoice } from '../../kit/schema-options.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { OpenEngine, OpenTestRuntime } from '../../kit/dependencies.ts';
import { createReadFiles, shortPath, type FilesReading } from './endpoint-files.ts';
import { runExample, type Case } from './example-run.ts';
import { isFailed, type CaseReport, type PrintReport, type Report } from './report.ts';
import { openStage, type Stage } from '../../kit/stage.ts';
import { updateExample, type TextOf } from './update.ts';

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

/** Runs the examples once; resolves to the exit code. Rejects with CommandError if none was selected. */
export async function test(options: TestOptions, deps: TestDeps): Promise<0 | 1> {
  const reading = await createReadFiles(options.endpoints, options.settings.engineSources)();
  const cases = chosenCases(reading, options);
  if (cases.length === 0 && options.part !== undefined && reading.findings.length === 0)
    throw new CommandError(`No example name contains "${options.part}"`, { exitCode: 2 });
  return withStage(options, deps, async (staged) => {
    const report = await runCases({ ...reading, cases }, staged, { options, deps });
    await options.print(report, deps.terminal);
    return isFailed(report) ? 1 : 0;
  });
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

/** The examples of the selected endpoints, in the order of files. */
export function chosenCases(
  { files, findings }: Pick<FilesReading, 'files' | 'findings'>,
  { names, part = '' }: Pick<TestOptions, 'names' | 'part'>,
): readonly Case[] {
  const known = files.flatMap(({ candidate }) => namesOf(candidate.endpoint));
  const unknown = names.find((name) => !known.some(compileGlobs([name])));
  if (unknown !== undefined && findings.length === 0) throw noEndpoint(unknown, known); // otherwise the findings may explain why it is missing
  const isNamed = names.length === 0 ? () => true : compileGlobs(names);
  return files
    .filter(({ candidate }) => namesOf(candidate.endpoint).some(isNamed))
    .flatMap((file) =>
      (file.analysis.file.examples ?? []).map((example, index) => ({ file, index, example })),
    )
    .filter(({ example }) => example.name.toLowerCase().includes(part.toLowerCase()));
}

/** Its name alone means all versions. */
function namesOf(endpoint: Endpoint): readonly string[] {
  return [...new Set([endpoint.name, referenceOf(endpoint)])];
}

function noEndpoint(name: string, known: readonly string[]): CommandError {
  return new CommandError(withSuggestion(`There is no endpoint "${name}"`, nearest(name, known)), {
    exitCode: 2,
  });
}

/** The examples to run, and the findings so far. */
export interface Chosen extends Pick<FilesReading, 'files' | 'findings'> {
  readonly cases: readonly Case[];
}

/** Runs the examples sequentially: they share the tables. */
export async function runCases(
  { files, cases, findings }: Chosen,
  staged: Staged,
  { options, deps }: { readonly options: TestOptions; readonly deps: TestDeps },
): Promise<Report> {
  const { engine, stage } = staged;
  const started = deps.now();
  const written: TextOf = new Map();
  const examples: CaseReport[] = [];
  const trial = await deps.openTestRuntime({ engine, candidates: files.map(({ candidate }) => candidate) });
  try {
    for (const each of staged.findings.length > 0 ? [] : cases) {
      deps.terminal.progress(`${referenceOf(each.file.candidate.endpoint)}: ${visible(each.example.name)}`);
      const from = deps.now();
      const run = await runExample(each, { engine, stage, pathAt: trial.pathAt });
      const failures = run.failures.map((failure) => explainBroken(failure, staged.schema));
      const { outcome } = run;
      const isOpen = failures.length > 0 || Object.keys(each.example.expect ?? {}).length === 0;
      const isUpdated =
        options.update && isOpen && outcome !== undefined && (await updateExample(each, outcome, written));
      examples.push(caseReport(each, isUpdated ? 'updated' : failures, deps.now() - from));
      if (options.bail && examples.at(-1)?.outcome === 'failed') break;
    }
  } finally {
    deps.terminal.progress('');
    await trial.close();
  }
  const all = [...findings, ...staged.findings].map((each) => ({ ...each, file: shortPath(each.file) }));
  return { examples, findings: all, ms: deps.now() - started, textOf: createTextOf(textsOf(files)) };
}

function caseReport(
  { file, index, example }: Case,
  failures: 'updated' | readonly Finding[],
  ms: number,
): CaseReport {
  const isUpdated = failures === 'updated';
  const failed = !isUpdated && failures.length > 0 ? 'failed' : 'passed';
  return {
    endpoint: referenceOf(file.candidate.endpoint),
    example: example.name,
    file: shortPath(file.document.file),
    ...file.document.locate(['examples', index, 'name']),
    outcome: isUpdated ? 'updated' : failed,
    ms,
    failures: isUpdated ? [] : failures,
  };
}

/** As they were tested. */
function textsOf(files: readonly InspectedFile[]): readonly (readonly [string, string])[] {
  return files.map(({ document }) => [shortPath(document.file), document.text]);
}
