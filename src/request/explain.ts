// Checks a consumer query without running it: reports its errors, or the SQL it is translated to.
import { Problem } from '../core/problem.ts';
import type { Admission } from './admit.ts';
import type { Call } from './call.ts';
import type { MakePlan } from './plan.ts';

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
export function createExplain(admit: Admission['admit'], plan: MakePlan): Explain {
  return async (call) => {
    const { endpoint, consumerQuery } = await admit(call);
    if (consumerQuery === undefined) {
      const message = 'Send the query to explain as sql or lql';
      throw new Problem('request.parameters_invalid', { errors: [{ parameter: 'sql', message }] });
    }
    const planned = await plan(endpoint, NO_BINDINGS, consumerQuery);
    return { sql: planned.consumerQuery?.sql ?? consumerQuery.text };
  };
}
