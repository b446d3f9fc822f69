// Looks at the rows of a watch's endpoint, by a call on the request path as the key that the file names.
import { ageOf } from '../cache/clock.ts';
import type { Watch } from '../cache/watch.ts';
import type { Keyring } from '../auth/keyring.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { referenceOf } from '../endpoints/endpoint.ts';
import type { WatchPolicy } from '../endpoints/watches.ts';
import { Problem } from '../../sql/base/problem.ts';
import { prepare, type RequestPath } from '../request/answer.ts';
import { localCall, type Call, type CallContent } from '../request/call.ts';
import type { Plan } from '../request/plan.ts';
import type { PlannedQuery } from '../request/planned-query.ts';
import { read } from '../request/read.ts';
import { evaluateRows, failed, type Evaluation } from './evaluation.ts';

export interface LookDeps {
  readonly path: RequestPath;
  /** Finds keys by their names. */
  readonly keyring: () => Keyring;
  /** The fingerprint of what a query reads; undefined: none is read. */
  readonly watchOf?: ((endpoint: Endpoint, query: Pick<PlannedQuery, 'consumerQuery'>) => Watch) | undefined;
  readonly newId: () => string;
}

/** A look and what it depended on: while that is the same, the next one needs no rows. */
export interface Looked {
  readonly evaluation: Evaluation;
  readonly ran: boolean;
  readonly basis?: { readonly key: string; readonly isCurrent: () => boolean } | undefined;
}

export interface WatchTarget {
  readonly endpoint: Endpoint;
  readonly watch: WatchPolicy;
}

/** The body of a larger result is not parsed. */
const MAX_BODY = 8 * 2 ** 20;
/** A fingerprint may be as old as this share of the time between two looks, so that watches of the same tables share it. */
const FINGERPRINT_SHARE = 10;
const MOST_FINGERPRINT_MS = 10_000;
/** Without a fingerprint, rows may be as old as this, in seconds: calls that come together share a run. */
const SHARED_RUN_S = 1;

/** Never rejects: a look that fails is a result. */
export async function look(
  deps: LookDeps,
  target: WatchTarget,
  { before, signal }: { readonly before: Looked | undefined; readonly signal: AbortSignal },
): Promise<Looked> {
  try {
    return await lookOnce(deps, target, { before, signal });
  } catch (error) {
    if (error instanceof Problem)
      return { evaluation: failed(error.code, problemOf(error, target.watch.as)), ran: true };
    return { evaluation: failed('internal.error', 'The look failed by a fault of the service'), ran: true };
  }
}

/** The key is named in a file, and not sent: other sentences help with it. */
function problemOf({ code, message, title }: Problem, as: string): string {
  if (code !== 'auth.invalid' || message !== title) return message;
  return `No key is named ${as}: it must be in the file of the setting tokens`;
}

async function lookOnce(
  deps: LookDeps,
  target: WatchTarget,
  { before, signal }: { readonly before: Looked | undefined; readonly signal: AbortSignal },
): Promise<Looked> {
  const { clock } = deps.path;
  const path = { ...deps.path, keyring: deps.keyring };
  const plan = await prepare(path, callOf(deps, target, signal));
  const maxAgeMs = Math.min(MOST_FINGERPRINT_MS, target.watch.every / FINGERPRINT_SHARE);
  const watched = deps.watchOf?.(plan.endpoint, plan.query);
  const found = await watched?.read(maxAgeMs).catch(() => undefined); // the run reports what is wrong
  const key = found && basisOf(target, plan, found.value);
  const isSame = key !== undefined && before?.basis?.key === key && before.basis.isCurrent();
  if (isSame && before.evaluation.kind === 'rows') return { ...before, ran: false };
  const maxAge = found === undefined ? SHARED_RUN_S : Math.max(0, ageOf(found.at, clock)) / 1000;
  const evaluation = await evaluate(path, { ...plan, directives: directivesOf(maxAge) }, target.watch);
  const { isCurrent } = plan.admitted;
  return { evaluation, ran: true, basis: key === undefined ? undefined : { key, isCurrent } };
}

function directivesOf(maxAge: number): CallContent['directives'] {
  return { noCache: false, maxAge, onlyIfCached: false };
}

function basisOf({ watch, endpoint }: WatchTarget, { query, redactor }: Plan, fingerprint: string): string {
  const { condition, message, groupBy } = watch;
  return JSON.stringify([endpoint.revision, query.canonical, redactor.profile, fingerprint, condition.text, message.text, groupBy]); // prettier-ignore
}

async function evaluate(path: RequestPath, plan: Plan, watch: WatchPolicy): Promise<Evaluation> {
  const result = await read(path, plan);
  if (result.outcome?.kind === 'stale') return failed('watch.stale', 'The rows are those of an earlier time');
  if (result.truncated)
    return failed(
      'watch.truncated',
      'The result has more rows than max_rows: the condition is not known for all',
    );
  if (result.body.length > MAX_BODY)
    return failed('format.too_large', `The result has more than ${MAX_BODY} bytes`);
  const { result: rows } = JSON.parse(result.body.toString()) as Envelope;
  return evaluateRows(watch, rows);
}

/** The envelope of the format json. */
interface Envelope {
  readonly result: readonly Readonly<Record<string, unknown>>[];
}

function callOf({ newId }: LookDeps, { endpoint, watch }: WatchTarget, signal: AbortSignal): Call {
  const fields = new Map(Object.entries(watch.parameters).map(([name, value]) => [name, [value]] as const));
  const call = localCall({ requestId: newId(), endpoint: referenceOf(endpoint) }, fields);
  return {
    ...call,
    key: watch.as,
    signal: () => signal,
    read: async () => ({ ...(await call.read()), resultShape: 'standard' }),
  };
}
