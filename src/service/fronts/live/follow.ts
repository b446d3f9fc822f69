// Follows the plan of a call: the same read, repeated whenever its data has changed.
import { Problem } from '../../../sql/base/problem.ts';
import { answerPlan, prepare, type RequestPath } from '../../request/answer.ts';
import type { Answer, Call } from '../../request/call.ts';
import type { Plan } from '../../request/plan.ts';
import type { Live } from './live.ts';
import { questionOf } from './question.ts';
import type { LiveStream } from './stream.ts';

/** A live call. */
export interface Followed extends Pick<Answer, 'endpoint' | 'successor' | 'dialect'> {
  /** Opens the stream once its first result is known. Throws Problem. */
  readonly open: () => Promise<LiveStream>;
}

export interface FollowDeps {
  readonly path: RequestPath;
  /** Undefined: no live calls. */
  readonly live: Live | undefined;
}

/** An answer, or a stream if the call asks for one. Throws Problem. */
export async function respond({ path, live }: FollowDeps, call: Call): Promise<Answer | Followed> {
  const planned = await prepare(path, call);
  if (planned.follows === undefined) return answerPlan(path, planned);
  if (live === undefined) throw new Problem('live.unavailable');
  return follow({ path, live }, planned, planned.follows.lastEventId);
}

function follow(
  { path, live }: { readonly path: RequestPath; readonly live: Live },
  plan: Plan,
  lastEventId: string | undefined,
): Followed {
  const question = questionOf(plan, lastEventId, (again) => prepare(path, again, 'again'));
  return {
    endpoint: plan.endpoint,
    successor: plan.admitted.successor,
    dialect: plan.query.consumerQuery?.dialect,
    open: () => live.open(question, plan.signal()),
  };
}
