// The immutable set of endpoints that requests read; replaced as a whole.
import type { Finding } from '../core/finding.ts';
import type { Endpoint } from './endpoint.ts';

/** All endpoints in service at one time; frozen. */
export interface Catalog {
  /** Sorted by name. */
  readonly endpoints: readonly Endpoint[];
  /** By name, or by UUID in any case. */
  find(nameOrId: string): Endpoint | undefined;
}

/** An endpoint with the positions of its name and id, to report duplicates. */
export interface Candidate {
  readonly endpoint: Endpoint;
  readonly name: Place;
  readonly id: Place;
  /** Of the name that its tool is derived from. */
  readonly tool: Place;
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/**
 * Builds a catalog. If two candidates have the same name or id, the earlier one stays and the later one becomes a
 * finding that names both files.
 */
export function assembleCatalog(candidates: readonly Candidate[]): {
  readonly catalog: Catalog;
  readonly diagnostics: readonly Finding[];
} {
  const byName = new Map<string, Endpoint>();
  const byId = new Map<string, Endpoint>();
  const diagnostics: Finding[] = [];
  for (const candidate of candidates) {
    const { endpoint } = candidate;
    const doubles = [
      ...doubled(candidate, 'name', byName.get(endpoint.name)),
      ...doubled(candidate, 'id', byId.get(endpoint.id)),
    ];
    diagnostics.push(...doubles);
    if (doubles.length > 0) continue;
    byName.set(endpoint.name, endpoint);
    byId.set(endpoint.id, endpoint);
  }
  const endpoints = [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const find = (nameOrId: string): Endpoint | undefined =>
    byName.get(nameOrId) ?? byId.get(nameOrId.toLowerCase());
  return { catalog: Object.freeze({ endpoints: Object.freeze(endpoints), find }), diagnostics };
}

function doubled(candidate: Candidate, key: 'name' | 'id', first: Endpoint | undefined): Finding[] {
  if (first === undefined) return [];
  const { endpoint } = candidate;
  return [
    {
      file: endpoint.file,
      ...candidate[key],
      severity: 'error',
      code: `endpoint.duplicate_${key}`,
      message: `${first.file} already has the ${key} "${endpoint[key]}"`,
      hint: `Change the ${key} in ${first.file} or in ${endpoint.file}; until then, ${first.file} is served`,
    },
  ];
}
