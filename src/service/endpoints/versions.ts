// Versions of an endpoint: files of one name with different numbers, one of which is the default.
import type { EndpointFile } from '../config/generated/endpoint.ts';
import type { Codes, Finding } from '../../sql/base/finding.ts';
import { didYouMean, nearest } from '../../sql/base/nearest.ts';
import type { Candidate, Catalog } from './catalog.ts';
import type { Deprecation, Endpoint, EndpointHead, Rollout } from './endpoint.ts';
import { referenceOf, type Versioned } from './endpoint.ts';

export const SERVED_VERSION_CODES: Codes = {
  'version.rate_ignored': {
    title: 'A rate limit or budget that does not apply',
    help: 'The calls of all versions of a name are counted together, so that switching versions raises no limit, and the rate and the budget of the default version apply.',
  },
  'deprecated.successor_unknown': {
    title: 'The successor does not exist',
    help: 'deprecated.successor names what to call instead: the number of another version, or another endpoint. It is a warning, since the other file may be served elsewhere.',
  },
  'rollout.without_previous': {
    title: 'A rollout without a version before',
    help: 'rollout compares a version with the one before it, and there is none with a lower number.',
  },
};

/** The name in a reference, without the number of a version. Names contain no `@`. */
export function nameIn(reference: string): string {
  return reference.replace(/@[1-9][0-9]{0,3}$/, '');
}

/** How callers name the endpoint: the default version by its name alone. */
export function addressOf(catalog: Pick<Catalog, 'find'>, endpoint: Endpoint): string {
  return catalog.find(endpoint.name) === endpoint ? endpoint.name : referenceOf(endpoint);
}

/** A sentence about the deprecation; undefined if there is none. */
export function deprecationText({ deprecated }: Endpoint, successor: string | undefined): string | undefined {
  if (deprecated === undefined) return undefined;
  const { since, sunset, reason } = deprecated;
  const parts = [
    `Deprecated since ${dayOf(since)}`,
    ...(sunset === undefined ? [] : [`served until ${dayOf(sunset)}`]),
    ...(successor === undefined ? [] : [`use ${successor} instead`]),
  ];
  return `${parts.join('; ')}.${reason === undefined ? '' : ` ${reason}`}`;
}

/** `2026-03-01` */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The endpoint or version to call instead of a deprecated one, as a reference; undefined: none. */
export function successorOf(catalog: Catalog, endpoint: Endpoint): string | undefined {
  const { name, deprecated } = endpoint;
  if (deprecated === undefined) return undefined;
  const { successor } = deprecated;
  if (successor !== undefined) return successor;
  const served = catalog.find(name);
  return served === undefined || served === endpoint ? undefined : name;
}

/** The version before this one: that with the next lower number. */
export function versionBefore<E extends EndpointHead>(
  catalog: Catalog<E>,
  { name, version }: Versioned,
): E | undefined {
  if (version === undefined) return undefined;
  return catalog.versions(name).find((each) => (each.version ?? 0) < version);
}

/** The deprecation in a file; a number as successor is a version of the same name. */
export function deprecationOf({ name, deprecated }: EndpointFile): Deprecation | undefined {
  if (deprecated === undefined) return undefined;
  const { since, sunset, successor, reason } = deprecated;
  return Object.freeze({
    since: Date.parse(since),
    sunset: sunset === undefined ? undefined : Date.parse(sunset),
    successor: typeof successor === 'number' ? `${name}@${successor}` : successor,
    reason,
  });
}

const TOLERANCE = 1e-9;

export function rolloutOf({ rollout }: EndpointFile): Rollout | undefined {
  if (rollout === undefined) return undefined;
  const { shadow, tolerance = TOLERANCE } = rollout;
  return Object.freeze({ share: Number.parseFloat(shadow) / 100, tolerance });
}

/** The number of the version that may have been meant, or the name of the endpoint. */
function nearestSuccessor<E extends EndpointHead>(
  catalog: Catalog<E>,
  endpoint: E,
  successor: string,
): string | undefined {
  const [name = '', version] = successor.split('@');
  const versions = catalog.versions(name).filter((each) => each !== endpoint);
  if (version === undefined || versions.length === 0)
    return didYouMean(
      nearest(
        name,
        catalog.endpoints.map((each) => each.name).filter((each) => each !== endpoint.name),
      ),
    );
  const distanceOf = (each: E): number => Math.abs((each.version ?? 1) - Number(version));
  const [closest] = versions.toSorted((a, b) => distanceOf(a) - distanceOf(b));
  return didYouMean(closest && String(closest.version ?? 1));
}

/** Warnings about files that depend on other files of the catalog, which is made of the candidates. */
export function versionFindings<E extends EndpointHead>(
  catalog: Catalog<E>,
  candidates: Iterable<Candidate<E>>,
): readonly Finding[] {
  return [...candidates].flatMap((candidate): readonly Finding[] => {
    const { endpoint, name } = candidate;
    const successor = endpoint.deprecated?.successor;
    const found: Finding[] = [];
    const warn = (code: string, place: Candidate['name'], message: string, hint: string): void => {
      found.push({ file: endpoint.file, ...place, severity: 'warning', code, message, hint });
    };
    const meant = successor === undefined ? undefined : catalog.find(successor);
    const { deprecated = name, rollout = name, rate = name } = candidate.places ?? {};
    if (successor !== undefined && (meant === undefined || meant === endpoint)) {
      warn(
        'deprecated.successor_unknown',
        deprecated,
        meant === endpoint
          ? `the successor ${successor} is this endpoint itself`
          : `there is no endpoint ${successor}, which callers should use instead`,
        nearestSuccessor(catalog, endpoint, successor) ??
          'Write the number of another version, or the name of another endpoint',
      );
    }
    if (endpoint.rollout !== undefined && versionBefore(catalog, endpoint) === undefined)
      warn(
        'rollout.without_previous',
        rollout,
        `there is no version of ${endpoint.name} before ${endpoint.version ?? 1} whose calls could be compared`,
        'Remove rollout, or add the version before',
      );
    const served = catalog.find(endpoint.name);
    if (served !== undefined && served !== endpoint && isIgnored(endpoint, served))
      warn(
        'version.rate_ignored',
        rate,
        `limits.rate and budget count the calls of all versions together, and those of ${served.file} apply`,
        'Write the same limits.rate and budget in all versions, or remove them here',
      );
    return found;
  });
}

/** Returns whether a version declares another rate or budget than the one that applies. */
function isIgnored({ rate, budgets }: EndpointHead, served: EndpointHead): boolean {
  const isRate = rate?.limit !== served.rate?.limit || rate?.window !== served.rate?.window;
  return (
    (rate !== undefined && isRate) ||
    (budgets.length > 0 && JSON.stringify(budgets) !== JSON.stringify(served.budgets))
  );
}
