// Checks a consumer query without running it: reports its errors, or the SQL it is translated to.
import type { Keyring } from '../auth/keyring.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Dialect, Endpoint } from '../catalog/endpoint.ts';
import { Problem } from '../core/problem.ts';
import type { RateLimits } from '../rate-limits/rate-limits.ts';
import { authenticate, findEndpoint } from './authorize.ts';
import type { Call } from './call.ts';
import { readConsumerQuery } from './consumer-query.ts';
import { countCheck } from './count-call.ts';
import type { MakePlan, Plan } from './plan.ts';
import type { Sandboxes } from './sandboxes.ts';
import type { Suspensions } from './suspensions.ts';

export interface ExplainOptions {
  readonly catalog: () => Catalog;
  readonly keyring: () => Keyring;
  readonly rateLimits: RateLimits;
  readonly suspensions: Suspensions;
  readonly plan: MakePlan;
  readonly sandboxes: Pick<Sandboxes, 'rejection'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Contains only what the caller sent: nothing of the saved query is disclosed. */
export interface Explanation {
  readonly sql: string;
  /** The dialect that SQL was parsed as; absent for LQL. */
  readonly dialect?: Dialect;
}

export type Explain = (call: Call) => Promise<Explanation>;

/** Seconds that the engine may take to analyse a query. */
const ANALYSIS_SECONDS = 5;

/**
 * Creates the explain function. It performs the same checks as a running call and has the engine analyse the query, with
 * sample values for the parameters. Throws the same Problems, and `request.parameters_invalid` if no query was sent.
 */
export function createExplain(options: ExplainOptions): Explain {
  const { catalog, keyring, rateLimits, suspensions, now } = options;
  return async ({ trace, key, endpoint: name, read }) => {
    const { principal } = await authenticate(keyring(), key, now());
    trace.principal = principal.name;
    const endpoint = findEndpoint(catalog(), principal, name);
    trace.endpoint = endpoint;
    await countCheck(rateLimits, { principal, endpoint }, trace);
    const { fields } = await read();
    const own = suspensions.admit(readConsumerQuery(fields, endpoint, principal), { endpoint, principal });
    if (own === undefined) {
      const message = 'Send the query to explain as sql or lql';
      throw new Problem('request.parameters_invalid', { errors: [{ parameter: 'sql', message }] });
    }
    const bindings = { values: endpoint.sampleValues, canonical: '' };
    const planned = await options.plan(endpoint, bindings, own);
    await analyse(endpoint, planned, options.sandboxes);
    const { sourceSql, dialect } = planned;
    return { sql: sourceSql ?? own.text, ...(dialect === undefined ? {} : { dialect }) };
  };
}

/** Has the engine resolve names and types. Throws the Problem that running the query would end in. */
async function analyse(
  endpoint: Endpoint,
  { statement, blame }: Plan,
  sandboxes: ExplainOptions['sandboxes'],
): Promise<void> {
  const limits = { ...statement.limits, time: Math.min(statement.limits.time, ANALYSIS_SECONDS) };
  const failure = await sandboxes.rejection(endpoint, { ...statement, limits });
  const problem = failure && blame(failure);
  if (problem !== undefined) throw problem;
}
