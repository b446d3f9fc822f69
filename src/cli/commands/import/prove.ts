// Runs the examples of files that an import has made, over the rows of the repository and of the export.
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { leadsOutside } from '../../../service/config/leads-outside.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import type { LoadedSchema } from '../../schema/load-schema.ts';
import type { EngineSources } from '../../../sql/clickhouse/outside-sources.ts';
import type { CheckedFile, NewFile } from '../check-written.ts';
import type { OpenTestRuntime } from '../../kit/dependencies.ts';
import { openStage, type Stage } from '../../kit/stage.ts';
import { proveFile, type ProofRun } from './prove-file.ts';

export interface ProvingOptions {
  readonly engine: Engine;
  readonly scratch: string;
  readonly schema: Pick<LoadedSchema, 'broken'>;
  readonly engineSources: EngineSources;
  readonly openTestRuntime: OpenTestRuntime;
  /** The folder of the repository's endpoint files, whose fixtures need not exist. */
  readonly endpoints: string;
  readonly progress: (text: string) => void;
}

export interface Proof {
  /** By the name of the endpoint. */
  readonly runs: ReadonlyMap<string, ProofRun>;
  /** About rows that the tables do not take, by the path of their file. */
  readonly rejected: ReadonlyMap<string, Finding>;
}

/** Runs the files without errors. */
export type RunFiles = (checked: readonly CheckedFile[]) => Promise<Proof>;

/** `rows` are fixtures that the import adds; all runs are over the same. Rejects with EngineError if the engine is lost. */
export async function withRows<Result>(
  rows: readonly NewFile[],
  options: ProvingOptions,
  use: (run: RunFiles) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-rows-'));
  try {
    const present = join(options.endpoints, 'fixtures');
    if (existsSync(present))
      await cp(present, folder, {
        recursive: true,
        filter: (path) => path === present || !leadsOutside(path),
      });
    for (const { path, text } of rows) await writeFile(join(folder, basename(path)), text);
    const { stage, findings } = await openStage({ ...options, fixtures: folder });
    const rejected = new Map<string, Finding>();
    for (const { path } of rows) {
      const found = findings.find(({ file }) => file === join(folder, basename(path)));
      if (found !== undefined) rejected.set(path, found);
    }
    return await use(async (checked) => ({ runs: await runAll(checked, stage, options), rejected }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runAll(
  checked: readonly CheckedFile[],
  stage: Stage,
  { engine, openTestRuntime, progress }: ProvingOptions,
): Promise<ReadonlyMap<string, ProofRun>> {
  const files = checked.flatMap(({ inspected, errors }) =>
    inspected === undefined || errors.length > 0 ? [] : [inspected],
  );
  const runtime = await openTestRuntime({ engine, candidates: files.map(({ candidate }) => candidate) });
  const runs = new Map<string, ProofRun>();
  try {
    for (const [index, file] of files.entries()) {
      progress(`Running ${index + 1} of ${files.length}`);
      const bench = { engine, stage, pathAt: runtime.pathAt };
      runs.set(file.candidate.endpoint.name, await proveFile(file, bench));
    }
  } finally {
    progress('');
    await runtime.close();
  }
  return runs;
}
