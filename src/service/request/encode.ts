// The last stage of a call: its result becomes an answer, with metadata if the call asks for it.
import type { Principal } from '../auth/principal.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { SharedCaching, Answer } from './call.ts';
import type { ConsumerQuery } from './consumer/consumer-query.ts';
import type { Clock } from '../../sql/base/clock.ts';
import { addMetadata, type MetadataDeps } from './metadata.ts';
import type { Plan } from './plan.ts';
import type { Result } from './read.ts';
import { dataAgeOf, freshUntil, rejectStale, replayWithAge } from './reading/data-age.ts';
import { replayWhileValid, whileValid } from './reading/validity.ts';
import type { Verification } from './rollups/verify.ts';
import type { Shadow } from './shadow/shadow.ts';

export interface EncodeDeps extends MetadataDeps {
  readonly clock: Clock;
  /** Compares versions after calls; undefined: not here. */
  readonly shadow?: Shadow | undefined;
  /** It repeats calls of rollups over the rows; if it is undefined, they are not repeated. */
  readonly verification?: Verification | undefined;
}

/** Throws Problem if the metadata that the call needs are not known. */
export async function encode(deps: EncodeDeps, found: Result): Promise<Answer> {
  const { plan } = found;
  const { admitted, metadata, bindings } = plan;
  const now = deps.clock.epoch();
  const dataAge = dataAgeOf(plan, found.newest, now);
  rejectStale(plan, dataAge);
  const until = Math.min(bindings.until, freshUntil(plan, dataAge));
  const outcome = found.outcome && whileValid(found.outcome, { until }, now);
  const result = { dataAge, ...found, outcome };
  const described = metadata && (await withMetadata(deps, result, metadata));
  const { body, etag, replay, timing } = described ?? (metadata ? { ...result, replay: undefined } : result);
  if (result.rollup !== undefined) deps.verification?.offer(plan);
  if (timing.engine > 0 && plan.endpoint.version !== undefined) deps.shadow?.offer(plan);
  return {
    endpoint: plan.endpoint,
    successor: admitted.successor,
    contentType: result.contentType,
    body,
    rows: result.rows,
    truncated: result.truncated,
    next: result.next,
    dialect: plan.query.consumerQuery?.dialect,
    preferences: [
      ...(admitted.content.resultShape && plan.shape ? [`result-shape=${plan.shape}`] : []),
      ...(plan.nonFinite ? [`non-finite=${plan.nonFinite}`] : []),
    ],
    isMetadataPreferred: described && metadata?.isPreferred,
    etag,
    outcome,
    shared: metadata === undefined ? sharedCaching(admitted.endpoint, admitted) : undefined,
    timing: { auth: admitted.authMs, plan: plan.planMs, ...timing },
    read: result.read,
    rollup: result.rollup,
    dataAge,
    summary: { resultRows: result.rows, elapsedNs: Math.round(timing.engine * 1e6) },
    replay: replay && replayFor(deps, plan, replay),
    admitAgain: admitted.admitAgain,
  };
}

/** Undefined: the metadata are not known, and the rows are worth more. */
function withMetadata(
  deps: EncodeDeps,
  result: Result,
  metadata: NonNullable<Plan['metadata']>,
): Promise<Result | undefined> {
  return addMetadata(deps, result, metadata).catch((cause: unknown) => {
    if (metadata.isPreferred) return undefined;
    throw cause;
  });
}

/** Repeats the answer for its key while nothing that the call depends on has changed. */
function replayFor(
  deps: EncodeDeps,
  plan: Plan,
  replay: NonNullable<Answer['replay']>,
): NonNullable<Answer['replay']> {
  const { admitted, bindings } = plan;
  const again = replayWithAge(deps, plan, () => (admitted.isStillAdmitted() ? replay() : undefined));
  return replayWhileValid(deps, bindings, again);
}

/** Undefined: only the client may store the answer. Caches that ignore `Vary` would serve it to other keys. */
function sharedCaching(
  { cache, tenant, redaction }: Pick<Endpoint, 'cache' | 'tenant' | 'redaction'>,
  {
    principal: { locked, redact, resultShape },
    consumerQuery,
  }: {
    readonly principal: Pick<Principal, 'locked' | 'redact' | 'resultShape'>;
    readonly consumerQuery: ConsumerQuery | undefined;
  },
): SharedCaching | undefined {
  if (cache === undefined || !cache.isPublic || tenant !== undefined) return undefined;
  const isOfKey = locked.size > 0 || resultShape !== undefined || (redact && !redaction.always);
  return isOfKey || consumerQuery !== undefined ? undefined : cache;
}
