// Runs the examples of one file that an import has made.
import { randomUUID } from 'node:crypto';
import { referenceOf } from '../../../service/endpoints/endpoint.ts';
import type { InspectedFile } from '../../../service/endpoints/compile.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { EngineError } from '../../../service/engine/engine.ts';
import { engineSentence } from '../../../service/engine/engine-sentence.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { answer } from '../../../service/request/answer.ts';
import { localCall } from '../../../service/request/call.ts';
import { runExample, type Bench } from '../test/example-run.ts';

/** What a call of an endpoint answered. */
export interface ProofRun {
  /** All its examples together returned so many; undefined if no call could be made, since the values of its parameters are not known. */
  readonly rows: number | undefined;
  /** Why the last call that could not be made was rejected. */
  readonly reason?: string;
  /** Examples that failed; `isRejected`: without an answer, and not only with other rows. */
  readonly failures: readonly { readonly finding: Finding; readonly isRejected: boolean }[];
}

export async function proveFile(file: InspectedFile, bench: Bench): Promise<ProofRun> {
  const examples = file.analysis.file.examples ?? [];
  if (examples.length === 0) {
    const { rows, reason } = await rowsOfSample(file, bench);
    return { rows, failures: [], ...(reason === undefined ? {} : { reason }) };
  }
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

/** Samples that are tried: a text is often a number or a date to the query. */
const MAX_SAMPLES = 8;

interface SampleRun extends Pick<ProofRun, 'rows' | 'reason'> {
  /** The engine rejected the last call, and not its values. */
  readonly isOfEngine?: boolean;
}

/** With values of the types of all its parameters, and then of those that every call has. */
async function rowsOfSample(file: InspectedFile, bench: Bench): Promise<SampleRun> {
  const { parameters, samples } = file.candidate.endpoint;
  const all = samples().slice(0, MAX_SAMPLES);
  const run = await firstRun(file, all, bench);
  const isOptional = Object.values(parameters).some(({ required }) => required !== true);
  if (run.rows === undefined || !isOptional) return run;
  const needed = all.map((sample) =>
    Object.fromEntries(Object.entries(sample).filter(([name]) => parameters[name]?.required === true)),
  );
  const least = await firstRun(file, needed, bench);
  return least.isOfEngine === true ? least : run;
}

/** The first that the endpoint accepts, otherwise the last one. */
async function firstRun(
  file: InspectedFile,
  samples: readonly Readonly<Record<string, string>>[],
  bench: Bench,
): Promise<SampleRun> {
  let last: SampleRun = { rows: undefined };
  for (const sample of samples) {
    last = await rowsOf(file, sample, bench);
    if (last.rows !== undefined) break;
  }
  return last;
}

async function rowsOf(
  { candidate }: InspectedFile,
  sample: Readonly<Record<string, string>>,
  { pathAt }: Bench,
): Promise<SampleRun> {
  const fields = new Map(Object.entries(sample).map(([name, value]) => [name, [sentText(value)]] as const));
  const call = localCall({ requestId: randomUUID(), endpoint: referenceOf(candidate.endpoint) }, fields);
  try {
    const { body } = await answer(pathAt(undefined), call);
    const { result } = JSON.parse(body.toString()) as { readonly result: readonly unknown[] }; // the service's own envelope
    return { rows: result.length };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { message, cause } = error;
    const isOfEngine = cause instanceof EngineError;
    return { rows: undefined, reason: isOfEngine ? engineSentence(cause.message) : message, isOfEngine };
  }
}

/** Samples are texts of the engine, whose lists have single quotes; callers send JSON. */
function sentText(value: string): string {
  return /^\[[^"\\]*\]$/.test(value) ? value.replaceAll("'", '"') : value;
}
