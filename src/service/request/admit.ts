// The first half of every request: authenticates the key, finds the endpoint that it is authorized for, counts the call
// against the rate limits, and only then reads the rest of the call.
import type { Accepted, Keyring, Rejected as RejectedKey } from '../auth/keyring.ts';
import type { KeyUse } from '../auth/key-use.ts';
import type { Principal } from '../auth/principal.ts';
import { isCallable } from '../endpoints/callable.ts';
import type { Catalog } from '../endpoints/catalog.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { nameIn, successorOf } from '../endpoints/versions.ts';
import type { Clock } from '../../sql/base/clock.ts';
import { nearest } from '../../sql/base/nearest.ts';
import { Problem, type ProblemOptions } from '../../sql/base/problem.ts';
import { budgetLimits, type BudgetLimit } from '../limits/budgets.ts';
import { retryAfter, type Limit, type RateLimits } from '../limits/rate-limits.ts';
import type { Call, CallContent, CallRecord } from './call.ts';
import { chooseVersion } from './choose-version.ts';
import { readConsumerQuery, type ConsumerQuery } from './consumer-query.ts';
import type { Suspensions } from './suspensions.ts';

export interface AdmissionDeps {
  readonly catalog: () => Catalog;
  readonly keyring: () => Keyring;
  readonly keyUse: Pick<KeyUse, 'note'>;
  readonly rateLimits: RateLimits;
  readonly suspensions: Suspensions;
  readonly clock: Clock;
}

/** An authorized call, completely read. Not checked: its parameters, and what the consumer query contains. */
export interface Admitted {
  readonly principal: Principal;
  readonly endpoint: Endpoint;
  /** What to call instead, if the endpoint is deprecated. */
  readonly successor: string | undefined;
  readonly content: CallContent;
  /** Undefined: the call runs the saved query. */
  readonly consumerQuery: ConsumerQuery | undefined;
  /** Those of its key, and of the endpoint for this key: its versions share them. */
  readonly budgets: readonly BudgetLimit[];
  /** Milliseconds until the call was authorized. */
  readonly authMs: number;
  /** Whether an identical call may be admitted without repeating the checks: nothing they depend on has changed. */
  readonly isStillAdmitted: () => boolean;
  /** Whether keys and endpoints are those that the call was admitted with. */
  readonly isCurrent: () => boolean;
}

/** What a request counts as: checks have counters of their own. */
export type RequestKind = 'call' | 'check';

/** `again`: not counted, since the same call was. */
export type AdmissionKind = RequestKind | 'again';

export interface Admission {
  /** Throws Problem `auth.*`, `rate.*`, `route.*`, `query.suspended`, `sandbox.*`, and what reading the call throws. */
  readonly admit: (call: Call, kind?: AdmissionKind) => Promise<Admitted>;
  /** Authenticates only, for requests that are admitted after they are read. Throws Problem `auth.*`. */
  readonly identifyKey: (key: string | undefined, record: CallRecord) => Promise<Principal>;
  /** For requests that concern no single endpoint, such as the listing: they count against the key's rate limit only. */
  readonly admitKey: (key: string | undefined, record: CallRecord, kind?: RequestKind) => Promise<Principal>;
}

export function createAdmission(deps: AdmissionDeps): Admission {
  const { catalog, keyring, keyUse, rateLimits, suspensions, clock } = deps;
  const identify = async (keys: Keyring, key: string | undefined, record: CallRecord): Promise<Accepted> => {
    const accepted = await authenticate(keys, key, clock.epoch());
    record.principal = accepted.principal.name;
    keyUse.note(accepted.principal.id);
    return accepted;
  };
  return {
    admit: async ({ key, endpoint: nameOrId, read, record }, kind = 'call') => {
      const [snapshot, keys] = [catalog(), keyring()];
      const started = clock.monotonic();
      const { principal, expires } = await identify(keys, key, record);
      const named = findEndpoint(snapshot, principal, nameOrId);
      record.endpoint = named;
      // A field `version` may choose another one, unless the name does.
      if (named.version === undefined || nameOrId !== named.name) noteCalled(record, snapshot, named);
      const limited = snapshot.find(named.name); // the versions of a name share a limit
      const limits = kind === 'again' ? [] : limitsOf(principal, limited)[kind];
      const isLimited = await count(rateLimits, limits, record);
      const authMs = clock.monotonic() - started;
      const content = await read();
      const versions = snapshot.versions(named.name).filter((each) => isCallable(each, principal));
      const endpoint = chooseVersion(content.fields, { named, nameOrId, versions });
      record.endpoint = endpoint;
      noteCalled(record, snapshot, endpoint);
      const sent = readConsumerQuery(content.fields, endpoint, principal);
      const consumerQuery = sent && suspensions.admit(sent, { endpoint, principal });
      // Consumer queries are rechecked every time: the sandbox may have been disabled since.
      const isRepeatable = consumerQuery === undefined && !isLimited;
      const isCurrent = (): boolean =>
        catalog() === snapshot && keyring() === keys && clock.epoch() < expires;
      const isStillAdmitted = (): boolean => isRepeatable && isCurrent();
      const successor = successorOf(snapshot, endpoint);
      const budgets = budgetLimits(principal, limited ?? endpoint);
      return {
        principal,
        endpoint,
        successor,
        content,
        consumerQuery,
        budgets,
        authMs,
        isStillAdmitted,
        isCurrent,
      };
    },
    identifyKey: async (key, record) => {
      const { principal } = await authenticate(keyring(), key, clock.epoch());
      record.principal = principal.name;
      return principal;
    },
    admitKey: async (key, record, kind = 'call') => {
      const { principal } = await identify(keyring(), key, record);
      await count(rateLimits, limitsOf(principal, undefined)[kind], record);
      return principal;
    },
  };
}

