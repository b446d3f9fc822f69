// Live calls: streams of events with the answer to a question whenever it has changed. All who ask the same question share
// one topic: one check at a time, and one run if its data has changed.
import type { After } from '../../../sql/base/clock.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { errorEnds, reasonOf } from './ending.ts';
import { RETRY_MS } from './event.ts';
import { createHolding } from './holding.ts';
import type { Question } from './question.ts';
import { bytesOf, hasRoom, makeRoom, type RoomOptions } from './room.ts';
import {
  createStream,
  type EndedBecause,
  type LiveStream,
  type OpenStream,
  type StreamOwner,
} from './stream.ts';
import { createTopic, type Topic, type TopicDeps } from './topic.ts';
import { checkTopic } from './check-topic.ts';
import { createTurns } from '../../request/limits/turns.ts';
import { dueAfter } from '../../request/limits/due.ts';

export interface LiveOptions extends Omit<TopicDeps, 'checks' | 'runs' | 'moved'> {
  readonly after: After;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Open streams: in all, and of one key. */
  readonly limits: { readonly total: number; readonly perKey: number };
  /** Seconds after which a reader that takes nothing is cut off. */
  readonly sendTimeout: number;
  /** Bytes of events that are known or being sent. */
  readonly memory: number;
  /** Statements that the engine runs at once. */
  readonly connections: number;
  /** Lets other work go first. */
  readonly pause: () => Promise<void>;
}

export interface Live {
  /** Opens a stream once its first result is known. Throws Problem as the call without `live` does, and `live.*`. */
  open(question: Question, signal: AbortSignal): Promise<LiveStream>;
  /** Ends all streams with a hint to reconnect; no more are opened. */
  close(): void;
  readonly size: () => { readonly streams: number; readonly topics: number; readonly bytes: number };
}

const TURN_MS = 100;
/** Once a second. */
const TURNS_PER_BEAT = 10;
/** A stream on which nothing was sent for so long gets a heartbeat. */
const HEARTBEAT_MS = 15_000;
/** A topic that has no streams is remembered for this long, for callers who reconnect. */
const LINGER_MS = 15_000;
/** After failures, a question is asked again later and later. */
const MAX_PAUSE_MS = 60_000;
const CHECKS = 32;
const CHECKS_PER_ENDPOINT = 16;
const RECHECKS = 8;
/** Streams that are woken for an event before other work. */
const BATCH = 200;
/** When the service ends, its callers come back over this time. */
const RECONNECT_MS = 8000;
/** A reader that took nothing for so long does not delay the end of the service. */
const STALLED_MS = 1000;

/** The state of all live calls of a process. */
interface Hub extends LiveOptions, TopicDeps, RoomOptions {
  readonly streams: Map<OpenStream, Topic>;
  readonly rechecking: Set<OpenStream>;
  readonly perKey: Map<string, number>;
  readonly rechecks: ReturnType<typeof createTurns>;
  isClosed: boolean;
}

export function createLive(options: LiveOptions): Live {
  const runs = Math.max(2, options.connections);
  const hub: Hub = {
    ...options,
    topics: new Map(),
    streams: new Map(),
    rechecking: new Set(),
    perKey: new Map(),
    checks: createTurns({ total: CHECKS, perLane: CHECKS_PER_ENDPOINT }),
    rechecks: createTurns({ total: RECHECKS, perLane: RECHECKS }),
    runs: createTurns({ total: 2 * runs, perLane: runs }),
    holding: createHolding(),
    moved: (stream, found) => move(hub, stream, found),
    isClosed: false,
  };
  const state = { isTurning: false, turns: 0 };
  const turn = (): void => {
    if (hub.isClosed || (hub.topics.size === 0 && hub.streams.size === 0)) {
      state.isTurning = false;
      return;
    }
    turnTopics(hub);
    if (++state.turns % TURNS_PER_BEAT === 0) beat(hub);
    hub.after(TURN_MS, turn);
  };
  const start = (): void => {
    if (state.isTurning) return;
    state.isTurning = true;
    hub.after(TURN_MS, turn);
  };
  return {
    open: async (question, signal) => {
      const { key } = question.requester;
      if (hub.isClosed) throw shuttingDown();
      admit(hub, key);
      count(hub, key, 1);
      start();
      return open(hub, question, signal);
    },
    close: () => {
      hub.isClosed = true;
      for (const stream of hub.streams.keys()) {
        const isStalled = stream.stalledFor() > STALLED_MS;
        stream.end('shutdown', RETRY_MS + Math.floor(hub.random() * RECONNECT_MS));
        if (isStalled) stream.cut('shutdown');
      }
      for (const topic of hub.topics.values()) topic.abort.abort();
      hub.topics.clear();
    },
    size: () => ({ streams: hub.streams.size, topics: followed(hub), bytes: bytesOf(hub) }),
  };
}

