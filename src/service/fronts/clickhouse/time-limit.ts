// The signal of a query: of its client, of KILL QUERY, and of max_execution_time.
import type { After } from '../../../sql/base/clock.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { Request } from './request.ts';

export interface LimitedSignal {
  /** Always the same signal. */
  readonly signal: () => AbortSignal;
  readonly end: () => void;
}

/** Milliseconds that a timer can wait; the limits of endpoints are shorter. */
const LONGEST = 2 ** 31 - 1;

/** `killed` is aborted by KILL QUERY. */
export function timeLimited(
  after: After,
  { call, settings: { time } }: Request,
  killed: AbortSignal,
): LimitedSignal {
  const controller = new AbortController();
  const expire = (): void =>
    controller.abort(
      new Problem('engine.timeout', { detail: `The query exceeded max_execution_time: ${time} seconds` }),
    );
  const stop = time === undefined ? undefined : after(Math.min(time * 1000, LONGEST), expire);
  let signal: AbortSignal | undefined;
  return {
    signal: () => (signal ??= AbortSignal.any([call.signal(), killed, controller.signal])),
    end: () => stop?.(),
  };
}
