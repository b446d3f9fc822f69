// SingleFlight in one process: which callers share a run, who receives its failure, and when it is cancelled.
import { describe, expect, test } from 'vitest';
import {
  createSingleFlight,
  type Flight,
  type SingleFlight,
  type Landing,
} from '../../src/cache/single-flight.ts';
import { deferred } from './fixture.ts';

/** A run that a test ends as it likes. */
interface Run {
  readonly by: string;
  readonly flight: Flight;
  readonly land: (result: string) => void;
  readonly crash: (cause: unknown) => void;
}

interface Traveller {
  readonly landing: Promise<Landing<string>>;
  readonly leave: () => void;
}

interface Airport {
  readonly flights: SingleFlight<string>;
  readonly runs: Run[];
  readonly join: (by: string, accepts?: (result: string) => boolean) => Traveller;
  /** Lets everything happen that is ready to. */
  readonly settle: () => Promise<void>;
}

function openAirport(): Airport {
  const flights = createSingleFlight<string>();
  const runs: Run[] = [];
  return {
    flights,
    runs,
    join: (by, accepts = () => true) => {
      const controller = new AbortController();
      const run = (flight: Flight): Promise<string> => {
        const { promise, resolve, reject } = deferred<string>();
        runs.push({ by, flight, land: resolve, crash: reject });
        return promise;
      };
      const landing = flights.join('key', { run, accepts, signal: controller.signal });
      landing.catch(() => {}); // looked at later
      return { landing, leave: () => controller.abort(new Error(`${by} left`)) };
    },
    settle: () => new Promise((resolve) => void setImmediate(resolve)),
  };
}

describe('a single-flight run', () => {
  test('is shared by all concurrent callers', async () => {
    const { join, runs } = openAirport();
    const all = Array.from({ length: 200 }, (_, i) => join(`caller ${i}`));
    runs[0]?.land('answer');
    const landings = await Promise.all(all.map(({ landing }) => landing));
    expect(runs).toHaveLength(1);
    expect(landings.filter(({ led }) => led)).toHaveLength(1);
    expect(new Set(landings.map(({ result }) => result))).toEqual(new Set(['answer']));
  });

  test('ends with its result: a later caller starts a new run', async () => {
    const { join, runs, flights } = openAirport();
    const first = join('first');
    runs[0]?.land('one');
    await first.landing;
    expect(flights.isInAir('key')).toBe(false);
    const second = join('second');
    runs[1]?.land('two');
    expect(await second.landing).toEqual({ result: 'two', led: true });
  });

  test('that fails, fails the callers present at its start; the next of the others leads', async () => {
    const { join, runs, settle } = openAirport();
    const leader = join('leader');
    const others = [join('second'), join('third')];
    runs[0]?.crash(new Error('engine'));
    await expect(leader.landing).rejects.toThrow('engine');
    await settle();
    expect(runs.map(({ by }) => by)).toEqual(['leader', 'second']);
    runs[1]?.land('answer');
    expect(await Promise.all(others.map(({ landing }) => landing))).toEqual([
      { result: 'answer', led: true },
      { result: 'answer', led: false },
    ]);
  });

  test('costs at most two runs, however many callers wait for a persistent failure', async () => {
    const { join, runs, settle } = openAirport();
    const all = Array.from({ length: 50 }, (_, i) => join(`caller ${i}`));
    runs[0]?.crash(new Error('one'));
    await settle();
    runs[1]?.crash(new Error('two'));
    const outcomes = await Promise.allSettled(all.map(({ landing }) => landing));
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect(runs).toHaveLength(2);
  });

  test('continues without its leader', async () => {
    const { join, runs } = openAirport();
    const leader = join('leader');
    const other = join('other');
    leader.leave();
    await expect(leader.landing).rejects.toThrow('leader left');
    expect(runs[0]?.flight.signal.aborted).toBe(false);
    runs[0]?.land('answer');
    expect(await other.landing).toEqual({ result: 'answer', led: false });
    expect(runs).toHaveLength(1);
  });

  test('is cancelled with its last caller, and no caller can join it afterwards', async () => {
    const { join, runs } = openAirport();
    const [leader, other] = [join('leader'), join('other')];
    leader.leave();
    other.leave();
    expect(runs[0]?.flight.signal.aborted).toBe(true);
    expect(runs[0]?.flight.isCurrent()).toBe(false);
    const late = join('late');
    runs[0]?.crash(new Error('aborted'));
    runs[1]?.land('answer');
    expect(await late.landing).toEqual({ result: 'answer', led: true });
  });

  test('does not accept an aborted caller', async () => {
    const { flights, runs } = openAirport();
    const signal = AbortSignal.abort(new Error('gone before'));
    const run = (): Promise<string> => Promise.resolve('never');
    await expect(flights.join('key', { run, accepts: () => true, signal })).rejects.toThrow('gone before');
    expect(runs).toEqual([]);
    expect(flights.isInAir('key')).toBe(false);
  });

  test('whose result is too old for some callers is followed by one run for all of them', async () => {
    const { join, runs, settle } = openAirport();
    const content = join('content');
    const choosy = [1, 2, 3].map((i) => join(`choosy ${i}`, (result) => result === 'new'));
    runs[0]?.land('old');
    expect(await content.landing).toEqual({ result: 'old', led: true });
    await settle();
    runs[1]?.land('new');
    const landings = await Promise.all(choosy.map(({ landing }) => landing));
    expect(landings.map(({ led }) => led)).toEqual([true, false, false]);
    expect(runs).toHaveLength(2);
  });

  test('always satisfies its leader, which would otherwise loop forever', async () => {
    const { join, runs } = openAirport();
    const leader = join('leader', () => false);
    runs[0]?.land('whatever');
    expect(await leader.landing).toEqual({ result: 'whatever', led: true });
  });

  test('of a purged key still answers its callers, but accepts no more', async () => {
    const { join, runs, flights } = openAirport();
    const before = join('before');
    flights.forget('ke');
    expect(runs[0]?.flight.isCurrent()).toBe(false);
    const after = join('after');
    expect(runs).toHaveLength(2);
    runs[0]?.land('old');
    runs[1]?.land('new');
    expect((await before.landing).result).toBe('old');
    expect((await after.landing).result).toBe('new');
  });

  test('does not affect other keys', async () => {
    const { flights } = openAirport();
    const passenger = (result: string) => ({
      run: () => Promise.resolve(result),
      accepts: () => true,
      signal: undefined,
    });
    const landings = ['a', 'b'].map((key) => flights.join(key, passenger(key)));
    expect((await Promise.all(landings)).map(({ result }) => result)).toEqual(['a', 'b']);
  });
});