function noteCalled(record: CallRecord, catalog: Catalog, endpoint: Endpoint): void {
  record.called = { endpoint, successor: successorOf(catalog, endpoint) };
}

/** Characters. No key or JSON Web Token is longer; longer values are rejected without hashing. */
export const MAX_KEY_LENGTH = 8192;

/** The principal of a key and when the key expires. Throws `auth.missing`, `auth.invalid` or `auth.unavailable`. */
async function authenticate(keyring: Keyring, key: string | undefined, now: number): Promise<Accepted> {
  if (key === undefined || key === '') throw new Problem('auth.missing');
  if (key.length > MAX_KEY_LENGTH) throw new Problem('auth.invalid');
  const result = await keyring.authenticate(key, now);
  switch (result.kind) {
    case 'accepted':
      return result;
    case 'rejected':
      throw new Problem('auth.invalid', detailOf(result));
  }
}

/** The reason for rejecting a token is disclosed only if its signature is valid. */
function detailOf({ reason, detail }: RejectedKey): ProblemOptions {
  if (reason === 'expired') return { detail: 'The key has expired' };
  return detail === undefined ? {} : { detail };
}

/**
 * Finds an endpoint by name or UUID. Throws `auth.forbidden`, or `route.endpoint_unknown` if the key would cover any
 * endpoint of this name. The code and the message depend only on the key and the requested name, so a key cannot find
 * out whether an endpoint outside its scope exists.
 */
function findEndpoint(catalog: Catalog, principal: Principal, nameOrId: string): Endpoint {
  const endpoint = catalog.find(nameOrId);
  if (endpoint !== undefined && isCallable(endpoint, principal)) return endpoint;
  const shown = nameOrId.slice(0, MAX_SHOWN);
  const guess = nearestCallable(catalog, principal, nameOrId);
  const meant = guess === undefined ? '' : `; did you mean "${guess}"?`;
  // Whether a key with locked parameters covers an endpoint depends on the endpoint's parameters, not on its name
  // alone.
  const coversName = principal.locked.size === 0 && principal.covers(nameIn(nameOrId));
  throw coversName
    ? new Problem('route.endpoint_unknown', { detail: `There is no endpoint "${shown}"${meant}` })
    : new Problem('auth.forbidden', {
        detail: `The key "${principal.name}" does not cover "${shown}"${meant}`,
      });
}

const MAX_SHOWN = 100;

function nearestCallable(catalog: Catalog, principal: Principal, name: string): string | undefined {
  if (name.length > MAX_SHOWN) return undefined;
  const callable = catalog.endpoints.filter((endpoint) => isCallable(endpoint, principal));
  return nearest(
    name,
    callable.map((endpoint) => endpoint.name),
  );
}

/**
 * Counts a request and returns whether any rate limit applies. Throws `rate.exceeded` or `rate.unavailable`.
 */
async function count(rateLimits: RateLimits, limits: readonly Limit[], record: CallRecord): Promise<boolean> {
  if (limits.length === 0) return false;
  const counted = await rateLimits.take(limits);
  if (counted === 'unavailable') throw new Problem('rate.unavailable', { retryAfter: 1 });
  record.limits = counted.states;
  if (counted.isAllowed) return true;
  const used = counted.states.find(({ remaining }) => remaining === 0);
  const detail = used && `The limit of ${used.rate.limit} calls per ${used.rate.window} s is used up`;
  throw new Problem('rate.exceeded', { retryAfter: retryAfter(counted), ...(detail && { detail }) });
}

/** Checks per call that the rate allows: an editor checks a query at each pause in typing, a page its list each minute. */
const CHECKS_PER_CALL = 10;

/** The limits of a request. A request without an endpoint counts against its key only. */
function limitsOf(
  principal: Principal,
  endpoint: Endpoint | undefined,
): Readonly<Record<RequestKind, readonly Limit[]>> {
  const call = callLimits(principal, endpoint);
  const check = call.map(({ policy, counter, rate }) => ({
    policy,
    counter: `check|${counter}`,
    rate: { ...rate, limit: rate.limit * CHECKS_PER_CALL },
  }));
  return { call, check };
}

/**
 * Each window has counters of its own: tokens of one subject can have different rates, and calls with one of them must not end
 * the window of another.
 */
function callLimits(principal: Principal, endpoint: Endpoint | undefined): readonly Limit[] {
  const limits: Limit[] = [];
  if (principal.rate !== undefined) {
    const counter = `key|${principal.id}|${principal.rate.window}`;
    limits.push({ policy: 'key', counter, rate: principal.rate });
  }
  if (endpoint?.rate !== undefined) {
    const counter = `endpoint|${endpoint.name}|${principal.id}|${endpoint.rate.window}`;
    limits.push({ policy: 'endpoint', counter, rate: endpoint.rate });
  }
  return limits;
}
