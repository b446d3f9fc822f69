// One question that is followed, for all who ask it: when its answer is looked at again, and what it is.
import { createHistory, type History } from './history.ts';
import type { Question } from './question.ts';
import type { OpenStream } from './stream.ts';
import type { Plan } from '../../request/plan.ts';
import type { Watch } from '../../cache/watch.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import type { Clock } from '../../../sql/base/clock.ts';
import type { Observe } from '../../../sql/base/observation.ts';
import type { Result } from '../../request/read.ts';
import type { SharedFailures } from '../../request/reading/shared-failures.ts';
import type { Turns } from '../../request/limits/turns.ts';
import type { PlannedQuery } from '../../request/planned-query.ts';

/** Mutable: owned by the module `live.ts`. */
export interface Topic {
  readonly id: string;
  readonly question: Question;
  readonly history: History;
  /** In the order in which their keys pay for runs. */
  readonly streams: Set<OpenStream>;
  /** Called with the keys of streams that join. */
  readonly listeners: Set<(key: string) => void>;
  /** Monotonic milliseconds. */
  due: number;
  /** Since when it has no streams. */
  idleSince: number | undefined;
  checking: Checking | undefined;
  /** Consecutive failures. */
  failures: number;
  /** Aborts its runs. */
  abort: AbortController;
  /** Undefined: its data cannot be watched, or is not known yet. */
  fingerprint: string | undefined;
  /** This was asked last. */
  plan: Plan;
  /** What ran last. */
  ran: string | undefined;
}

/** A look at a topic. One for streams that have all left is of no use to those that came after them. */
interface Checking {
  readonly of: AbortController;
  readonly done: Promise<void>;
}

export function createTopic(question: Question): Topic {
  return {
    id: question.id,
    question,
    history: createHistory(question.policy.key),
    streams: new Set(),
    listeners: new Set(),
    due: Infinity,
    idleSince: undefined,
    checking: undefined,
    failures: 0,
    abort: new AbortController(),
    fingerprint: undefined,
    plan: question.plan,
    ran: undefined,
  };
}
export interface TopicDeps {
  readonly clock: Clock;
  readonly observe: Observe;
  /** It throws Problem. */
  readonly read: (plan: Plan) => Promise<Result>;
  /** It resolves to the plan of the same call at another time, in milliseconds since 1970. It throws Problem. */
  readonly planAt: (plan: Plan, time: number) => Promise<Plan>;
  /** It records what `read` throws. */
  readonly failures: SharedFailures;
  /** It resolves to the watch of the data that the answer is made of. */
  readonly watchOf: (endpoint: Endpoint, query: Pick<PlannedQuery, 'consumerQuery'>) => Watch;
  /** Checks look at fingerprints, and plan. */
  readonly checks: Turns;
  readonly runs: Turns;
  /** It is called if the question of the stream could not be repeated: the stream ends, or follows another topic. */
  readonly moved: (stream: OpenStream, found: Question | { readonly cause: unknown }) => void;
}
