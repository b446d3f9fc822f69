// Protects the admin listener, which requires no key, from requests that a page of another site makes a browser send.
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../../../sql/base/problem.ts';
import { isReadable } from '../../http/call-fields.ts';

/** Safe methods (RFC 9110, 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const LOOPBACK = ['localhost', 'ip6-localhost', 'ip6-loopback'];

/**
 * Rejects requests for a host name outside `names` with `route.host_unknown`: an attacking page whose own name resolves
 * to this listener (DNS rebinding) sends that name. IP addresses are always accepted, since only a page served from the
 * address itself sends them. Rejects unsafe methods from a page of another origin with `route.cross_site`.
 */
export function guardAdmin(app: FastifyInstance, names: readonly string[]): void {
  const known = new Set([...LOOPBACK, ...names].map(normalName));
  app.addHook('onRequest', (request, _reply, done) => {
    done(rejectionOf(request, known));
  });
}

function rejectionOf({ headers, method }: FastifyRequest, known: ReadonlySet<string>): Problem | undefined {
  const host = urlOfHost(headers.host);
  if (host === undefined || !isKnown(host.hostname, known)) {
    const detail = `The admin listener does not know the host "${(headers.host ?? '').slice(0, 100)}"`;
    return new Problem('route.host_unknown', { detail });
  }
  if (SAFE.has(method)) return undefined;
  const { origin, 'sec-fetch-site': site = 'none' } = headers;
  const isSameOrigin = origin === undefined || urlOf(origin)?.host === host.host;
  return isSameOrigin && (site === 'none' || site === 'same-origin')
    ? undefined
    : new Problem('route.cross_site');
}

function isKnown(hostname: string, known: ReadonlySet<string>): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || known.has(normalName(hostname));
}

/** Undefined unless the field is a single host with an optional port. */
function urlOfHost(host: string | undefined): URL | undefined {
  return isReadable(host) && /^[\w.:[\]-]+$/.test(host) ? urlOf(`http://${host}`) : undefined;
}

function urlOf(text: string): URL | undefined {
  return isReadable(text) && URL.canParse(text) ? new URL(text) : undefined;
}

/** A name may end with the dot of the DNS root. */
function normalName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
