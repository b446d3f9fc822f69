// Metadata of an answer, if the call asks for it: columns, rows, statistics and cache state, beside the rows in JSON.
import { hash } from 'node:crypto';
import { etagInParts } from '../cache/entry.ts';
import { redactedType } from '../endpoints/column-rules.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { createLru, type Lru } from '../../sql/base/lru.ts';
import { Problem } from '../../sql/base/problem.ts';
import type { Column, Engine, Statement } from '../engine/engine.ts';
import { isRedacting } from '../../guard/redact/demand.ts';
import { describeAfterRun } from './consumer/analyses.ts';
import type { CallContent } from './call.ts';
import { runProblem, withoutValues } from './engine-problems.ts';
import type { Result } from './read.ts';
import { joined } from './transform/parts.ts';
import { alternativeOf } from './planned-query.ts';
import type { Admitted } from './admit.ts';
import type { Transformer } from './transform/transformer.ts';
import type { Plan } from './plan.ts';
import type { Requester } from './run-statement.ts';

const HINT = 'Only json has metadata: send format=json, or leave out meta';

/**
 * Whether the body gets metadata: as the field `meta` says, otherwise as the caller prefers; a parameter of that name is no such
 * field. Throws Problem `request.parameters_invalid` for another value of the field, and for formats that have no place for metadata.
 */
function wantsMetadata(
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

/** The metadata that a body gets. */
export interface MetadataOptions {
  /** Whether the caller may see how much was read: this counts rows of other tenants. */
  readonly isReadShown: boolean;
  /** The rows are sent without metadata if these are not known. */
  readonly isPreferred: boolean;
}

/** Undefined: the body has none. Throws Problem as `wantsMetadata` does. */
export function metadataOptions({
  content,
  endpoint,
  principal,
  consumerQuery,
}: Pick<Admitted, 'content' | 'endpoint' | 'principal' | 'consumerQuery'>): MetadataOptions | undefined {
  if (!wantsMetadata(content, endpoint)) return undefined;
  return {
    isReadShown: consumerQuery === undefined && principal.locked.size === 0,
    isPreferred: content.metadata === 'preferred',
  };
}

export interface MetadataDeps {
  readonly engine: Engine;
  readonly transformer: Pick<Transformer, 'pause'>;
  /** The columns of cached responses, so that these need no engine. */
  readonly knownColumns: Lru<readonly Column[]>;
}

/** Bytes, approximately. */
const MAX_REMEMBERED = 4 * 2 ** 20;
const CLOSE = '}';

export function createKnownColumns(): MetadataDeps['knownColumns'] {
  return createLru<readonly Column[]>({
    size: MAX_REMEMBERED,
    sizeOf: (columns, key) => JSON.stringify(columns).length + key.length,
  });
}

/** Adds `meta` to a result in JSON. The cached response stays without it. Throws Problem. */
export async function addMetadata(
  { engine, transformer: { pause }, knownColumns }: MetadataDeps,
  result: Result,
  options: MetadataOptions,
): Promise<Result> {
  const { plan, outcome } = result;
  const key = keyOf(plan, result);
  const isRepeated = outcome !== undefined && outcome.forwarded === undefined;
  const columns =
    (isRepeated ? knownColumns.get(key) : undefined) ??
    (await describe(engine, { ...plan, ...plan.requester }));
  if (outcome !== undefined) knownColumns.set(key, columns);
  const meta = JSON.stringify(metadataOf(result, columns, options));
  const rows = result.body.subarray(0, result.body.length - CLOSE.length);
  const body = await joined([rows, Buffer.from(`,"meta":${meta}${CLOSE}`)], pause);
  return { ...result, body, etag: await etagInParts(body, pause), replay: undefined };
}

/** Of a statement with its values, and the bytes of its result. */
function keyOf({ query: { statement } }: Plan, { etag }: Result): string {
  return hash('sha256', JSON.stringify([statement.sql, statement.parameters, etag]), 'base64url');
}

type DescribedPlan = Pick<Plan, 'query' | 'redactor' | 'signal'> & Pick<Requester, 'key' | 'spending'>;

/** The columns of the statement, or of the one that runs if it is rejected. Throws Problem. */
export async function describe(
  engine: Engine,
  { query, redactor, key, spending, signal }: DescribedPlan,
): Promise<readonly Column[]> {
  const columnsOf = (statement: Statement): Promise<readonly Column[]> =>
    describeAfterRun(engine, { ...statement, key }, spending);
  try {
    return await columnsOf(query.statement).catch((error: unknown) => {
      const again = alternativeOf(query, error);
      if (again === undefined) throw error;
      return columnsOf(again);
    });
  } catch (error) {
    throw withoutValues(runProblem(error, query, signal()), redactor);
  }
}

function metadataOf(result: Result, columns: readonly Column[], options: MetadataOptions): unknown {
  const { plan, rows, truncated, cost, outcome } = result;
  const isReadShown = options.isReadShown && !isRedacting(plan.redactor);
  return {
    columns: columnsSent(plan, columns),
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
function columnsSent({ endpoint, redactor }: Plan, columns: readonly Column[]): readonly Column[] {
  const plain = columns.map(({ name, type }) => ({ name, type }));
  if (!isRedacting(redactor)) return plain;
  return plain.flatMap(({ name, type }) => {
    const shown = redactedType(endpoint.redaction, name, type);
    if (shown === undefined) return [];
    return [{ name: redactor.redactText(name), type: redactor.redactText(shown) }];
  });
}
