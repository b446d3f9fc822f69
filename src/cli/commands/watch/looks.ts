// When a backtest looks, and with which parameters.
import type { Principal } from '../../../service/auth/principal.ts';
import { durationText } from '../../../service/config/duration.ts';
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import type { WatchPolicy } from '../../../service/endpoints/watches.ts';
import type { Bindings } from '../../../service/params/binder.ts';
import { dueAfter } from '../../../service/request/limits/due.ts';
import { watchId } from '../../../service/watches/advance.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { CommandError } from '../../kit/command-error.ts';
import { problemError } from '../query/problem-error.ts';

export interface BacktestOptions {
  readonly endpoint: Endpoint;
  readonly watch: WatchPolicy;
  /** Looks from this time until that one, both inclusive; milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
  /** The key that the watch runs as; undefined: full access. */
  readonly principal: Principal | undefined;
  readonly signal: AbortSignal;
}

const MAX_LOOKS = 20_000;

/** The moments at which the service looks at this watch. */
export function timesOf({ endpoint, watch, from, until }: BacktestOptions): readonly number[] {
  const { every } = watch;
  const due = from + dueAfter(from, { everyMs: every, of: watchId(endpoint.name, watch) });
  const first = Math.floor(due / 1000) * 1000; // `now()` has whole seconds
  const count = Math.floor((until - first) / every) + 1;
  if (count > MAX_LOOKS)
    throw misuse(
      `${count} looks, every ${durationText(every)}, are more than ${MAX_LOOKS}: use a shorter --since, up to ${durationText(Math.floor((MAX_LOOKS * every) / 60_000) * 60_000)}`,
    );
  if (count < 1) throw misuse(`There is no look in this time: the watch looks every ${durationText(every)}`);
  return Array.from({ length: count }, (_, index) => first + index * every);
}

/** The values of the call at the first look, the last one and one between them. Throws CommandError. */
export function boundAt(
  { endpoint, watch, principal }: BacktestOptions,
  times: readonly number[],
): readonly Bindings[] {
  const sent = new Map(Object.entries(watch.parameters).map(([name, value]) => [name, [value]] as const));
  const some = [times[0], times[Math.floor(times.length / 2)], times.at(-1)];
  try {
    return some.flatMap((now) =>
      now === undefined ? [] : endpoint.binder.bind(sent, now, principal?.locked),
    );
  } catch (error) {
    throw error instanceof Problem ? problemError(error) : error;
  }
}

function misuse(message: string): CommandError {
  return new CommandError(message, { exitCode: 2 });
}
