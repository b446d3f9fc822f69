// Cache keys: everything that can change a response, and nothing else.
import { hash } from 'node:crypto';

/**
 * `name@revision/digest`. `parts` lists, in a fixed order, whatever else determines the response: bound values, a
 * consumer query, redaction, format. Serialized as JSON so that different lists never collide.
 */
export function cacheKey(
  endpoint: { readonly name: string; readonly revision: string },
  parts: readonly (string | number | boolean | null)[],
): string {
  return `${endpoint.name}@${endpoint.revision}/${hash('sha256', JSON.stringify(parts), 'base64url')}`;
}

/** The prefix shared by all keys of an endpoint, or of one revision. Endpoint names contain no `@`. */
export function keyPrefix(name: string, revision?: string): string {
  return revision === undefined ? `${name}@` : `${name}@${revision}/`;
}