function followed({ topics }: Hub): number {
  let number = 0;
  for (const { idleSince } of topics.values()) if (idleSince === undefined) number++;
  return number;
}

function shuttingDown(): Problem {
  return new Problem('live.full', { detail: 'The service is shutting down', retryAfter: 2 });
}

/** Throws Problem if there is no place for another stream. */
function admit(hub: Hub, key: string): void {
  const { total, perKey } = hub.limits;
  if ((hub.perKey.get(key) ?? 0) >= perKey)
    throw new Problem('live.too_many', {
      detail: `A key has at most ${perKey} live streams at once`,
      retryAfter: 15,
    });
  if (hub.streams.size >= total)
    throw new Problem('live.full', {
      detail: `At most ${total} live streams are open at once`,
      retryAfter: 60,
    });
  if (!hasRoom(hub))
    throw new Problem('live.full', {
      detail: 'The results of live calls use all of their memory',
      retryAfter: 60,
    });
}

function count({ perKey }: Hub, key: string, change: number): void {
  const number = (perKey.get(key) ?? 0) + change;
  if (number <= 0) perKey.delete(key);
  else perKey.set(key, number);
}

async function open(hub: Hub, question: Question, signal: AbortSignal): Promise<OpenStream> {
  const stream = createStream(question, ownerOf(hub));
  const topic = join(hub, stream, question);
  let failure: unknown;
  try {
    await begin(hub, { stream, topic, lastEventId: question.lastEventId }, signal);
  } catch (cause) {
    failure = hub.failures.inOwnQuery(cause, stream.question.plan.query);
  }
  const current = hub.streams.get(stream);
  if (current !== undefined && (failure === undefined || current !== topic)) return stream; // perhaps endpoints have changed
  if (current !== undefined) {
    leave(hub, stream);
    count(hub, stream.key, -1);
  } else if (hub.isClosed) throw shuttingDown(); // it was ended meanwhile
  throw stream.cause ?? failure ?? new Problem('request.client_closed');
}

interface Beginning {
  readonly stream: OpenStream;
  readonly topic: Topic;
  readonly lastEventId: string | undefined;
}

/** Waits for the first result. */
async function begin(
  hub: Hub,
  { stream, topic, lastEventId }: Beginning,
  signal: AbortSignal,
): Promise<void> {
  const isFailing = topic.failures > 0;
  if (topic.due === Infinity || topic.history.newest() === 0 || isFailing) {
    await abortable(check(hub, topic), signal);
    if (isFailing) topic.due = 0; // tells the others
  }
  const from = lastEventId === undefined ? undefined : topic.history.numberOf(lastEventId);
  if (hub.streams.get(stream) === topic) stream.follow(topic.history, from ?? 0);
}

/** Rejects with the reason of the signal if that comes first. */
async function abortable(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop);
  }
}

function ownerOf(hub: Hub): StreamOwner {
  return {
    now: hub.clock.monotonic,
    recheck: (stream) => recheck(hub, stream),
    ended: (stream, because) => ended(hub, stream, because),
    hold: (buffer, before) => hub.holding.swap(buffer, before),
  };
}

function join(hub: Hub, stream: OpenStream, question: Question): Topic {
  const topic = hub.topics.get(question.id) ?? createTopic(question);
  hub.topics.set(topic.id, topic);
  if (topic.idleSince !== undefined) {
    topic.idleSince = undefined;
    topic.abort = new AbortController();
    topic.due = Infinity; // looked at before anything is sent
    topic.failures = 0;
  }
  topic.streams.add(stream);
  for (const listener of topic.listeners) listener(stream.key);
  hub.streams.set(stream, topic);
  return topic;
}

function leave(hub: Hub, stream: OpenStream): void {
  const topic = hub.streams.get(stream);
  hub.streams.delete(stream);
  if (topic === undefined) return;
  topic.streams.delete(stream);
  if (topic.streams.size > 0) return;
  topic.idleSince = hub.clock.monotonic();
  topic.abort.abort();
}

function ended(hub: Hub, stream: OpenStream, because: EndedBecause): void {
  const topic = hub.streams.get(stream);
  leave(hub, stream);
  const { question, sent, opened } = stream;
  count(hub, stream.key, -1);
  hub.observe({
    kind: 'live.ended',
    requestId: question.requester.requestId,
    endpoint: (topic?.question ?? question).plan.endpoint.name,
    principal: question.principal,
    reason: because,
    events: sent.events,
    coalesced: sent.coalesced,
    bytes: sent.bytes,
    ms: hub.clock.monotonic() - opened,
  });
}

