// The request path: authentication, rate limits, parsing, planning and execution of one call, in that order.
import type { Clock } from '../core/clock.ts';
import type { Keyring } from '../auth/keyring.ts';
import type { Principal } from '../auth/principal.ts';
import type { KeyUse } from '../auth/key-use.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { RateLimits } from '../rate-limits/rate-limits.ts';
import { demandedRedactor } from '../redact/demand.ts';
import { authenticate, findEndpoint } from './authorize.ts';
import type { Answer, Call, CallContent } from './call.ts';
import { parametersOf, readConsumerQuery } from './consumer-query.ts';
import { countCall } from './count-call.ts';
import { labelsOf, type Labels } from './labels.ts';
import type { MakePlan } from './plan.ts';
import type { Results, Task } from './result.ts';
import type { Suspensions } from './suspensions.ts';
import { requestedWorkload } from './workload.ts';

export interface AnswerOptions {
  readonly catalog: () => Catalog;
  readonly keyring: () => Keyring;
  readonly keyUse: Pick<KeyUse, 'note'>;
  readonly rateLimits: RateLimits;
  readonly suspensions: Suspensions;
  readonly plan: MakePlan;
  readonly results: Results;
  readonly clock: Clock;
}

/**
 * A call that is authorized and planned: the principal, and everything that determines the result. Durations are
 * milliseconds.
 */
export interface Prepared extends Task {
  readonly principal: Principal;
  readonly labels: Labels;
  readonly workload: string | undefined;
  readonly directives: CallContent['directives'];
  readonly timing: { readonly auth: number; readonly plan: number };
  /** Whether the same call would still be prepared identically: same catalog, same keys, key not expired. */
  readonly holds: () => boolean;
}

export interface RequestPath {
  /** Everything before execution: no rows are read. */
  readonly prepare: (call: Call) => Promise<Prepared>;
  readonly answer: (call: Call) => Promise<Answer>;
}

function createPrepare(options: AnswerOptions): RequestPath['prepare'] {
  const { catalog, keyring, keyUse, rateLimits, suspensions, plan, clock } = options;
  return async (call) => {
    const { trace } = call;
    const [snapshot, keys] = [catalog(), keyring()];
    const started = clock.monotonic();
    const { principal, expires } = await authenticate(keys, call.key, clock.epoch());
    trace.principal = principal.name;
    keyUse.note(principal.id);
    const endpoint = findEndpoint(snapshot, principal, call.endpoint);
    trace.endpoint = endpoint;
    const isLimited = await countCall(rateLimits, { principal, endpoint }, trace);
    const authorized = clock.monotonic();
    const { fields, format, directives, ...content } = await call.read();
    const received = clock.monotonic();
    const own = suspensions.admit(readConsumerQuery(fields, endpoint, principal), { endpoint, principal });
    const redactor = demandedRedactor(endpoint.redaction, { key: principal.redact, header: content.redact });
    const workload = requestedWorkload(endpoint, content.reservation);
    const bindings = endpoint.binder.bind(parametersOf(fields), principal.locked);
    const labels = labelsOf(endpoint, bindings.values, content.labels);
    trace.labels = labels;
    const planned = await plan(endpoint, bindings, own);
    const timing = { auth: authorized - started, plan: clock.monotonic() - received };
    // Consumer queries are rechecked every time: the sandbox may have been disabled since.
    const isRepeatable = own === undefined && !isLimited;
    const holds = (): boolean =>
      isRepeatable && catalog() === snapshot && keyring() === keys && clock.epoch() < expires;
    return {
      endpoint,
      principal,
      plan: planned,
      redactor,
      format,
      labels,
      workload,
      directives,
      timing,
      holds,
    };
  };
}

/** Creates the request path. Its functions throw Problem for every error caused by the caller. */
export function createRequestPath(options: AnswerOptions): RequestPath {
  const { keyUse, results } = options;
  const prepare = createPrepare(options);
  const answer = async (call: Call): Promise<Answer> => {
    const prepared = await prepare(call);
    const { endpoint, holds, timing, labels, workload, directives, principal } = prepared;
    const { requestId, trace } = call;
    const wanted = {
      requestId,
      directives,
      key: principal.id,
      trace: trace.context,
      labels,
      workload,
      get signal() {
        return call.signal;
      },
    };
    const { replay, ...result } = await results.fetch(prepared, wanted);
    return {
      ...result,
      endpoint,
      dialect: prepared.plan.dialect,
      timing: { ...timing, ...result.timing },
      replay: replay && (() => (holds() ? (keyUse.note(principal.id), replay()) : undefined)),
    };
  };
  return { prepare, answer };
}
