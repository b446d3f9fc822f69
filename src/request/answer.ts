// The way of a request, whole: each line takes one step down the hill.
import type { Accepted, Keyring, Principal } from '../auth/keyring.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Endpoint } from '../catalog/endpoint.ts';
import { nearest } from '../core/nearest.ts';
import { Problem } from '../core/problem.ts';
import { demandedRedactor } from '../redact/demand.ts';
import type { Answer, Call } from './call.ts';
import { parametersOf, readConsumerQuery } from './consumer-query.ts';
import type { MakePlan } from './plan.ts';
import type { Results, Task } from './result.ts';

export interface AnswerOptions {
  readonly catalog: () => Catalog;
  readonly keyring: () => Keyring;
  readonly plan: MakePlan;
  readonly results: Results;
  readonly clock: Clock;
}

export interface Clock {
  /** Milliseconds since 1970. */
  readonly epoch: () => number;
  /** Milliseconds from an arbitrary start, never going back. */
  readonly monotonic: () => number;
}

/** A call that may run: who asks, and all that decides its result. Durations are milliseconds. */
export interface Prepared extends Task {
  readonly principal: Principal;
  readonly timing: { readonly auth: number; readonly plan: number };
  /** Whether the same call would be prepared in just this way now. */
  readonly holds: () => boolean;
}

export interface RequestPath {
  /** Everything before the engine is asked for rows. */
  readonly prepare: (call: Call) => Promise<Prepared>;
  readonly answer: (call: Call) => Promise<Answer>;
}

/** Compiles the request path. Its functions throw Problem, and nothing else that is the caller's doing. */
export function createRequestPath({ catalog, keyring, plan, results, clock }: AnswerOptions): RequestPath {
  const prepare = async (call: Call): Promise<Prepared> => {
    const [snapshot, keys] = [catalog(), keyring()];
    const started = clock.monotonic();
    const { principal, expires } = authenticate(keys, call.key, clock.epoch());
    const endpoint = findEndpoint(snapshot, principal, call.endpoint);
    Object.assign(call.trace, { principal: principal.name, endpoint });
    const own = readConsumerQuery(call.fields, endpoint, principal);
    const redactor = demandedRedactor(endpoint.redaction, { key: principal.redact, header: call.redact });
    const authorized = clock.monotonic();
    const bindings = endpoint.binder.bind(parametersOf(call.fields), principal.locked);
    const planned = await plan(endpoint, bindings, own);
    const timing = { auth: authorized - started, plan: clock.monotonic() - authorized };
    // A query of the caller's own is checked anew each time: the walls around it may have fallen meanwhile.
    const holds = (): boolean =>
      own === undefined && catalog() === snapshot && keyring() === keys && clock.epoch() < expires;
    return { endpoint, principal, plan: planned, redactor, timing, holds };
  };
  const answer = async (call: Call): Promise<Answer> => {
    const prepared = await prepare(call);
    const { again, ...result } = await results.fetch(prepared, call);
    const { endpoint, holds, timing } = prepared;
    return {
      ...result,
      endpoint,
      timing: { ...timing, ...result.timing },
      again: again && (() => (holds() ? again() : undefined)),
    };
  };
  return { prepare, answer };
}

/** Whose key it is, and how long it holds. Throws `auth.missing` or `auth.invalid`. */
export function authenticate(keyring: Keyring, key: string | undefined, now: number): Accepted {
  if (key === undefined || key === '') throw new Problem('auth.missing');
  const result = keyring.authenticate(key, now);
  if (result.kind === 'accepted') return result;
  throw new Problem('auth.invalid', result.reason === 'expired' ? { detail: 'The key has expired' } : {});
}

/** The endpoint of a name or UUID. Throws `route.endpoint_unknown` or `auth.forbidden`. */
function findEndpoint(catalog: Catalog, principal: Principal, nameOrId: string): Endpoint {
  const endpoint = catalog.find(nameOrId);
  if (endpoint === undefined) {
    throw new Problem('route.endpoint_unknown', { detail: unknownEndpoint(catalog, principal, nameOrId) });
  }
  if (principal.covers(endpoint.name)) return endpoint;
  throw new Problem('auth.forbidden', {
    detail: `The key "${principal.name}" does not cover ${endpoint.name}`,
  });
}

function unknownEndpoint(catalog: Catalog, principal: Principal, nameOrId: string): string {
  const names = catalog.endpoints.map((endpoint) => endpoint.name).filter(principal.covers);
  const guess = nearest(nameOrId, names);
  const shown = nameOrId.slice(0, 100);
  return `There is no endpoint "${shown}"${guess === undefined ? '' : `; did you mean "${guess}"?`}`;
}
