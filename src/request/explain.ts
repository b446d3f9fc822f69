// Checks a consumer query without running it: reports its errors, or the SQL it is translated to.
import type { Keyring } from '../auth/keyring.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { Problem } from '../core/problem.ts';
import type { RateLimits } from '../rate-limits/rate-limits.ts';
import { authenticate, findEndpoint } from './authorize.ts';
import type { Call } from './call.ts';
import { readConsumerQuery } from './consumer-query.ts';
import { countCall } from './count-call.ts';
import type { MakePlan } from './plan.ts';
import type { Suspensions } from './suspensions.ts';

export interface ExplainOptions {
  readonly catalog: () => Catalog;
  readonly keyring: () => Keyring;
  readonly rateLimits: RateLimits;
  readonly suspensions: Suspensions;
  readonly plan: MakePlan;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Contains only what the caller sent: nothing of the saved query is disclosed. */
export interface Explanation {
  readonly sql: string;
}

export type Explain = (call: Call) => Promise<Explanation>;

const NO_BINDINGS = { values: {}, canonical: '' };

/**
 * Creates the explain function. It performs the same checks as a running call, except for parameters, which a consumer
 * query does not need to be parsed. Throws the same Problems, and `request.parameters_invalid` if no query was sent.
 */
export function createExplain(options: ExplainOptions): Explain {
  const { catalog, keyring, rateLimits, suspensions, plan, now } = options;
  return async ({ trace, key, endpoint: name, read }) => {
    const { principal } = await authenticate(keyring(), key, now());
    trace.principal = principal.name;
    const endpoint = findEndpoint(catalog(), principal, name);
    trace.endpoint = endpoint;
    await countCall(rateLimits, { principal, endpoint }, trace);
    const { fields } = await read();
    const own = suspensions.admit(readConsumerQuery(fields, endpoint, principal), { endpoint, principal });
    if (own === undefined) {
      const message = 'Send the query to explain as sql or lql';
      throw new Problem('request.parameters_invalid', { errors: [{ parameter: 'sql', message }] });
    }
    const { sourceSql } = await plan(endpoint, NO_BINDINGS, own);
    return { sql: sourceSql ?? own.text };
  };
}
