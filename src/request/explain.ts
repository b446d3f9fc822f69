// A caller's own query looked at without being run: what is wrong with it, and the SQL that it stands for.
import type { Keyring } from '../auth/keyring.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { Problem } from '../core/problem.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
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

/** What the caller's own text says: nothing of the saved query is in it. */
export interface Explanation {
  readonly sql: string;
}

export type Explain = (call: Call) => Promise<Explanation>;

const NO_BINDINGS = { values: {}, canonical: '' };

/**
 * The function that explains calls. It checks like a call that runs, but for parameters, which an own query does not need
 * in order to be read. Throws the same Problems, and `request.parameters_invalid` when no query came.
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
      const message = 'send the query to explain as sql or lql';
      throw new Problem('request.parameters_invalid', { errors: [{ parameter: 'sql', message }] });
    }
    const { written } = await plan(endpoint, NO_BINDINGS, own);
    return { sql: written ?? own.text };
  };
}
