// Estimates what the calls of examples read, on whatever tables the engine has.
import { referenceOf } from '../../../service/endpoints/endpoint.ts';
import { EngineError } from '../../../service/engine/engine.ts';
import { visible } from '../../../service/observe/visible-text.ts';
import { prepare, type RequestPath } from '../../../service/request/answer.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { estimate, type Estimate, type EstimateDeps } from '../../cost/estimate.ts';
import type { OpenTestRuntime } from '../../kit/dependencies.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { callOf, type Case } from '../test/call-example.ts';
import type { FilesReading } from '../test/endpoint-files.ts';
import type { CaseCost } from './report.ts';

export interface EstimatingDeps {
  readonly openTestRuntime: OpenTestRuntime;
  readonly terminal: Terminal;
}

export interface Estimating extends EstimateDeps {
  /** Calls of examples without a time run at this one, in milliseconds since 1970; undefined means now. */
  readonly now: number | undefined;
}

export interface ChosenCases extends Pick<FilesReading, 'files' | 'rollups'> {
  readonly cases: readonly Case[];
}

/** Resolves to one estimate for each case, in their order. Rejects with EngineError if the engine is lost. */
export async function estimateCases(
  { files, cases }: Pick<ChosenCases, 'files' | 'cases'>,
  estimating: Estimating,
  { openTestRuntime, terminal }: EstimatingDeps,
): Promise<readonly CaseCost[]> {
  const { engine, now } = estimating;
  const runtime = await openTestRuntime({ engine, candidates: files.map(({ candidate }) => candidate) });
  const costs: CaseCost[] = [];
  try {
    for (const each of cases) {
      const { example, file } = each;
      const endpoint = referenceOf(file.candidate.endpoint);
      terminal.progress(`${endpoint}: ${visible(example.name)}`);
      const path = runtime.pathAt(example.now === undefined ? now : Date.parse(example.now));
      costs.push({ endpoint, example: example.name, estimate: await estimateCase(each, path, estimating) });
    }
  } finally {
    terminal.progress('');
    await runtime.close();
  }
  return costs;
}

async function estimateCase(each: Case, path: RequestPath, deps: EstimateDeps): Promise<Estimate | string> {
  try {
    const { query } = await prepare(path, callOf(each));
    return await estimate(deps, query.routed?.statement ?? query.statement);
  } catch (error) {
    if (error instanceof Problem) return `${error.code}: ${error.message}`;
    if (error instanceof EngineError && error.failure !== 'lost') return error.message;
    throw error;
  }
}
