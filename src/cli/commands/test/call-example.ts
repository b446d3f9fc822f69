// Makes the call of an example, and reads what it returns.
import { referenceOf } from '../../../service/endpoints/endpoint.ts';
import { randomUUID } from 'node:crypto';
import type { InspectedFile } from '../../../service/endpoints/compile.ts';
import type { Example } from '../../../service/config/generated/endpoint.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { engineSentence } from '../../../service/engine/engine-sentence.ts';
import { type RequestPath, answer, prepare } from '../../../service/request/answer.ts';
import { localCall, type Call } from '../../../service/request/call.ts';
import type { Outcome } from './compare.ts';

/** One example and its position in its file. */
export interface Case {
  readonly file: InspectedFile;
  readonly index: number;
  readonly example: Example;
}

export async function callAndRead(path: RequestPath, engine: Engine, each: Case): Promise<Outcome> {
  const call = callOf(each);
  const { expect = {} } = each.example;
  const wantsColumns = expect.columns !== undefined || Object.keys(expect).length === 0;
  try {
    const { body } = await answer(path, call);
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
  const { query } = await prepare(path, call);
  return (await engine.describe(query.statement)).map(({ name }) => name);
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

/** Returns the call that an example describes. */
export function callOf({ file, example }: Case): Call {
  const { parameters = {}, sql, lql } = example;
  const own = Object.entries({ sql, lql }).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, [text]] as const],
  );
  const sent = Object.entries(parameters).map(([name, value]) => [name, [value]] as const);
  const name = referenceOf(file.candidate.endpoint);
  return localCall({ requestId: randomUUID(), endpoint: name }, new Map([...sent, ...own]));
}
