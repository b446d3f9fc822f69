// SingleFlight in one process: which callers share a run, who receives its failure, and when it is cancelled.
import { describe, expect, test } from 'vitest';
import {
  createSingleFlight,
  type Flight,
  type SingleFlight,
  type FlightResult,
} from '../../../src/service/cache/single-flight.ts';
import { deferred } from './fixture.ts';

/** A run that a test ends as it likes. */
interface Run {
  readonly by: string;
  readonly flight: Flight;
  readonly settle: (result: string) => void;
  readonly crash: (cause: unknown) => void;
}

interface Traveller {
  readonly flight: Promise<FlightResult<string>>;
  readonly leave: () => void;
}

interface Airport {
  readonly flights: SingleFlight<string>;
  readonly runs: Run[];
  readonly join: (by: string, accepts?: (result: string) => boolean) => Traveller;
  /** Lets everything happen that is ready to. */
  readonly settle: () => Promise<void>;
}

function setUp(): Airport {
  const flights = createSingleFlight<string>();
  const runs: Run[] = [];
  return {
    flights,
    runs,
    join: (by, accepts = () => true) => {
      const controller = new AbortController();
      const run = (flight: Flight): Promise<string> => {
        const { promise, resolve, reject } = deferred<string>();
        runs.push({ by, flight, settle: resolve, crash: reject });
        return promise;
      };
      const flight = flights.join('key', { run, accepts, signal: controller.signal, caller: by });
      flight.catch(() => {}); // looked at later
      return { flight, leave: () => controller.abort(new Error(`${by} left`)) };
    },
    settle: () => new Promise((resolve) => void setImmediate(resolve)),
  };
}

describe('a single-flight run', () => {
  test('is shared by all concurrent callers', async () => {
    const { join, runs } = setUp();
    const all = Array.from({ length: 200 }, (_, i) => join(`caller ${i}`));
    runs[0]?.settle('answer');
    const results = await Promise.all(all.map(({ flight }) => flight));
    expect(runs).toHaveLength(1);
    expect(results.filter(({ led }) => led)).toHaveLength(1);
    expect(new Set(results.map(({ result }) => result))).toEqual(new Set(['answer']));
  });

  test('knows those who wait for it, and those who join', async () => {
    const { join, runs } = setUp();
    const first = join('first');
    join('second');
    const known: string[] = [];
    const unfollow = runs[0]?.flight.callers.follow((caller) => void known.push(caller));
    expect(known).toEqual(['first', 'second']);
    join('third');
    unfollow?.();
    join('fourth');
    expect(known).toEqual(['first', 'second', 'third']);
    runs[0]?.settle('answer');
    await first.flight;
  });

  test('ends with its result: a later caller starts a new run', async () => {
    const { join, runs, flights } = setUp();
    const first = join('first');
    runs[0]?.settle('one');
    await first.flight;
    expect(flights.isInFlight('key')).toBe(false);
    const second = join('second');
    runs[1]?.settle('two');
    expect(await second.flight).toEqual({ result: 'two', led: true });
  });

  test('that fails, fails the callers present at its start; the next of the others leads', async () => {
    const { join, runs, settle } = setUp();
    const leader = join('leader');
    const others = [join('second'), join('third')];
    runs[0]?.crash(new Error('engine'));
    await expect(leader.flight).rejects.toThrow('engine');
    await settle();
    expect(runs.map(({ by }) => by)).toEqual(['leader', 'second']);
    runs[1]?.settle('answer');
    expect(await Promise.all(others.map(({ flight }) => flight))).toEqual([
      { result: 'answer', led: true },
      { result: 'answer', led: false },
    ]);
  });

  test('costs at most two runs, however many callers wait for a persistent failure', async () => {
    const { join, runs, settle } = setUp();
    const all = Array.from({ length: 50 }, (_, i) => join(`caller ${i}`));
    runs[0]?.crash(new Error('one'));
    await settle();
    runs[1]?.crash(new Error('two'));
    const outcomes = await Promise.allSettled(all.map(({ flight }) => flight));
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect(runs).toHaveLength(2);
  });

  test('continues without its leader', async () => {
    const { join, runs } = setUp();
    const leader = join('leader');
    const other = join('other');
    leader.leave();
    await expect(leader.flight).rejects.toThrow('leader left');
    expect(runs[0]?.flight.signal.aborted).toBe(false);
    runs[0]?.settle('answer');
    expect(await other.flight).toEqual({ result: 'answer', led: false });
    expect(runs).toHaveLength(1);
  });

  test('is cancelled with its last caller, and no caller can join it afterwards', async () => {
    const { join, runs } = setUp();
    const [leader, other] = [join('leader'), join('other')];
    leader.leave();
    other.leave();
    expect(runs[0]?.flight.signal.aborted).toBe(true);
    expect(runs[0]?.flight.isCurrent()).toBe(false);
    const late = join('late');
    runs[0]?.crash(new Error('aborted'));
    runs[1]?.settle('answer');
    expect(await late.flight).toEqual({ result: 'answer', led: true });
  });

  test('does not accept an aborted caller', async () => {
    const { flights, runs } = setUp();
    const signal = AbortSignal.abort(new Error('gone before'));
    const run = (): Promise<string> => Promise.resolve('never');
    await expect(flights.join('key', { run, accepts: () => true, signal })).rejects.toThrow('gone before');
    expect(runs).toEqual([]);
    expect(flights.isInFlight('key')).toBe(false);
  });

  test('whose result is too old for some callers is followed by one run for all of them', async () => {
    const { join, runs, settle } = setUp();
    const content = join('content');
    const strict = [1, 2, 3].map((i) => join(`strict ${i}`, (result) => result === 'new'));
    runs[0]?.settle('old');
    expect(await content.flight).toEqual({ result: 'old', led: true });
    await settle();
    runs[1]?.settle('new');
    const results = await Promise.all(strict.map(({ flight }) => flight));
    expect(results.map(({ led }) => led)).toEqual([true, false, false]);
    expect(runs).toHaveLength(2);
  });

  test('always satisfies its leader, which would otherwise loop forever', async () => {
    const { join, runs } = setUp();
    const leader = join('leader', () => false);
    runs[0]?.settle('whatever');
    expect(await leader.flight).toEqual({ result: 'whatever', led: true });
  });

  test('of a purged key still answers its callers, but accepts no more', async () => {
    const { join, runs, flights } = setUp();
    const before = join('before');
    flights.forget('ke');
    expect(runs[0]?.flight.isCurrent()).toBe(false);
    const after = join('after');
    expect(runs).toHaveLength(2);
    runs[0]?.settle('old');
    runs[1]?.settle('new');
    expect((await before.flight).result).toBe('old');
    expect((await after.flight).result).toBe('new');
  });

  test('does not affect other keys', async () => {
    const { flights } = setUp();
    const subscriber = (result: string) => ({
      run: () => Promise.resolve(result),
      accepts: () => true,
      signal: undefined,
    });
    const results = ['a', 'b'].map((key) => flights.join(key, subscriber(key)));
    expect((await Promise.all(results)).map(({ result }) => result)).toEqual(['a', 'b']);
  });
});
