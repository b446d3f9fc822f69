// The way of a request, whole: each line takes one step down the hill.
import type { Keyring, Principal } from '../auth/keyring.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Endpoint } from '../catalog/endpoint.ts';
import { nearest } from '../core/nearest.ts';
import { Problem } from '../core/problem.ts';
import type { Engine } from '../engine/engine.ts';
import { encodeJson } from '../format/json.ts';
import type { Answer, Call } from './call.ts';
import { parametersOf, readConsumerQuery } from './consumer-query.ts';
import { plan } from './plan.ts';
import { runStatement } from './run.ts';

export interface AnswerOptions {
  readonly catalog: () => Catalog;
  readonly keyring: () => Keyring;
  readonly engine: Engine;
  readonly clock: Clock;
}

export interface Clock {
  /** Milliseconds since 1970. */
  readonly epoch: () => number;
  /** Milliseconds from an arbitrary start, never going back. */
  readonly monotonic: () => number;
}

/** Compiles the request path. The function it returns throws Problem, and nothing else that is the caller's doing. */
export function createAnswer({
  catalog,
  keyring,
  engine,
  clock,
}: AnswerOptions): (call: Call) => Promise<Answer> {
  return async (call) => {
    const snapshot = catalog();
    const started = clock.monotonic();
    const principal = authenticate(keyring(), call.key, clock.epoch());
    const endpoint = findEndpoint(snapshot, principal, call.endpoint);
    const consumerQuery = readConsumerQuery(call.fields, endpoint, principal);
    const authorized = clock.monotonic();
    const bindings = endpoint.binder.bind(parametersOf(call.fields), principal.locked);
    const statement = plan(endpoint, bindings, consumerQuery);
    const planned = clock.monotonic();
    const lines = await runStatement(engine, statement, call);
    const ran = clock.monotonic();
    const encoded = encodeJson(lines, endpoint.maxRows);
    return {
      ...encoded,
      endpoint,
      principal: principal.name,
      contentType: 'application/json; charset=utf-8',
      timing: {
        auth: authorized - started,
        plan: planned - authorized,
        engine: ran - planned,
        encode: clock.monotonic() - ran,
      },
    };
  };
}

/** The principal of a key. Throws `auth.missing` or `auth.invalid`. */
export function authenticate(keyring: Keyring, key: string | undefined, now: number): Principal {
  if (key === undefined || key === '') throw new Problem('auth.missing');
  const result = keyring.authenticate(key, now);
  if (result.kind === 'accepted') return result.principal;
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
