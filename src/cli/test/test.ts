// `millrace test`: the examples of endpoint files run on the embedded engine, with no server.
import { readFileSync } from 'node:fs';
import { compileGlobs } from '../../auth/globs.ts';
import type { InspectedFile } from '../../catalog/compile.ts';
import type { Settings } from '../../config/settings.ts';
import type { Diagnostic } from '../../core/diagnostic.ts';
import { nearest } from '../../core/nearest.ts';
import type { Engine } from '../../engine/engine.ts';
import { printable } from '../caret.ts';
import { CommandError } from '../command-error.ts';
import { withSchemaEngine } from '../schema-engine.ts';
import type { Terminal } from '../terminal.ts';
import type { OpenEngine, OpenTrial } from '../wiring.ts';
import { createReadFiles, shortPath, type Reading } from './endpoint-files.ts';
import { runExample, type Case } from './example-run.ts';
import { isFailed, type CaseReport, type PrintReport, type Report } from './report.ts';
import { openStage, type Stage } from './stage.ts';
import { updateExample, type TextOf } from './update.ts';

export interface TestOptions {
  readonly settings: Settings;
  /** Folders: of endpoint files, of *.sql files that make the tables, of fixtures. */
  readonly endpoints: string;
  readonly schema: string;
  readonly fixtures: string;
  /** Names of endpoints, or globs of them; all when there are none. */
  readonly names: readonly string[];
  /** Only examples with this in their name, in any case, are run. */
  readonly part: string | undefined;
  readonly update: boolean;
  /** Stop at the first failure. */
  readonly bail: boolean;
  readonly print: PrintReport;
}

export interface TestDeps {
  readonly openEngine: OpenEngine;
  readonly openTrial: OpenTrial;
  readonly terminal: Terminal;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/** Runs them once; resolves to the exit code. Rejects with CommandError when nothing was chosen. */
export async function test(options: TestOptions, deps: TestDeps): Promise<0 | 1> {
  const reading = await createReadFiles(options.endpoints)();
  const cases = chosenCases(reading, options);
  if (cases.length === 0 && options.part !== undefined && reading.findings.length === 0)
    throw new CommandError(`No example has "${options.part}" in its name`, { exitCode: 2 });
  return withStage(options, deps, async (staged) => {
    const report = await runCases({ ...reading, cases }, staged, { options, deps });
    options.print(report, deps.terminal);
    return isFailed(report) ? 1 : 0;
  });
}

/** An engine with the tables and the fixtures in it. */
export interface Staged {
  readonly engine: Engine;
  readonly stage: Stage;
  /** What is wrong with the fixtures: nothing can be run on them then. */
  readonly findings: readonly Diagnostic[];
}

export function withStage<T>(
  { settings, schema, fixtures }: TestOptions,
  { openEngine }: Pick<TestDeps, 'openEngine'>,
  use: (staged: Staged) => Promise<T>,
): Promise<T> {
  return withSchemaEngine({ settings, schema, openEngine }, async (engine, scratch) =>
    use({ engine, ...(await openStage({ engine, scratch, fixtures })) }),
  );
}

/** The examples of the endpoints that are named, in the order of files. */
export function chosenCases(
  { files, findings }: Pick<Reading, 'files' | 'findings'>,
  { names, part = '' }: Pick<TestOptions, 'names' | 'part'>,
): readonly Case[] {
  const known = files.map(({ candidate }) => candidate.endpoint.name);
  const unknown = names.find((name) => !known.some(compileGlobs([name])));
  if (unknown !== undefined && findings.length === 0) throw noEndpoint(unknown, known); // else they tell why
  const isNamed = names.length === 0 ? () => true : compileGlobs(names);
  return files
    .filter(({ candidate }) => isNamed(candidate.endpoint.name))
    .flatMap((file) =>
      (file.analysis.file.examples ?? []).map((example, index) => ({ file, index, example })),
    )
    .filter(({ example }) => example.name.toLowerCase().includes(part.toLowerCase()));
}

function noEndpoint(name: string, known: readonly string[]): CommandError {
  const guess = nearest(name, known);
  const hint = guess === undefined ? '' : `; did you mean "${guess}"?`;
  return new CommandError(`There is no endpoint "${name}"${hint}`, { exitCode: 2 });
}

/** What is to be run, beside what is wrong already. */
export interface Chosen extends Pick<Reading, 'files' | 'findings'> {
  readonly cases: readonly Case[];
}

/** Runs the examples one after another: they share the tables. */
export async function runCases(
  { files, cases, findings }: Chosen,
  staged: Staged,
  { options, deps }: { readonly options: TestOptions; readonly deps: TestDeps },
): Promise<Report> {
  const { engine, stage } = staged;
  const started = deps.now();
  const written: TextOf = new Map();
  const examples: CaseReport[] = [];
  const trial = await deps.openTrial({ engine, candidates: files.map(({ candidate }) => candidate) });
  try {
    for (const each of staged.findings.length > 0 ? [] : cases) {
      deps.terminal.progress(`${each.file.candidate.endpoint.name}: ${printable(each.example.name)}`);
      const from = deps.now();
      const { outcome, failures } = await runExample(each, { engine, stage, pathAt: trial.pathAt });
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
  return { examples, findings: all, ms: deps.now() - started, textOf: createTextOf(files) };
}

function caseReport(
  { file, index, example }: Case,
  failures: 'updated' | readonly Diagnostic[],
  ms: number,
): CaseReport {
  const isUpdated = failures === 'updated';
  const failed = !isUpdated && failures.length > 0 ? 'failed' : 'passed';
  return {
    endpoint: file.candidate.endpoint.name,
    example: example.name,
    file: shortPath(file.document.file),
    ...file.document.locate(['examples', index, 'name']),
    outcome: isUpdated ? 'updated' : failed,
    ms,
    failures: isUpdated ? [] : failures,
  };
}

/** Endpoint files as they were when they were tested, others as they are. */
function createTextOf(files: readonly InspectedFile[]): Report['textOf'] {
  const known = new Map<string, string | undefined>(
    files.map(({ document }) => [shortPath(document.file), document.text]),
  );
  return (file) => {
    if (!known.has(file)) known.set(file, readText(file));
    return known.get(file);
  };
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // the finding says why
  }
}
