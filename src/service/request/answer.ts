// The request path: every stage of a call, from its key to the encoded answer.
//
//   receive  fronts/*   bytes    → Call      what is asked, in no protocol's terms
//   admit    admit.ts   Call     → Admitted  the key, the endpoint, rates and budgets, the rest of the call
//   bind     bind.ts    Admitted → Bound     typed values, the variant of the query, the page
//   plan     plan.ts    Bound    → Plan      the statement, what its result depends on, on whose behalf it runs
//   read     read.ts    Plan     → Result    from the cache, an in-flight query, or the engine (run.ts)
//   encode   encode.ts  Result   → Answer    metadata, validators, what caches may do
//   reply    fronts/*   Answer   → bytes
import { admit, type AdmissionKind, type AdmitDeps } from './admit.ts';
import { bind } from './bind.ts';
import type { Answer, Call } from './call.ts';
import { encode, type EncodeDeps } from './encode.ts';
import { plan, type Plan, type PlanDeps } from './plan.ts';
import { read, type ReadDeps } from './read.ts';

/** The state that calls share, opened once in a process. */
export type RequestPath = AdmitDeps & PlanDeps & ReadDeps & EncodeDeps;

/** Answers a call. Throws Problem for errors that the caller or the endpoint's author has to fix. */
export async function answer(path: RequestPath, call: Call): Promise<Answer> {
  return answerPlan(path, await prepare(path, call));
}

/** Everything before its result is read: the engine reads no rows. Throws Problem. */
export async function prepare(path: RequestPath, call: Call, kind?: AdmissionKind): Promise<Plan> {
  const admitted = await admit(path, call, kind);
  return plan(path, bind(path, admitted));
}

/** Answers a call that is prepared. Throws Problem. */
export async function answerPlan(path: RequestPath, planned: Plan): Promise<Answer> {
  return encode(path, await read(path, planned));
}
