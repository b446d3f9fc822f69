// Header fields of deprecated endpoints and versions, on answers and on problems.
import type { CalledEndpoint } from '../request/call.ts';
import type { Link } from './links.ts';

/** `Deprecation: @1688169599` (RFC 9745) and `Sunset`, an HTTP date (RFC 8594). */
export function deprecationFields({
  deprecated,
}: Pick<CalledEndpoint, 'deprecated'>): Readonly<Record<string, string>> {
  if (deprecated === undefined) return {};
  const { since, sunset } = deprecated;
  return {
    Deprecation: `@${since / 1000}`,
    ...(sunset === undefined ? {} : { Sunset: new Date(sunset).toUTCString() }),
  };
}

/** `rel="successor-version"` (RFC 5829); none without a successor, a name or `name@2`. */
export function successorLinks(successor: string | undefined): readonly Link[] {
  if (successor === undefined) return [];
  return [{ target: `/api/endpoints/query/${successor}`, rel: 'successor-version' }];
}
