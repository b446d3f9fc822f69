// The immutable set of endpoints that requests read; replaced as a whole.
import type { Codes, Finding } from '../../sql/base/finding.ts';
import type { Position } from '../../sql/base/position.ts';
import type { Endpoint, EndpointHead } from './endpoint.ts';
import { referenceOf } from './endpoint.ts';

export const CATALOG_CODES: Codes = {
  'endpoint.duplicate_name': {
    title: 'Duplicate endpoint name',
    help: 'Names must be unique. The endpoint that was loaded first keeps serving; rename the other.',
  },
  'endpoint.duplicate_id': {
    title: 'Duplicate endpoint id',
    help: 'An id belongs to one endpoint permanently: give the copy a new UUID.',
  },
  'version.duplicate': {
    title: 'Two files are the same version of an endpoint',
    help: 'Each version of a name has a number of its own. The file that is named first is served.',
  },
  'version.missing': {
    title: 'A file without a version beside versions of the same name',
    help: 'If several files have one name, each has a version. The file that was served first stays in service.',
  },
  'version.two_defaults': {
    title: 'Two default versions of one endpoint',
    help: 'Only one version may have default: true. The file that is named first stays the default; the other keeps its last good version.',
  },
};

/** All endpoints in service at one time; frozen. */
export interface Catalog<E extends EndpointHead = Endpoint> {
  /** The default version of each name, sorted by name. */
  readonly endpoints: readonly E[];
  /** Every version of every name, sorted by name, the newest version first. */
  readonly all: readonly E[];
  /** By name (its default version), by name and version (`name@2`), or by UUID in any case. */
  find(nameOrId: string): E | undefined;
  /** The versions of a name, newest first: one if it has no versions, none if it is unknown. */
  versions(name: string): readonly E[];
}

/** An endpoint with the positions of its name and id, to report duplicates. */
export interface Candidate<E extends EndpointHead = Endpoint> {
  readonly endpoint: E;
  readonly name: Position;
  readonly id: Position;
  /** Of the name that its tool is derived from. */
  readonly tool: Position;
  /** Of keys that other files matter for, if it has them. */
  readonly places?: {
    readonly version: Position | undefined;
    readonly default: Position | undefined;
    readonly deprecated: Position | undefined;
    readonly rollout: Position | undefined;
    readonly rate: Position | undefined;
  };
}

/**
 * Builds a catalog. If two candidates have the same id, or the same name without being different versions of it, the
 * earlier one stays and the later one becomes a finding that names both files.
 */
export function assembleCatalog<E extends EndpointHead = Endpoint>(
  candidates: readonly Candidate<E>[],
): {
  readonly catalog: Catalog<E>;
  readonly diagnostics: readonly Finding[];
} {
  const byName = new Map<string, E[]>();
  const byId = new Map<string, E>();
  const diagnostics: Finding[] = [];
  for (const candidate of candidates) {
    const { endpoint } = candidate;
    const namesakes = byName.get(endpoint.name) ?? [];
    const doubles = [...conflicts(candidate, namesakes), ...sameId(candidate, byId.get(endpoint.id))];
    diagnostics.push(...doubles);
    if (doubles.length > 0) continue;
    byName.set(endpoint.name, [...namesakes, endpoint]);
    byId.set(endpoint.id, endpoint);
  }
  return { catalog: freeze(byName, byId), diagnostics };
}

function freeze<E extends EndpointHead>(
  byName: ReadonlyMap<string, readonly E[]>,
  byId: ReadonlyMap<string, E>,
): Catalog<E> {
  const versions = new Map(
    [...byName.keys()].toSorted().map((name) => [name, Object.freeze(newestFirst(byName.get(name) ?? []))]),
  );
  const byReference = new Map<string, E>();
  const endpoints: E[] = [];
  for (const [name, all] of versions) {
    const served = all.find(({ isDefault }) => isDefault) ?? all[0];
    if (served === undefined) continue;
    endpoints.push(served);
    byReference.set(name, served);
    for (const each of all) byReference.set(referenceOf(each), each);
  }
  return Object.freeze({
    endpoints: Object.freeze(endpoints),
    all: Object.freeze([...versions.values()].flat()),
    find: (nameOrId: string) => byReference.get(nameOrId) ?? byId.get(nameOrId.toLowerCase()),
    versions: (name: string) => versions.get(name) ?? [],
  });
}

function newestFirst<E extends EndpointHead>(versions: readonly E[]): E[] {
  return versions.toSorted((a, b) => (b.version ?? 0) - (a.version ?? 0));
}

function sameId({ endpoint, id }: Candidate<EndpointHead>, first: EndpointHead | undefined): Finding[] {
  if (first === undefined) return [];
  return [
    {
      file: endpoint.file,
      ...id,
      severity: 'error',
      code: 'endpoint.duplicate_id',
      message: `${first.file} already has the id "${endpoint.id}"`,
      hint: until(`Change the id in ${first.file} or in ${endpoint.file}`, first),
    },
  ];
}

const until = (advice: string, first: EndpointHead): string =>
  `${advice}; until then, ${first.file} is served`;

/** Why the candidate cannot be served beside the endpoints that have its name. */
function conflicts(
  { endpoint, name, places }: Candidate<EndpointHead>,
  namesakes: readonly EndpointHead[],
): Finding[] {
  const error = { file: endpoint.file, severity: 'error' as const };
  const same = namesakes.find(({ version }) => version === endpoint.version);
  if (same !== undefined) {
    const isVersion = same.version !== undefined;
    return [
      {
        ...error,
        ...((isVersion ? places?.version : undefined) ?? name),
        code: isVersion ? 'version.duplicate' : 'endpoint.duplicate_name',
        message: isVersion
          ? `${same.file} is already version ${same.version} of ${endpoint.name}`
          : `${same.file} already has the name "${endpoint.name}"`,
        hint: until(
          isVersion
            ? `Write another version, such as ${nextVersion(namesakes)}`
            : `Change the name in ${same.file} or in ${endpoint.file}, or write version: 1 in one and version: 2 in the other`,
          same,
        ),
      },
    ];
  }
  const [first] = namesakes;
  if (first === undefined) return [];
  if (first.version === undefined || endpoint.version === undefined) {
    const [without, version] = first.version === undefined ? [first, 1] : [endpoint, nextVersion(namesakes)];
    return [
      {
        ...error,
        ...(places?.version ?? name),
        code: 'version.missing',
        message: `${without.file} has the name "${endpoint.name}" without a version, which another file has with one`,
        hint: until(`Write version: ${version} in ${without.file}`, first),
      },
    ];
  }
  const second = endpoint.isDefault ? namesakes.find(({ isDefault }) => isDefault) : undefined;
  if (second === undefined) return [];
  return [
    {
      ...error,
      ...(places?.default ?? name),
      code: 'version.two_defaults',
      message: `${second.file} is already the default version of ${endpoint.name}`,
      hint: until(`Remove default: true from one of the two`, second),
    },
  ];
}

function nextVersion(versions: readonly EndpointHead[]): number {
  return 1 + Math.max(0, ...versions.map(({ version = 0 }) => version));
}
