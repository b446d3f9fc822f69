// Metadata of an answer, if the call asks for it: columns, rows, statistics and cache state, beside the rows in JSON.
import { hash } from 'node:crypto';
import { etagInParts } from '../cache/entry.ts';
import { redactedType } from '../endpoints/column-rules.ts';
import { createLru, type Lru } from '../../sql/base/lru.ts';
import type { Column, Engine } from '../engine/engine.ts';
import { isRedacting } from '../../guard/redact/demand.ts';
import type { Result } from './read.ts';
import { joined } from './transform/parts.ts';
import type { Transformer } from './transform/transformer.ts';
import type { Plan } from './plan.ts';
import type { MetadataOptions } from './metadata-options.ts';
import { describeResult } from './describe-result.ts';

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
    (await describeResult(engine, { ...plan, ...plan.requester }));
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

function metadataOf(result: Result, columns: readonly Column[], options: MetadataOptions): unknown {
  const { plan, rows, truncated, cost, outcome, dataAge } = result;
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
    ...(dataAge === undefined ? {} : { data: { age: dataAge.seconds ?? null, stale: dataAge.isStale } }),
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
