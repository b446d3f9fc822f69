// Runs examples, and reports them.
import { visible } from '../../../service/observe/visible-text.ts';
import { referenceOf } from '../../../service/endpoints/endpoint.ts';
import type { InspectedFile } from '../../../service/endpoints/compile.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { explainBroken } from '../../schema/broken.ts';
import { createTextOf } from '../../findings/source-text.ts';
import { shortPath, type FilesReading } from './endpoint-files.ts';
import { runExample } from './example-run.ts';
import type { Case } from './call-example.ts';
import type { CaseReport, Report } from './report.ts';
import { updateExample, type TextOf } from './update.ts';
import type { TestOptions, TestDeps, Staged } from './staged.ts';
import { runWatch, type WatchCase } from './watch-run.ts';

/** The examples to run, and the findings so far. */
export interface Chosen extends Pick<FilesReading, 'files' | 'findings'> {
  readonly cases: readonly Case[];
  readonly watches: readonly WatchCase[];
}

/** Runs the examples sequentially: they share the tables. */
export async function runCases(
  { files, cases, watches, findings }: Chosen,
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
    for (const each of staged.findings.length > 0 ? [] : watches) {
      if (options.bail && examples.at(-1)?.outcome === 'failed') break;
      const from = deps.now();
      const failures = await runWatch(each, { engine, stage, pathAt: trial.pathAt });
      examples.push(watchReport(each, failures.map((failure) => explainBroken(failure, staged.schema)), deps.now() - from)); // prettier-ignore
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

function watchReport(
  { file, watch, test, path }: WatchCase,
  failures: readonly Finding[],
  ms: number,
): CaseReport {
  return {
    endpoint: referenceOf(file.candidate.endpoint),
    example: `watch ${watch.name}: ${test.name}`,
    file: shortPath(file.document.file),
    ...file.document.locate([...path, 'name']),
    outcome: failures.length > 0 ? 'failed' : 'passed',
    ms,
    failures,
  };
}

/** As they were tested. */
function textsOf(files: readonly InspectedFile[]): readonly (readonly [string, string])[] {
  return files.map(({ document }) => [shortPath(document.file), document.text]);
}
