// Runs one example: loads its rows, makes its call at its time, and compares the result.
import { referenceOf } from '../../../service/endpoints/endpoint.ts';
import { randomUUID } from 'node:crypto';
import { toDiagnostic, type InspectedFile } from '../../../service/endpoints/compile.ts';
import type { Example, Fixtures } from '../../../service/config/generated/endpoint.ts';
import type { Path } from '../../../service/config/yaml-document.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { engineSentence } from '../../../service/engine/engine-sentence.ts';
import type { RequestPath } from '../../../service/request/answer.ts';
import { localCall, type Call } from '../../../service/request/call.ts';
import { compare, type Mismatch, type Outcome } from './compare.ts';
import { shortPath } from './endpoint-files.ts';
import type { Rows } from '../../kit/rows.ts';
import type { Stage } from '../../kit/stage.ts';

/** One example and its position in its file. */
export interface Case {
  readonly file: InspectedFile;
  readonly index: number;
  readonly example: Example;
}

export interface Bench {
  readonly engine: Engine;
  readonly stage: Stage;
  /**
   * The request path with the clock frozen at a time (milliseconds since 1970), or with the real clock if undefined.
   */
  readonly pathAt: (now: number | undefined) => RequestPath;
}

export interface ExampleRun {
  /** Undefined if the call could not be made. */
  readonly outcome: Outcome | undefined;
  /** Empty: it passed. */
  readonly failures: readonly Finding[];
}

/** Columns are determined if they are expected, and if nothing is, since --update then writes them. */
export async function runExample(each: Case, bench: Bench): Promise<ExampleRun> {
  const { example } = each;
  const now = example.now === undefined ? undefined : Date.parse(example.now);
  if (now !== undefined && !isTellable(now)) return unmade([outOfRange(each)]);
  const findings = await bench.stage.set(rowsOf(each));
  if (findings.length > 0) return unmade(findings);
  const outcome = await callAndRead(bench.pathAt(now), bench.engine, each);
  const failures = compare(example.expect ?? {}, outcome).map((mismatch) => failureOf(each, mismatch));
  return { outcome, failures };
}

function unmade(failures: readonly Finding[]): ExampleRun {
  return { outcome: undefined, failures };
}

/** The range of the type DateTime. */
function isTellable(now: number): boolean {
  return now >= 0 && now < 2 ** 32 * 1000;
}

function outOfRange({ file, index }: Case): Finding {
  const message = 'now must be a time from 1970 to 2105';
  return toDiagnostic(file.document, { code: 'test.now', path: ['examples', index, 'now'], message });
}

/** An example's own rows for a table replace those of its file. */
function rowsOf({ file, index, example }: Case): readonly Rows[] {
  const own = rowsAt(file, example.fixtures, ['examples', index, 'fixtures']);
  const named = new Set(own.map(({ table }) => table));
  const shared = rowsAt(file, file.analysis.file.fixtures, ['fixtures']);
  return [...own, ...shared.filter(({ table }) => !named.has(table))];
}

function rowsAt({ document }: InspectedFile, fixtures: Fixtures = {}, path: Path): readonly Rows[] {
  return Object.entries(fixtures).map(([table, rows]) => ({
    table,
    format: 'JSONEachRow',
    text: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
    file: shortPath(document.file),
    locate: (row) =>
      row === 0 ? document.locateKey([...path, table]) : document.locate([...path, table, row - 1]),
  }));
}

async function callAndRead(path: RequestPath, engine: Engine, each: Case): Promise<Outcome> {
  const call = callOf(each);
  const { expect = {} } = each.example;
  const wantsColumns = expect.columns !== undefined || Object.keys(expect).length === 0;
  try {
    const { body } = await path.answer(call);
    const { result, truncated = false } = JSON.parse(body.toString()) as Envelope;
    const columns = wantsColumns ? await columnsOf(path, engine, call) : undefined;
    // Redaction may have dropped columns from the rows.
    const [first] = result;
    const kept = first === undefined ? columns : columns?.filter((name) => name in first);
    return { kind: 'answered', rows: result, truncated, columns: kept };
  } catch (error) {
    if (error instanceof Problem) return rejection(error);
    throw error;
  }
}

/** The service's own envelope. */
interface Envelope {
  readonly result: readonly Readonly<Record<string, unknown>>[];
  readonly truncated?: boolean;
}

async function columnsOf(path: RequestPath, engine: Engine, call: Call): Promise<readonly string[]> {
  const { plan } = await path.prepare(call);
  return (await engine.describe(plan.statement)).map(({ name }) => name);
}

/** Authors see what callers do not: the engine's message for a failed query. */
function rejection({ status, code, message, errors, cause }: Problem): Outcome {
  const details = errors.filter((each) => !message.includes(each.message));
  const why =
    status >= 500 && cause instanceof Error
      ? [engineSentence(cause.message)]
      : details.map((each) => `${each.parameter ?? `line ${each.line ?? 1}`} ${each.message}`);
  return { kind: 'rejected', status, code, message: [message, ...why].join('; ') };
}

function callOf({ file, example }: Case): Call {
  const { parameters = {}, sql, lql } = example;
  const own = Object.entries({ sql, lql }).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, [text]] as const],
  );
  const sent = Object.entries(parameters).map(([name, value]) => [name, [value]] as const);
  const name = referenceOf(file.candidate.endpoint);
  return localCall({ requestId: randomUUID(), endpoint: name }, new Map([...sent, ...own]));
}

/** At the expectation it concerns, otherwise at the example's name. */
function failureOf({ file, index }: Case, { path, message }: Mismatch): Finding {
  const at = path.length === 0 ? ['examples', index, 'name'] : ['examples', index, 'expect', ...path];
  const code = `test.${String(path[0] ?? 'status')}`;
  const found = toDiagnostic(file.document, { code, path: at, message });
  return { ...found, file: shortPath(found.file) };
}
