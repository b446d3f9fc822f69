// Runs the examples of files that an import has made, over the rows of the repository and of the export.
import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { referenceOf } from '../../../service/endpoints/endpoint.ts';
import type { InspectedFile } from '../../../service/endpoints/compile.ts';
import { leadsOutside } from '../../../service/config/leads-outside.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { localCall } from '../../../service/request/call.ts';
import type { LoadedSchema } from '../../schema/load-schema.ts';
import type { EngineSources } from '../../../sql/clickhouse/outside-sources.ts';
import type { NewFile } from '../check-written.ts';
import type { OpenTestRuntime } from '../../kit/dependencies.ts';
import { runExample, type Bench } from '../test/example-run.ts';
import { openStage } from '../../kit/stage.ts';

/** What a call of an endpoint answered. */
export interface ProofRun {
  /** All its examples together returned so many; undefined if no call could be made, since the values of its parameters are not known. */
  readonly rows: number | undefined;
  /** Examples that failed; `isRejected`: without an answer, and not only with other rows. */
  readonly failures: readonly { readonly finding: Finding; readonly isRejected: boolean }[];
}

export interface ProvingOptions {
  readonly engine: Engine;
  readonly scratch: string;
  readonly schema: Pick<LoadedSchema, 'broken'>;
  readonly engineSources: EngineSources;
  readonly openTestRuntime: OpenTestRuntime;
  /** The folder of the repository's fixtures, which need not exist. */
  readonly fixtures: string;
  readonly progress: (text: string) => void;
}

export interface Proof {
  /** By the name of the endpoint. */
  readonly runs: ReadonlyMap<string, ProofRun>;
  /** About rows that the tables do not take, by the path of their file. */
  readonly rejected: ReadonlyMap<string, Finding>;
}

/** `rows` are fixtures that the import adds. Rejects with EngineError if the engine is lost. */
export async function proveFiles(
  files: readonly InspectedFile[],
  rows: readonly NewFile[],
  options: ProvingOptions,
): Promise<Proof> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-rows-'));
  try {
    const present = options.fixtures;
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
    const { engine, openTestRuntime } = options;
    const runtime = await openTestRuntime({ engine, candidates: files.map(({ candidate }) => candidate) });
    const runs = new Map<string, ProofRun>();
    try {
      for (const [index, file] of files.entries()) {
        options.progress(`Running ${index + 1} of ${files.length}`);
        const bench = { engine, stage, pathAt: runtime.pathAt };
        runs.set(file.candidate.endpoint.name, await runFile(file, bench));
      }
    } finally {
      options.progress('');
      await runtime.close();
    }
    return { runs, rejected };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runFile(file: InspectedFile, bench: Bench): Promise<ProofRun> {
  const examples = file.analysis.file.examples ?? [];
  if (examples.length === 0) return { rows: await rowsOfSample(file, bench), failures: [] };
  const failures: { finding: Finding; isRejected: boolean }[] = [];
  let rows = 0;
  for (const [index, example] of examples.entries()) {
    const run = await runExample({ file, index, example }, bench);
    const isRejected = run.outcome?.kind !== 'answered';
    failures.push(...run.failures.map((finding) => ({ finding, isRejected })));
    if (run.outcome?.kind === 'answered') rows += run.outcome.rows.length;
  }
  return { rows, failures };
}

/** With values of the types of its parameters; undefined if those are none that the endpoint accepts. */
async function rowsOfSample({ candidate }: InspectedFile, { pathAt }: Bench): Promise<number | undefined> {
  const { endpoint } = candidate;
  const [sample = {}] = endpoint.samples();
  const fields = new Map(Object.entries(sample).map(([name, value]) => [name, [value]] as const));
  const call = localCall({ requestId: randomUUID(), endpoint: referenceOf(endpoint) }, fields);
  try {
    const { body } = await pathAt(undefined).answer(call);
    const { result } = JSON.parse(body.toString()) as { readonly result: readonly unknown[] }; // the service's own envelope
    return result.length;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}
