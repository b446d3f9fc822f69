// Metadata of an answer, if the call asks for it: columns, rows, statistics and cache state, beside the rows in JSON.
import { hash } from 'node:crypto';
import { etagInParts } from '../cache/entry.ts';
import { redactedType } from '../endpoints/column-rules.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { createLru } from '../../sql/base/lru.ts';
import { Problem } from '../../sql/base/problem.ts';
import type { Column, Engine, Statement } from '../engine/engine.ts';
import { isRedacting } from '../../guard/redact/demand.ts';
import { describeAfterRun } from './analyses.ts';
import type { CallContent } from './call.ts';
import { runProblem, withoutValues } from './engine-problems.ts';
import { alternativeOf } from './plan.ts';
import type { Result, Task } from './result.ts';
import type { Spending } from './spending.ts';
import { joined } from './transform/parts.ts';
import type { Pause } from './transform/pause.ts';

const HINT = 'Only json has metadata: send format=json, or leave out meta';

/**
 * Whether the body gets metadata: as the field `meta` says, otherwise as the caller prefers; a parameter of that name is no such
 * field. Throws Problem `request.parameters_invalid` for another value of the field, and for formats that have no place for metadata.
 */
export function wantsMetadata(
  { fields, format, metadata }: Pick<CallContent, 'fields' | 'format' | 'metadata'>,
  endpoint: Pick<Endpoint, 'parameters'>,
): boolean {
  const preferred = metadata === 'preferred' && format === 'json';
  if (metadata === undefined || endpoint.parameters['meta'] !== undefined) return preferred;
  const values = (fields.get('meta') ?? []).filter((value) => value !== '' && value !== null);
  if (values.length === 0) return preferred;
  const [value] = values;
  const isTrue = value === true || value === 'true';
  if (values.length > 1 || !(isTrue || value === false || value === 'false'))
    throw invalid('Expected true or false');
  if (isTrue && format !== 'json') throw invalid(HINT);
  return isTrue;
}

function invalid(message: string): Problem {
  return new Problem('request.parameters_invalid', { errors: [{ parameter: 'meta', message }] });
}

export interface MetadataTask extends Task {
  /** Whether the caller may see how much was read: this counts rows of other tenants. */
  readonly isReadShown: boolean;
  /** The id of the caller's key. */
  readonly key: string;
  readonly spending: Pick<Spending, 'beside'> | undefined;
  readonly signal: () => AbortSignal;
}

/** Adds `meta` to a result in JSON. The cached response stays without it. Throws Problem. */
export type AddMetadata = (task: MetadataTask, result: Result) => Promise<Result>;

/** Bytes, approximately. */
const MAX_REMEMBERED = 4 * 2 ** 20;
const CLOSE = '}';

/** Creates the function that adds metadata. It remembers the columns of cached responses, so that these need no engine. */
export function createAddMetadata(engine: Engine, pause: Pause): AddMetadata {
  const remembered = createLru<readonly Column[]>({
    size: MAX_REMEMBERED,
    sizeOf: (columns, key) => JSON.stringify(columns).length + key.length,
  });
  return async (task, result) => {
    const key = keyOf(task, result);
    const isRepeated = result.outcome !== undefined && result.outcome.forwarded === undefined;
    const columns = (isRepeated ? remembered.get(key) : undefined) ?? (await describe(engine, task));
    if (result.outcome !== undefined) remembered.set(key, columns);
    const meta = JSON.stringify(metadataOf(task, result, columns));
    const rows = result.body.subarray(0, result.body.length - CLOSE.length);
    const body = await joined([rows, Buffer.from(`,"meta":${meta}${CLOSE}`)], pause);
    return { ...result, body, etag: await etagInParts(body, pause), replay: undefined };
  };
}

/** Of a statement with its values, and the bytes of its result. */
function keyOf({ plan: { statement } }: Task, { etag }: Result): string {
  return hash('sha256', JSON.stringify([statement.sql, statement.parameters, etag]), 'base64url');
}

interface DescribedTask extends Pick<MetadataTask, 'plan' | 'redactor' | 'spending' | 'signal'> {
  readonly key: string | undefined;
}

/** The columns of the statement, or of the one that runs if it is rejected. Throws Problem. */
export async function describe(
  engine: Engine,
  { plan, redactor, key, spending, signal }: DescribedTask,
): Promise<readonly Column[]> {
  const columnsOf = (statement: Statement): Promise<readonly Column[]> =>
    describeAfterRun(engine, { ...statement, key }, spending);
  try {
    return await columnsOf(plan.statement).catch((error: unknown) => {
      const again = alternativeOf(plan, error);
      if (again === undefined) throw error;
      return columnsOf(again);
    });
  } catch (error) {
    throw withoutValues(runProblem(error, plan, signal()), redactor);
  }
}

function metadataOf(task: MetadataTask, result: Result, columns: readonly Column[]): unknown {
  const { rows, truncated, cost, outcome } = result;
  const isReadShown = task.isReadShown && !isRedacting(task.redactor);
  return {
    columns: columnsSent(task, columns),
    rows,
    truncated,
    statistics: {
      ...(isReadShown ? { rows_read: cost?.rowsRead ?? null, bytes_read: cost?.bytesRead ?? null } : {}),
      elapsed: cost === undefined ? null : Math.round(cost.engineMs * 1000) / 1e6,
    },
    cache: outcome === undefined ? null : { status: outcome.kind, age: outcome.age, ttl: outcome.ttl },
  };
}

/** The columns after redaction: without dropped ones, and masked or hashed ones are text. */
function columnsSent({ endpoint, redactor }: Task, columns: readonly Column[]): readonly Column[] {
  const plain = columns.map(({ name, type }) => ({ name, type }));
  if (!isRedacting(redactor)) return plain;
  return plain.flatMap(({ name, type }) => {
    const shown = redactedType(endpoint.redaction, name, type);
    if (shown === undefined) return [];
    return [{ name: redactor.redactText(name), type: redactor.redactText(shown) }];
  });
}
