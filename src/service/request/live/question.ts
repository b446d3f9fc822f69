// A call whose answer is followed: what it asks, and whether its key may still ask it.
import { cacheKey } from '../../cache/key.ts';
import type { Endpoint, LivePolicy } from '../../endpoints/endpoint.ts';
import { referenceOf } from '../../endpoints/endpoint.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { Bindings } from '../../params/binder.ts';
import type { CallContent, LiveRequest } from '../call.ts';
import type { ConsumerQuery } from '../consumer-query.ts';
import type { Requester } from '../run.ts';
import type { Task } from '../result.ts';

/** An authorized and planned live call. */
export interface Question {
  /** Equal for calls that have the same answer at any time, whatever their keys. */
  readonly id: string;
  readonly policy: LivePolicy;
  readonly task: Task;
  /** Whether the text of the query may have another meaning at another time, besides its parameters. */
  readonly readsTime: boolean;
  /** Runs are counted against the budgets of its key. */
  readonly requester: Requester & { readonly key: string };
  /** The name of its key. */
  readonly principal: string;
  /** Whether nothing that its admission depends on has changed since. */
  readonly isCurrent: () => boolean;
  /** Admits and plans the call again, without counting it as a call. Throws Problem. */
  readonly again: () => Promise<Question>;
  /** The state that the caller has already. */
  readonly lastEventId: string | undefined;
}

/** How a call asks to be followed; undefined: it does not. Throws Problem if the endpoint has no live calls, and for what they do not have. */
export function readLive(
  { live, fields }: Pick<CallContent, 'live' | 'fields'>,
  endpoint: Pick<Endpoint, 'name' | 'live' | 'parameters'>,
): LiveRequest | undefined {
  if (live === undefined) return undefined;
  if (endpoint.live === undefined) {
    if (live.isOptional) return undefined;
    if (live.by === 'accept')
      throw new Problem('format.not_acceptable', {
        detail: `${endpoint.name} has no live calls`,
        hint: 'Send another Accept header. Live calls need live: { every: 2 } in the file of the endpoint.',
      });
    if (endpoint.parameters['live'] !== undefined) return undefined;
    throw new Problem('live.unavailable', { detail: `${endpoint.name} has no live calls` });
  }
  for (const name of ['cursor', 'meta'])
    if (fields.has(name) && endpoint.parameters[name] === undefined) {
      const message = 'Live calls do not have it';
      throw new Problem('request.parameters_invalid', { errors: [{ parameter: name, message }] });
    }
  return live;
}

interface Asked {
  readonly task: Task;
  readonly bindings: Bindings;
  readonly consumerQuery: ConsumerQuery | undefined;
  readonly policy: LivePolicy | undefined;
}

/** What all who ask the same have in common. */
export function questionOf(
  { lastEventId }: LiveRequest,
  { task, bindings, consumerQuery, policy = { every: 1, key: undefined } }: Asked,
): Pick<Question, 'id' | 'policy' | 'task' | 'readsTime' | 'lastEventId'> {
  const { endpoint, plan, redactor, shape, page } = task;
  const text = consumerQuery?.language === 'sql' ? plan.consumerQuery?.canonicalSql : consumerQuery?.text;
  const asked = [consumerQuery?.language ?? null, consumerQuery?.dialect ?? null, text ?? null];
  const parts = [bindings.source, ...asked, redactor.profile, shape ?? null, page?.size ?? null];
  return {
    id: cacheKey({ ...endpoint, name: referenceOf(endpoint) }, [...parts, JSON.stringify(policy)]),
    policy,
    task,
    readsTime: consumerQuery?.language === 'lql',
    lastEventId,
  };
}
