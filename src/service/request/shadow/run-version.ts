// Runs a call of a version beside it, with the limits of the endpoint and of a shadow run.
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { EngineError, isAway, type Engine } from '../../engine/engine.ts';
import { cutLines } from '../../formats/lines.ts';
import { demandedRedactor, isRedacting } from '../../../guard/redact/demand.ts';
import { redactRows } from '../formats/redacted-rows.ts';
import { planQuery } from '../plan-query.ts';
import type { Catalog } from '../../endpoints/catalog.ts';
import type { After, Clock } from '../../../sql/base/clock.ts';
import type { Observe } from '../../../sql/base/observation.ts';
import type { Transformer } from '../transform/transformer.ts';
import type { ComparedResult } from './compare-results.ts';
import type { Plan } from '../plan.ts';
import type { PlanQueryDeps } from '../planned-query.ts';

/** Larger results are not compared. */
const MAX_BYTES = 4 * 2 ** 20;

interface VersionCall {
  readonly plan: ShadowedPlan;
  readonly endpoint: Endpoint;
  /** Milliseconds since 1970, the same for all versions. */
  readonly now: number;
}

/** The rows of one version as its callers get them, redacted. The endpoint's own limit of concurrency does not apply. Never rejects. */
export async function runVersion(
  deps: ShadowDeps,
  { plan: { admitted, parameters }, endpoint: version, now }: VersionCall,
  signal: AbortSignal,
): Promise<Run> {
  try {
    const { engine, describe, transformer } = deps;
    const { principal, content, call } = admitted;
    const redactor = demandedRedactor(version.redaction, { key: principal.redact, header: content.redact });
    const bindings = version.binder.bind(parameters, now, principal.locked);
    const endpoint = version.variantOf(bindings);
    const isRedacted = isRedacting(redactor);
    const query = await planQuery(deps, { endpoint, bindings, consumerQuery: undefined, isRedacted });
    const { warming: workload } = endpoint.reservation;
    const { chunks } = await engine.run(
      { ...query.statement, ...(workload === undefined ? {} : { workload }) },
      {
        format: formatOf(endpoint),
        signal,
        isPatient: true,
        lane: `shadow ${endpoint.id}`,
        comment: JSON.stringify({
          shadow: call.requestId,
          endpoint: endpoint.name,
          version: endpoint.version,
        }),
      },
    );
    const bytes = await readUpTo(chunks, MAX_BYTES);
    if (bytes === undefined) return 'dropped';
    const { lines } = cutLines(bytes, endpoint.maxRows);
    const silent = { observe: () => undefined, transformer };
    const redacted = await redactRows(silent, { endpoint, query, redactor }, lines, {
      signal,
      key: undefined,
    });
    return { lines: redacted, columns: await describe.result(endpoint) };
  } catch (error) {
    const isDropped = error instanceof EngineError && (isAway(error) || error.failure === 'aborted');
    return isDropped ? 'dropped' : 'failed';
  }
}

/** Rows as in responses, except that numbers that are not finite differ from NULL. */
function formatOf({ int64 }: Endpoint) {
  const quoted = int64 === 'string' ? '1' : '0';
  return {
    engine: 'JSONEachRow',
    settings: {
      output_format_json_escape_forward_slashes: '0',
      output_format_json_quote_64bit_integers: quoted,
      output_format_json_quote_decimals: quoted,
      output_format_json_quote_denormals: '1',
      output_format_json_validate_utf8: '1',
      max_threads: '1', // leaves the other cores to calls
    },
  };
}

/** All bytes; undefined if there are more than `max`. */
async function readUpTo(chunks: AsyncIterable<Uint8Array>, max: number): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > max) return undefined;
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}
/** A plan that ran, of a call of the saved query. */
export type ShadowedPlan = Pick<Plan, 'admitted' | 'parameters'>;

export interface ShadowDeps extends PlanQueryDeps {
  readonly catalog: () => Catalog;
  readonly engine: Engine;
  readonly transformer: Pick<Transformer, 'rows'>;
  /** The statements that the engine runs at once. */
  readonly connections: number;
  readonly observe: Observe;
  readonly clock: Clock;
  readonly after: After;
  /** From 0 to 1. */
  readonly random: () => number;
}

export type Run = ComparedResult | 'failed' | 'dropped';
