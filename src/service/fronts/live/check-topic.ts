// Looks at a topic: its question runs again if its answer may have changed, for the next of its streams in turn.
import { ageOf } from '../../cache/clock.ts';
import type { CacheDirectives } from '../../cache/freshness.ts';
import type { Callers } from '../../cache/single-flight.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { Result } from '../../request/read.ts';
import { errorEnds } from './ending.ts';
import type { Question } from './question.ts';
import type { OpenStream } from './stream.ts';
import type { Plan } from '../../request/plan.ts';
import type { Topic, TopicDeps } from './topic.ts';

/** Returns the age in milliseconds that a fingerprint may have at a check: topics that are due together share one. */
function fingerprintAge({ question }: Topic): number {
  return Math.min(500, question.policy.every * 250);
}

/** Data that is exchanged and exchanged back after the fingerprint counts as unchanged. Runs that wait for their turn together share one. */
const BEFORE_RUN_MS = 500;

/** If more keys than this have no budget left, their streams end. */
const MAX_UNABLE = 5;

/** Runs the question again if its answer may have changed. Throws Problem. */
export async function checkTopic(deps: TopicDeps, topic: Topic): Promise<void> {
  const { clock, checks, runs } = deps;
  const { id: lane } = topic.question.plan.endpoint;
  // The turn does not include waiting for a run: long runs of topics would keep others from being checked.
  const { watch, found } = await checks.take(lane, () => look(deps, topic));
  const isSame = found !== undefined && found.value === topic.fingerprint;
  if (isSame && topic.ran === askedBy(topic.plan) && topic.failures === 0) return;
  const paid = await runs.take(lane, async () => {
    const before = found && (await watch.read(BEFORE_RUN_MS).catch(() => undefined));
    // What was computed after the fingerprint was read has at least the data of the fingerprint.
    const maxAge = before === undefined ? 0 : Math.max(0, ageOf(before.at, clock)) / 1000;
    return { before, ...(await runPaid(deps, topic, maxAge)) };
  });
  const { before, plan, result } = paid;
  topic.fingerprint = before?.value;
  topic.ran = askedBy(plan);
  topic.plan = plan;
  topic.history.publish(result.etag.replaceAll('"', ''), result.body);
}

async function look(deps: TopicDeps, topic: Topic) {
  const { readsTime } = topic.question;
  const { bindings } = topic.plan;
  const now = deps.clock.epoch();
  if (readsTime || now >= bindings.until || now < bindings.now)
    topic.plan = await forNext(deps, topic, ({ question }) => deps.planAt(question.plan, now));
  const watch = deps.watchOf(topic.plan.endpoint, topic.plan.query);
  const found = await watch.read(fingerprintAge(topic)).catch(() => undefined); // a run reports what is wrong
  return { watch, found };
}

function askedBy({ query }: Plan): string {
  return JSON.stringify([query.canonical, query.consumerQuery?.canonicalSql ?? null]);
}

interface Paid {
  readonly plan: Plan;
  readonly result: Result;
}

/** Runs for the next of the streams in turn. Throws Problem. */
function runPaid(deps: TopicDeps, topic: Topic, maxAge: number): Promise<Paid> {
  return forNext(deps, topic, async (stream) => {
    topic.streams.delete(stream); // to the end of the line
    topic.streams.add(stream);
    const question = await askAgain(deps, topic, stream);
    if (question === undefined || question instanceof Problem) return question;
    return { plan: question.plan, result: await run(deps, topic, { question, maxAge }) };
  });
}

/** The keys of all streams wait for a run together: one whose own calls fill its share of the connections does not delay the others. */
function callersOf({ streams, listeners }: Topic): Callers {
  return {
    follow: (listener) => {
      for (const { key } of streams) listener(key);
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/**
 * Does paid work for the first stream that can have it: its key has budget left, and `work` returns something other than a temporary
 * problem. No stream ends because the keys of others have no budget left.
 */
async function forNext<Found>(
  deps: TopicDeps,
  topic: Topic,
  work: (stream: OpenStream) => Promise<Found | Problem | undefined>,
): Promise<Found> {
  let passing: Problem | undefined;
  const unable = new Map<string, Problem>();
  const attempt = async (stream: OpenStream, key: string): Promise<Found | undefined> => {
    if (unable.has(key)) return undefined;
    try {
      const found = await work(stream);
      if (!(found instanceof Problem)) return found;
      passing = found;
      return undefined;
    } catch (cause) {
      deps.failures.note(cause, stream.question.plan.query);
      if (!isUnable(cause)) throw cause;
      unable.set(key, cause);
      return undefined;
    }
  };
  for (const stream of Array.from(topic.streams)) {
    const { key } = stream.question.requester;
    if (!topic.streams.has(stream)) continue;
    const found = await attempt(stream, key);
    if (found !== undefined) return found;
    const cause = unable.get(key);
    if (unable.size > MAX_UNABLE && cause !== undefined) deps.moved(stream, { cause });
  }
  const [cause] = unable.values();
  throw cause ?? passing ?? new Problem('request.client_closed');
}

function isUnable(cause: unknown): cause is Problem {
  return cause instanceof Problem && cause.code === 'budget.exceeded';
}

/**
 * Resolves to the question of a stream as of now; to undefined if it is another one, or may not be asked any more; or to the reason why it
 * cannot be asked at the moment. Throws Problem `budget.exceeded`.
 */
async function askAgain(
  deps: TopicDeps,
  topic: Topic,
  stream: OpenStream,
): Promise<Question | Problem | undefined> {
  try {
    const question = await stream.question.again();
    stream.question = question;
    if (question.id === topic.id) return question;
    deps.moved(stream, question);
  } catch (cause) {
    if (isUnable(cause)) throw cause;
    if (cause instanceof Problem && !errorEnds(cause)) return cause;
    deps.moved(stream, { cause });
  }
  return undefined;
}

async function run(
  { read, clock, observe }: TopicDeps,
  topic: Topic,
  { question, maxAge }: { readonly question: Question; readonly maxAge: number },
): Promise<Result> {
  const started = clock.monotonic();
  const directives: CacheDirectives = { noCache: false, maxAge, onlyIfCached: false };
  const { plan } = question;
  const { signal } = topic.abort;
  const result = await read({ ...plan, directives, signal: () => signal, callers: callersOf(topic) });
  if (result.body.length > MAX_BODY)
    throw new Problem('format.too_large', {
      detail: `The result has ${result.body.length} bytes; results of live calls have at most ${MAX_BODY}`,
      hint: 'Ask for fewer rows or columns.',
    });
  const isEvent = result.etag.replaceAll('"', '') !== topic.history.newestId();
  observe({
    kind: 'live.ran',
    endpoint: plan.endpoint.name,
    outcome: isEvent ? 'changed' : 'unchanged',
    ms: clock.monotonic() - started,
  });
  return result;
}

const MAX_BODY = 16 * 2 ** 20;
