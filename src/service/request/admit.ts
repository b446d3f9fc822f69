// The first stage of a call: authenticates the key, finds the endpoint that it is authorized for, counts the call
// against the rate limits, and only then reads the rest of the call.
import type { Principal } from '../auth/principal.ts';
import { isCallable } from '../endpoints/callable.ts';
import type { Catalog } from '../endpoints/catalog.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { successorOf } from '../endpoints/versions.ts';
import { budgetLimits, type BudgetLimit } from '../limits/budgets.ts';
import type { LimitState } from '../limits/rate-limits.ts';
import { chooseVersion, findEndpoint } from './admission/find-endpoint.ts';
import {
  countAgain,
  countRequest,
  identify,
  limitsOf,
  type KeyDeps,
  type RequestKind,
} from './admission/keys.ts';
import type { AdmitAgain, Call, CallContent, CallRecord } from './call.ts';
import { readConsumerQuery, type ConsumerQuery } from './consumer/consumer-query.ts';
import type { Suspensions } from './consumer/suspensions.ts';
import { analysisOf, type SpendingDeps } from './limits/spending.ts';

export interface AdmitDeps extends KeyDeps, Omit<SpendingDeps, 'now'> {
  readonly catalog: () => Catalog;
  readonly suspensions: Suspensions;
}

/** An authorized call, completely read. Not checked: its parameters, and what the consumer query contains. */
export interface Admitted {
  readonly call: Call;
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
  /** Returns whether an identical call may be admitted without repeating the checks: nothing they depend on has changed. */
  readonly isStillAdmitted: () => boolean;
  /** Admits a repetition of the call while it is still admitted: notes the use of the key, and counts the call. */
  readonly admitAgain: AdmitAgain;
  /** Returns whether keys and endpoints are those that the call was admitted with. */
  readonly isCurrent: () => boolean;
}

/** `again`: not counted, since the same call was. */
export type AdmissionKind = RequestKind | 'again';

/** Throws Problem `auth.*`, `rate.*`, `route.*`, `query.suspended`, `sandbox.*`, and what reading the call throws. */
export async function admit(deps: AdmitDeps, call: Call, kind: AdmissionKind = 'call'): Promise<Admitted> {
  const { catalog, keyring, clock } = deps;
  const { endpoint: nameOrId, read, record } = call;
  const [snapshot, keys] = [catalog(), keyring()];
  const started = clock.monotonic();
  const { principal, expires } = await identify(deps, keys, call);
  const named = findEndpoint(snapshot, principal, nameOrId);
  record.endpoint = named;
  // A field `version` may choose another one, unless the name does.
  if (named.version === undefined || nameOrId !== named.name) noteCalled(record, snapshot, named);
  const limited = snapshot.find(named.name); // the versions of a name share a limit
  const limits = kind === 'again' ? [] : limitsOf(principal, limited)[kind];
  const isLimited = await countRequest(deps.rateLimits, limits, record);
  const authMs = clock.monotonic() - started;
  const content = await read();
  const versions = snapshot.versions(named.name).filter((each) => isCallable(each, principal));
  const endpoint = chooseVersion(content.fields, { named, nameOrId, versions });
  record.endpoint = endpoint;
  noteCalled(record, snapshot, endpoint);
  const budgets = budgetLimits(principal, limited ?? endpoint);
  const consumerQuery = admitQuery(deps, { call, content, endpoint, principal, budgets });
  // Consumer queries are rechecked every time: the sandbox may have been disabled since.
  const isRepeatable = consumerQuery === undefined;
  const noteUse = <Limits>(states: Limits): Limits => {
    if (states !== undefined) deps.keyUse.note(principal.id);
    return states;
  };
  const isCurrent = (): boolean => catalog() === snapshot && keyring() === keys && clock.epoch() < expires;
  return {
    call,
    principal,
    endpoint,
    successor: successorOf(snapshot, endpoint),
    content,
    consumerQuery,
    budgets,
    authMs,
    isStillAdmitted: () => isRepeatable && isCurrent(),
    admitAgain: isLimited
      ? () => countAgain(deps.rateLimits, limits).then(noteUse)
      : () => noteUse(NO_LIMITS),
    isCurrent,
  };
}

const NO_LIMITS: readonly LimitState[] = [];

/** The consumer query of a call, if it has one. Its analyses count against the budgets of the call. Throws Problem. */
function admitQuery(
  { suspensions, budgets, observe, clock }: AdmitDeps,
  admitted: Pick<Admitted, 'call' | 'content' | 'endpoint' | 'principal' | 'budgets'>,
): ConsumerQuery | undefined {
  const { call, content, endpoint, principal } = admitted;
  const sent = readConsumerQuery(content.fields, endpoint, principal);
  if (sent === undefined) return undefined;
  const spending = { budgets, observe, now: clock.monotonic, endpoint: endpoint.name };
  return {
    ...suspensions.admit(sent, { endpoint, principal }),
    analysis: analysisOf(spending, admitted.budgets, call.record),
  };
}

function noteCalled(record: CallRecord, catalog: Catalog, endpoint: Endpoint): void {
  record.called = { endpoint, successor: successorOf(catalog, endpoint) };
}
