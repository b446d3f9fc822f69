// Hashes what determines the result of an endpoint file: for its revision, and for the secret of its page cursors.
import { hash } from 'node:crypto';
import type { EndpointFile } from '../config/generated/endpoint.ts';

/** Identifies what a file returns, whatever else changes in it. */
export function revisionOf(file: EndpointFile, sql: string): string {
  return hash('sha256', JSON.stringify(canonical({ ...resultRelevant(file), sql })), 'hex').slice(0, 12);
}

/** The secret of page cursors covers what the revision does, so that all processes with the file accept each other's cursors, also after a change of its description. */
export function cursorSecret(file: EndpointFile, sql: string): Buffer {
  return hash(
    'sha256',
    JSON.stringify(['page cursors', canonical({ ...resultRelevant(file), sql })]),
    'buffer',
  );
}

/**
 * Excludes what cannot change a result: the query, which callers of this add as it is bound, which version is the default, documentation (deprecation, descriptions, examples and their rows, labels, reasons, the source of a conversion), what
 * agents and people see, how results are followed and exported, and scheduling.
 */
function resultRelevant(file: EndpointFile): object {
  const {
    description: _description,
    default: _default,
    deprecated: _deprecated,
    rollout: _rollout,
    examples: _examples,
    fixtures: _fixtures,
    converted: _converted,
    allow: _allow,
    allow_security: _allowSecurity,
    allow_breaking: _reason,
    tenancy: _tenancy,
    labels: _labels,
    reservation: _reservation,
    rollups: _rollups,
    mcp: _mcp,
    view: _view,
    live: _live,
    export: _export,
    watch: _watch,
    budget: _budget,
    query: _query,
    ...rest
  } = file;
  return rest;
}

/** The same data with sorted keys: the order of keys in a file has no meaning. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]: [string, unknown]) => [key, canonical(item)]));
}
