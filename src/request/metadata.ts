// Metadata of an answer, if the call asks for it by `meta=true`: columns, rows, statistics and cache state.
import type { Endpoint } from '../catalog/endpoint.ts';
import { Problem } from '../core/problem.ts';
import type { Engine } from '../engine/engine.ts';
import { etagOf } from '../cache/entry.ts';
import type { RawValue } from '../params/reading.ts';
import { redactedType } from '../catalog/column-rules.ts';
import { isRedacting } from '../redact/demand.ts';
import { runProblem } from './engine-problems.ts';
import type { Result, Task } from './result.ts';

/** Whether the call asks for metadata. Throws Problem `request.parameters_invalid` for other values, and for formats that have no place for it. */
export function wantsMetadata(
  fields: ReadonlyMap<string, readonly RawValue[]>,
  { parameters }: Pick<Endpoint, 'parameters'>,
  format: Task['format'],
): boolean {
  if (parameters['meta'] !== undefined) return false;
  const values = (fields.get('meta') ?? []).filter((value) => value !== '' && value !== null);
  const [value] = values;
  if (value === undefined) return false;
  const text = values.length === 1 && typeof value !== 'object' ? String(value) : '';
  if (text !== 'true' && text !== 'false') throw invalid('Expected true or false');
  if (text === 'true' && format !== 'json')
    throw invalid('Only json has metadata: send format=json, or leave out meta');
  return text === 'true';
}

function invalid(message: string): Problem {
  return new Problem('request.parameters_invalid', { errors: [{ parameter: 'meta', message }] });
}

export interface MetadataTask extends Task {
  /** Rows and bytes read count rows of other tenants, which consumer queries and keys with locked parameters must not learn of. */
  readonly isReadShown: boolean;
}

const CLOSE = '}';

/** The same result with `meta` at the end of its JSON object. The cached response stays without it. Throws Problem. */
export async function answerMetadata(engine: Engine, task: MetadataTask, result: Result): Promise<Result> {
  const { plan, redactor, endpoint } = task;
  const columns = await engine.describe(plan.statement).catch((cause: unknown) => {
    throw runProblem(cause, plan, new AbortController().signal);
  });
  const shown = columns.map(({ name, type }) => ({
    name,
    type: isRedacting(redactor) ? redactedType(endpoint.redaction, name, type) : type,
  }));
  const { rows, truncated, read, timing, outcome } = result;
  const meta = {
    columns: shown,
    rows,
    truncated,
    statistics: {
      ...(task.isReadShown ? { rows_read: read?.rows ?? 0, bytes_read: read?.bytes ?? 0 } : {}),
      elapsed: Math.round(timing.engine * 1000) / 1e6,
    },
    cache: outcome === undefined ? null : { status: outcome.kind, age: outcome.age, ttl: outcome.ttl },
  };
  const own = result.body.subarray(0, result.body.length - CLOSE.length);
  const body = Buffer.concat([own, Buffer.from(`,"meta":${JSON.stringify(meta)}${CLOSE}`)]);
  return { ...result, body, etag: etagOf(body), replay: undefined };
}
