// Looks at the data of now with a clock that moves through the past: when a watch would have fired.
import { randomUUID } from 'node:crypto';
import type { Principal } from '../../../service/auth/principal.ts';
import type { Keyring } from '../../../service/auth/keyring.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import type { RequestPath } from '../../../service/request/answer.ts';
import { advance, watchId, type WatchEvent } from '../../../service/watches/advance.ts';
import { look } from '../../../service/watches/look.ts';
import { newRecord } from '../../../service/watches/record.ts';
import { CommandError } from '../../kit/command-error.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { checkClock } from './check-clock.ts';
import { boundAt, timesOf, type BacktestOptions } from './looks.ts';
import { createSpans, type StateSpan } from './spans.ts';

export interface BacktestDeps {
  readonly engine: Engine;
  readonly pathAt: (now: number) => RequestPath;
  readonly terminal: Pick<Terminal, 'progress'>;
}

export interface Backtest extends Pick<BacktestOptions, 'endpoint' | 'watch' | 'from' | 'until'> {
  readonly looks: number;
  readonly messages: readonly WatchEvent[];
  readonly spans: readonly StateSpan[];
  /** Tables whose rows are not bounded by the clock. */
  readonly unbounded: readonly string[];
}

/** At most so many messages are kept, and so many spans. */
const MAX_KEPT = 20_000;
/** Looks that run together. */
const TOGETHER = 4;

/** Rejects with CommandError if the watch cannot be run at an earlier time. */
export async function backtest(options: BacktestOptions, deps: BacktestDeps): Promise<Backtest> {
  const { endpoint, watch, from, until } = options;
  const times = timesOf(options);
  const unbounded = await checkClock(endpoint, boundAt(options, times), deps.engine);
  const messages: WatchEvent[] = [];
  const spans = createSpans();
  let record = newRecord(watchId(endpoint.name, watch), from);
  for (let at = 0; at < times.length; at += TOGETHER) {
    if (options.signal.aborted) throw new CommandError('Stopped');
    const together = times.slice(at, at + TOGETHER);
    const found = await Promise.all(together.map((now) => lookAt(options, deps, now)));
    for (const [index, { now, evaluation }] of found.entries()) {
      if (evaluation.kind === 'failed' && at + index === 0) throw firstFailed(evaluation, now);
      const next = advance(record, { endpoint: endpoint.name, watch, evaluation, now });
      ({ record } = next);
      messages.push(...next.events);
      spans.add(record, now);
    }
    if (messages.length > MAX_KEPT || spans.count() > MAX_KEPT) throw tooMany(together[0] ?? from);
    deps.terminal.progress(`${at + together.length} of ${times.length} looks, ${messages.length} messages`);
  }
  deps.terminal.progress('');
  return { endpoint, watch, from, until, looks: times.length, messages, spans: spans.end(until), unbounded };
}

async function lookAt(
  { endpoint, watch, principal, signal }: BacktestOptions,
  deps: BacktestDeps,
  now: number,
) {
  const path = deps.pathAt(now);
  const keyring = principal === undefined ? path.keyring : () => keyringOf(principal);
  const own = { path, keyring, newId: randomUUID };
  const { evaluation } = await look(own, { endpoint, watch }, { before: undefined, signal });
  return { now, evaluation };
}

function keyringOf(principal: Principal): Keyring {
  return { authenticate: () => ({ kind: 'accepted', principal, expires: Infinity }) };
}

function firstFailed({ code, problem }: { readonly code: string; readonly problem: string }, now: number) {
  return new CommandError(`The look at ${new Date(now).toISOString()} failed: ${problem} (${code})`);
}

function tooMany(now: number): CommandError {
  return new CommandError(
    `More than ${MAX_KEPT} messages or changes until ${new Date(now).toISOString()}: use a shorter --since, or a condition that changes less`,
  );
}
