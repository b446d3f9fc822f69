// Entity tags.
import { isReadable } from './call-fields.ts';

/** Returns whether an `If-None-Match` field lists the tag (RFC 9110, 13.1.2). */
export function matchesTag(condition: string | undefined, etag: string): boolean {
  const known = isReadable(condition) ? condition.split(',') : [];
  return known.some((tag) => tag.trim() === etag);
}
