// The key of an answer: everything that can change it, and nothing else.
import { hash } from 'node:crypto';

/**
 * `name@revision/digest`. `parts` are whatever beside the endpoint decides the answer, in a fixed order: values bound,
 * a query of the caller's own, redaction, format. Written as JSON, so that no two lists look alike.
 */
export function cacheKey(
  endpoint: { readonly name: string; readonly revision: string },
  parts: readonly (string | number | boolean | null)[],
): string {
  return `${endpoint.name}@${endpoint.revision}/${hash('sha256', JSON.stringify(parts), 'base64url')}`;
}

/** What all keys of an endpoint begin with, or of one revision of it. Names have no `@`. */
export function keyPrefix(name: string, revision?: string): string {
  return revision === undefined ? `${name}@` : `${name}@${revision}/`;
}
