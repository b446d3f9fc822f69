// The key of a request: a password, as ClickHouse's clients send it, or as the rest of the API takes it.
import type { FastifyRequest } from 'fastify';
import { Problem } from '../../../sql/base/problem.ts';
import type { Parameters } from './parameters.ts';
import { keyOf } from '../../http/call-fields.ts';
import { MAX_KEY_LENGTH } from '../../request/admission/keys.ts';

/**
 * The key; user names are ignored. An empty password is none: clients send one by default. Throws Problem
 * `auth.conflict` for several different keys. A value longer than any key is returned as it is, to be rejected.
 */
export function clickHouseKey(request: FastifyRequest, parameters: Parameters): string | undefined {
  const header = request.headers['x-clickhouse-key'];
  const sent = [
    keyOf(request),
    basicPassword(request.headers.authorization),
    Array.isArray(header) ? header.join(',') : header,
    parameters.get('password'),
  ];
  const keys = new Set(sent.filter((key) => key !== undefined && key !== ''));
  if (keys.size > 1) throw new Problem('auth.conflict');
  const [key] = keys;
  return key;
}

/** RFC 7617. The user name has no colon, the password may. */
function basicPassword(authorization = ''): string | undefined {
  if (authorization.length > 2 * MAX_KEY_LENGTH) return authorization;
  const encoded = /^Basic +([\w+/=-]+) *$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon === -1 ? undefined : text.slice(colon + 1);
}
