// What the engine will be asked, decided from the endpoint and the values bound to it.
import type { Endpoint } from '../catalog/endpoint.ts';
import { Problem } from '../core/problem.ts';
import type { Statement } from '../engine/engine.ts';
import type { Bindings } from '../params/binder.ts';
import type { ConsumerQuery } from './consumer-query.ts';

/** The statement of a call. Throws Problem for a query of the caller's own that may not run. */
export function plan(endpoint: Endpoint, bindings: Bindings, own: ConsumerQuery | undefined): Statement {
  if (own !== undefined) {
    throw new Problem('sandbox.disabled', { detail: 'Queries of your own are not taken by this version' });
  }
  return {
    sql: endpoint.statement,
    parameters: bindings.values,
    limits: endpoint.limits,
    origin: 'saved',
    int64: endpoint.int64,
  };
}
