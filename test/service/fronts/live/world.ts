// The hub of live calls in virtual time, over rows that tests change.
import { createWatch, type Watch } from '../../../../src/service/cache/watch.ts';
import { momentOf } from '../../../../src/service/cache/clock.ts';
import type { Observation } from '../../../../src/sql/base/observation.ts';
import type { Problem } from '../../../../src/sql/base/problem.ts';
import { createLive, type Live } from '../../../../src/service/fronts/live/live.ts';
import type { Question } from '../../../../src/service/fronts/live/question.ts';
import type { LiveStream } from '../../../../src/service/fronts/live/stream.ts';
import type { Result } from '../../../../src/service/request/read.ts';
import { createSharedFailures } from '../../../../src/service/request/reading/shared-failures.ts';
import { createVirtualTime, type VirtualTime } from '../../../support/virtual-time.ts';
import type { Plan } from '../../../../src/service/request/plan.ts';

export interface World {
  readonly live: Live;
  readonly time: VirtualTime;
  readonly observed: Observation[];
  /** The rows of all questions; the fingerprint is what they are. */
  data: readonly object[];
  /** Thrown by runs. */
  failure: Problem | undefined;
  /** Other rows of single questions. */
  readonly others: Map<string, readonly object[]>;
  /** Runs wait for it. */
  gate: (id: string, signal: AbortSignal) => Promise<void>;
  isWatched: boolean;
  readonly runs: string[];
  /** The keys that wait for each of them, also those that come while it runs. */
  readonly callers: Set<string>[];
  checks: number;
  readonly question: (options?: Partial<Asked>) => Question;
  readonly open: (options?: Partial<Asked>) => Promise<Reader>;
}

export interface Asked {
  readonly id: string;
  readonly endpoint: string;
  /** Thrown when it is planned for another time, as at each check. */
  readonly unplanned: () => Problem | undefined;
  readonly key: string;
  readonly columns: readonly string[] | undefined;
  readonly every: number;
  readonly lastEventId: string | undefined;
  /** Thrown when the call is admitted again. */
  readonly ended: () => Problem | undefined;
  readonly isCurrent: () => boolean;
}

export interface Reader {
  readonly stream: LiveStream;
  /** Everything that it was sent. */
  readonly text: () => string;
  readonly events: () => readonly string[];
  /** Takes what comes from now on. */
  read(): void;
  pause(): void;
  readonly isCut: () => boolean;
}

export function createWorld(limits = { total: 100, perKey: 10 }): World {
  const time = createVirtualTime();
  const { clock, after } = time;
  const observed: Observation[] = [];
  // Shared by all who ask at once, as through the cache.
  let asked: ReturnType<Watch['read']> | undefined;
  const ask = async (): ReturnType<Watch['read']> => {
    world.checks++;
    await Promise.resolve();
    asked = undefined;
    return world.isWatched ? { value: JSON.stringify(world.data), at: momentOf(clock) } : undefined;
  };
  const watch: Watch = createWatch({ clock, ask: () => (asked ??= ask()) });
  const read = async ({ query, requester, signal, callers }: Plan): Promise<Result> => {
    world.runs.push(requester.key);
    const waiting = new Set<string>();
    world.callers.push(waiting);
    const unfollow = callers?.follow((key) => waiting.add(key));
    await world.gate(query.canonical, signal()).finally(() => unfollow?.());
    if (world.failure !== undefined) throw world.failure;
    const rows = world.others.get(query.canonical) ?? world.data;
    const body = Buffer.from(JSON.stringify({ result: rows }));
    return { etag: `"${Buffer.from(JSON.stringify(rows)).toString('hex')}"`, body } as Result; // what the hub reads of it
  };
  const unplannedOf = new WeakMap<Plan, Asked['unplanned']>();
  const planAt = async (plan: Plan): Promise<Plan> => {
    const problem = unplannedOf.get(plan)?.();
    if (problem !== undefined) throw problem;
    return plan;
  };
  const live = createLive({
    clock,
    after,
    read,
    planAt,
    failures: createSharedFailures(),
    watchOf: () => watch,
    observe: (each) => void observed.push(each),
    random: () => 0.5,
    limits,
    sendTimeout: 60,
    memory: 2 ** 20,
    connections: 4,
    pause: async () => {},
  });
  const question = (options: Partial<Asked> = {}): Question => {
    const { id = 'q', key = 'k', every = 1, columns, ended, isCurrent = () => true, lastEventId } = options;
    const { endpoint = 'e', unplanned } = options;
    const plan = {
      endpoint: { id: endpoint, name: endpoint },
      query: { canonical: id },
      bindings: { now: 0, until: Infinity, source: '' },
      requester: { key, requestId: `of ${key}` },
    } as unknown as Plan; // the parts that the hub reads
    if (unplanned !== undefined) unplannedOf.set(plan, unplanned);
    const found: Question = {
      id,
      policy: { every, key: columns },
      plan,
      readsTime: unplanned !== undefined,
      requester: plan.requester,
      principal: key,
      isCurrent,
      again: async () => {
        const problem = ended?.();
        if (problem !== undefined) throw problem;
        return found;
      },
      lastEventId,
    };
    return found;
  };
  const open = async (options?: Partial<Asked>): Promise<Reader> =>
    readerOf(await live.open(question(options), new AbortController().signal));
  const world: World = {
    live,
    time,
    observed,
    data: [{ id: 1 }],
    others: new Map(),
    failure: undefined,
    gate: async () => {},
    isWatched: true,
    runs: [],
    callers: [],
    checks: 0,
    question,
    open,
  };
  return world;
}

function readerOf(stream: LiveStream): Reader {
  const taken: Buffer[] = [];
  let isPaused = false;
  let isCut = false;
  const read = (): void => {
    isPaused = false;
    for (let each = stream.take(); each !== undefined; each = isPaused ? undefined : stream.take())
      taken.push(each);
  };
  stream.listen((event) => {
    if (event === 'cut') isCut = true;
    else if (!isPaused) read();
  });
  read();
  const text = (): string => Buffer.concat(taken).toString();
  return {
    stream,
    text,
    events: () => [...text().matchAll(/^(?:event: (\w+)|(:))$/gm)].map(([, event]) => event ?? 'heartbeat'),
    read,
    // Takes one more, as a socket whose buffer is full after it.
    pause: () => (isPaused = true),
    isCut: () => isCut,
  };
}
