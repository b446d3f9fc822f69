// The key of a request: a token in a header field or, as many clients in pages send it, in the URL.
import type { FastifyRequest } from 'fastify';
import { Problem } from '../../../sql/base/problem.ts';
import { keyOf, queryStringOf } from '../../http/call-fields.ts';
import { pairsOf } from '../../http/fields.ts';

/** The parameter of URLs that has the key. */
export const KEY_FIELD = 'token';

/** Throws Problem `auth.conflict` for several different keys, and `request.*` for a URL that cannot be read. */
export function tinybirdKey(request: FastifyRequest): string | undefined {
  const inUrl = [...pairsOf(queryStringOf(request))].filter(([name]) => name === KEY_FIELD);
  const sent = [keyOf(request), ...inUrl.map(([, value]) => value)];
  const keys = new Set(sent.filter((key) => key !== undefined && key !== ''));
  if (keys.size > 1) throw new Problem('auth.conflict', { hint: 'Send one token, once.' });
  const [key] = keys;
  return key;
}
