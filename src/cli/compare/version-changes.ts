// Changes of versions, deprecation and rollout.
import type { Endpoint } from '../../service/endpoints/endpoint.ts';
import { dayOf } from '../../service/endpoints/versions.ts';
import { referenceOf } from '../../service/endpoints/endpoint.ts';
import type { Contract, Contracts, ContractChange } from './contract.ts';
import { behaviour, breaking, compatible, cost, type ChangeKinds } from './change-kinds.ts';

export const VERSION_CHANGES = {
  'endpoint.removed': breaking('An endpoint was removed', 'Its callers get 404.'),
  'endpoint.sunset': compatible(
    'An endpoint was removed after its sunset',
    'Its callers get 404, as `deprecated.sunset` has announced.',
  ),
  'version.default_changed': breaking(
    'Callers who name no version get another one',
    'Its parameters and columns may differ: compare the files, or let a shadow run compare the rows. Write `default: true` in the old version to keep it.',
  ),
  'version.numbered': compatible(
    'An endpoint without versions became a version',
    'Its name still finds it, as long as it is the default version. A parameter called version is now the version.',
  ),
  'version.changed': breaking(
    'A version has another number, or none',
    'Calls that name the old number get 400 or 404, or another version.',
  ),
  'deprecated.added': behaviour(
    'The endpoint, or this version, is deprecated',
    'Responses, documentation and types say so. Calls still work.',
  ),
  'deprecated.removed': compatible('It is no longer deprecated', 'Responses do not say so any more.'),
  'deprecated.sunset_earlier': breaking(
    'The sunset is earlier',
    'Callers have less time than they were promised.',
  ),
  'deprecated.sunset_later': compatible('The sunset is later, or was removed', 'Callers have more time.'),
  'deprecated.changed': compatible(
    'The deprecation has another date, successor or reason',
    'Calls work as before.',
  ),
  'rollout.raised': cost(
    'More calls of the version before are compared with this one',
    'Each comparison runs both versions, in spare capacity.',
  ),
  'rollout.lowered': compatible('Fewer calls are compared', 'Differences are found later.'),
  'rollout.tolerance_changed': compatible(
    'Numbers are compared with another tolerance',
    'More or fewer differences are reported. Callers notice nothing.',
  ),
} as const satisfies ChangeKinds;

export type VersionCode = keyof typeof VERSION_CHANGES;

/** Of one endpoint in both revisions. */
export function* compareVersions(
  { endpoint: base }: Contract,
  { endpoint: head }: Contract,
): Generator<ContractChange<VersionCode>> {
  if (base.version !== head.version) {
    const code = base.version === undefined ? 'version.numbered' : 'version.changed';
    const was = base.version === undefined ? 'it had none' : `was ${base.version}`;
    yield { code, message: `the version is ${head.version ?? 'not set'}, ${was}`, path: ['version'] };
  }
  yield* compareDeprecations(base, head);
  yield* compareRollouts(base, head);
}

function* compareDeprecations(
  { deprecated: old }: Endpoint,
  { deprecated: now }: Endpoint,
): Generator<ContractChange<VersionCode>> {
  const path = ['deprecated'];
  if (old === undefined && now === undefined) return;
  if (old === undefined) {
    const until = now?.sunset === undefined ? '' : `, and served until ${dayOf(now.sunset)}`;
    yield { code: 'deprecated.added', message: `deprecated since ${dayOf(now?.since ?? 0)}${until}`, path };
  } else if (now === undefined)
    yield { code: 'deprecated.removed', message: 'not deprecated any more', path };
  else {
    const [was, is] = [old.sunset ?? Infinity, now.sunset ?? Infinity];
    if (is < was) {
      const before = old.sunset === undefined ? 'was not set' : `was ${dayOf(was)}`;
      const message = `the sunset is ${dayOf(is)}, ${before}`;
      yield { code: 'deprecated.sunset_earlier', message, path: ['deprecated', 'sunset'] };
    }
    if (is > was) yield { code: 'deprecated.sunset_later', message: `the sunset was ${dayOf(was)}`, path };
    const isSame = old.since === now.since && old.successor === now.successor && old.reason === now.reason;
    if (!isSame) yield { code: 'deprecated.changed', message: 'the deprecation changed', path };
  }
}

function* compareRollouts(
  { rollout: old }: Endpoint,
  { rollout: now }: Endpoint,
): Generator<ContractChange<VersionCode>> {
  const path = ['rollout'];
  const [was, is] = [old?.share ?? 0, now?.share ?? 0];
  if (was !== is) {
    const message = `${is * 100}% of calls are compared, was ${was * 100}%`;
    yield { code: is > was ? 'rollout.raised' : 'rollout.lowered', message, path };
  }
  if (old !== undefined && now !== undefined && old.tolerance !== now.tolerance) {
    const message = `the tolerance is ${now.tolerance}, was ${old.tolerance}`;
    yield { code: 'rollout.tolerance_changed', message, path };
  }
}

/** The change of an endpoint that was removed, at a time in milliseconds since 1970. */
export function removal(
  endpoint: Endpoint,
  now: number,
): { readonly code: VersionCode; readonly message: string } {
  const name = referenceOf(endpoint);
  const sunset = endpoint.deprecated?.sunset;
  if (sunset === undefined) return { code: 'endpoint.removed', message: `${name} was removed` };
  const day = dayOf(sunset);
  return now >= sunset
    ? { code: 'endpoint.sunset', message: `${name} was removed after its sunset, ${day}` }
    : { code: 'endpoint.removed', message: `${name} was removed before its sunset, ${day}` };
}

/** By contract of the head: it is the default version of a name whose default was another endpoint. */
export function changedDefaults(
  base: Contracts,
  head: Contracts,
): ReadonlyMap<Contract, ContractChange<VersionCode>> {
  const [before, after] = [defaultsOf(base), defaultsOf(head)];
  const changed = [...after].flatMap(
    ([name, contract]): readonly (readonly [Contract, ContractChange<VersionCode>])[] => {
      const old = before.get(name)?.endpoint;
      const { id, version } = contract.endpoint;
      const isSame = old === undefined || old.id === id || old.version === version;
      if (isSame || version === undefined) return [];
      const was = old.version === undefined ? 'were served by another file' : `got version ${old.version}`;
      const message = `callers of ${name} get version ${version}, and ${was}`;
      return [[contract, { code: 'version.default_changed', message, path: ['version'] }]];
    },
  );
  return new Map(changed);
}

/** The default version of each name. */
export function defaultsOf({ served }: Contracts): ReadonlyMap<string, Contract> {
  const defaults = new Map<string, Contract>();
  for (const contract of served) {
    const { name } = contract.endpoint;
    const known = defaults.get(name);
    if (known === undefined || isPreferred(contract.endpoint, known.endpoint)) defaults.set(name, contract);
  }
  return defaults;
}

function isPreferred(one: Endpoint, other: Endpoint): boolean {
  if (one.isDefault !== other.isDefault) return one.isDefault;
  return (one.version ?? 0) > (other.version ?? 0);
}
