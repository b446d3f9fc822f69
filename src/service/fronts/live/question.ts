// A call whose answer is followed: what it asks, and whether its key may still ask it.
import { cacheKey } from '../../cache/key.ts';
import type { LivePolicy } from '../../endpoints/endpoint.ts';
import { referenceOf } from '../../endpoints/endpoint.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { Requester } from '../../request/run-statement.ts';
import type { Plan } from '../../request/plan.ts';
import type { Call } from '../../request/call.ts';

/** An authorized and planned live call. */
export interface Question {
  /** Equal for calls that have the same answer at any time, whatever their keys. */
  readonly id: string;
  readonly policy: LivePolicy;
  readonly plan: Plan;
  /** It is true if the text of the query may have another meaning at another time, besides its parameters. */
  readonly readsTime: boolean;
  /** Runs are counted against the budgets of its key. */
  readonly requester: Requester & { readonly key: string };
  /** The name of its key. */
  readonly principal: string;
  /** Returns whether nothing that its admission depends on has changed since. */
  readonly isCurrent: () => boolean;
  /** Admits and plans the call again, without counting it as a call. Throws Problem. */
  readonly again: () => Promise<Question>;
  /** The state that the caller has already. */
  readonly lastEventId: string | undefined;
}

/** A planned call asks this. `again` admits and plans the call again, without counting it as a call. */
export function questionOf(
  plan: Plan,
  lastEventId: string | undefined,
  again: (call: Call) => Promise<Plan>,
): Question {
  const { admitted, requester } = plan;
  const { call, content, consumerQuery, principal, isCurrent } = admitted;
  const policy = admitted.endpoint.live ?? { every: 1, key: undefined };
  return {
    id: topicOf(plan, policy),
    policy,
    plan,
    readsTime: consumerQuery?.language === 'lql',
    requester,
    principal: principal.name,
    isCurrent,
    again: async () => {
      const found = await again({ ...call, read: async () => content, record: {} });
      if (found.follows === undefined) throw new Problem('live.unavailable');
      return questionOf(found, found.follows.lastEventId, again);
    },
    lastEventId,
  };
}

/** Equal for all who ask the same. */
function topicOf(plan: Plan, policy: LivePolicy): string {
  const { admitted, endpoint, query, bindings, redactor, shape, nonFinite, page } = plan;
  const { consumerQuery, content } = admitted;
  const text = consumerQuery?.language === 'sql' ? query.consumerQuery?.canonicalSql : consumerQuery?.text;
  const asked = [consumerQuery?.language ?? null, consumerQuery?.dialect ?? null, text ?? null];
  const parts = [
    bindings.source,
    ...asked,
    redactor.profile,
    shape ?? null,
    nonFinite ?? null,
    page?.size ?? null,
    content.isOverRows === true,
  ];
  return cacheKey({ ...endpoint, name: referenceOf(endpoint) }, [...parts, JSON.stringify(policy)]);
}