/** Looks at a topic once; concurrent calls share one look. Throws Problem. */
function check(hub: Hub, topic: Topic): Promise<void> {
  const { checking, abort } = topic;
  if (checking?.of === abort) return checking.done;
  const look = async (): Promise<void> => {
    await checking?.done.catch(() => undefined); // of those who have left
    try {
      await checkTopic(hub, topic);
    } finally {
      if (topic.checking?.of === abort) topic.checking = undefined;
      schedule(hub, topic);
    }
  };
  const done = look();
  done.catch(() => undefined); // the caller that asked may have gone
  topic.checking = { of: abort, done };
  return done;
}

function schedule({ clock }: Hub, topic: Topic): void {
  const { question, fingerprint, failures } = topic;
  const everyMs = question.policy.every * 1000;
  const isWatched = fingerprint !== undefined;
  const wait = dueAfter(clock.epoch(), { everyMs, of: isWatched ? undefined : topic.id });
  const pause = failures === 0 ? 0 : Math.min(MAX_PAUSE_MS, everyMs * 2 ** Math.min(failures, 16));
  topic.due = clock.monotonic() + Math.max(wait, pause);
}

function turnTopics(hub: Hub): void {
  const now = hub.clock.monotonic();
  for (const topic of hub.topics.values()) {
    if (topic.idleSince !== undefined) {
      if (now - topic.idleSince > LINGER_MS) hub.topics.delete(topic.id);
    } else if (topic.due <= now && topic.checking === undefined) void follow(hub, topic);
  }
}

/** Looks at a topic, and wakes its streams if it has changed. */
async function follow(hub: Hub, topic: Topic): Promise<void> {
  const { history } = topic;
  const before = history.newest();
  try {
    await check(hub, topic);
    if (topic.failures > 0 && history.newest() === before) history.repeat(); // ends the error
    topic.failures = 0;
  } catch (cause) {
    return failed(hub, topic, cause);
  }
  if (history.newest() === before) return;
  let woken = 0;
  for (const stream of topic.streams) {
    if (hub.streams.get(stream) !== topic) continue;
    stream.wake();
    if (++woken % BATCH === 0) await hub.pause();
  }
}

function failed(hub: Hub, topic: Topic, cause: unknown): void {
  if (topic.abort.signal.aborted) return; // no caller waits for it any more
  const problem = cause instanceof Problem ? cause : new Problem('internal.error', { cause });
  hub.observe({
    kind: 'live.failed',
    endpoint: topic.question.plan.endpoint.name,
    code: problem.code,
    cause,
  });
  const isLast = errorEnds(problem);
  if (topic.failures++ === 0 || isLast)
    for (const stream of topic.streams)
      stream.fail(hub.failures.inOwnQuery(problem, stream.question.plan.query), isLast);
  schedule(hub, topic);
}

/** Admits the call of a stream again, after keys or endpoints have changed. */
function recheck(hub: Hub, stream: OpenStream): undefined {
  if (hub.rechecking.has(stream)) return undefined;
  hub.rechecking.add(stream);
  void hub.rechecks
    .take('', async () => {
      if (!hub.streams.has(stream) || stream.question.isCurrent()) return;
      const found = await stream.question.again().catch((cause: unknown) => ({ cause }));
      if (hub.streams.has(stream)) move(hub, stream, found);
    })
    .finally(() => {
      hub.rechecking.delete(stream);
      if (stream.question.isCurrent()) stream.wake();
    });
  return undefined;
}

/** The call of a stream is another question now, or may not be made any more. */
function move(hub: Hub, stream: OpenStream, found: Question | { readonly cause: unknown }): void {
  if ('cause' in found) {
    const { cause } = found;
    const problem = cause instanceof Problem ? cause : new Problem('internal.error', { cause });
    if (!errorEnds(problem)) return; // asked again at the next heartbeat; nothing is sent until then
    stream.cause = problem;
    const reason = reasonOf(problem);
    if (reason === undefined) stream.fail(problem, true);
    else stream.end(reason);
    return;
  }
  stream.question = found;
  if (hub.streams.get(stream)?.id === found.id) return;
  leave(hub, stream);
  const topic = join(hub, stream, found);
  stream.follow(topic.history, 0);
  if (topic.due === Infinity) void follow(hub, topic);
  else stream.wake();
}

/** Streams that were quiet get a heartbeat, those that take nothing are cut off, and keys are checked. */
function beat(hub: Hub): void {
  const cut = hub.sendTimeout * 1000;
  for (const stream of hub.streams.keys()) {
    if (!stream.question.isCurrent()) recheck(hub, stream);
    if (stream.stalledFor() > cut) stream.cut('slow');
    else if (stream.quietFor() >= HEARTBEAT_MS) stream.heartbeat();
  }
  makeRoom(hub);
}
