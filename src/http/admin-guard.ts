// Who may talk to the admin listener through a browser: it asks for no key, so no page of another site may make one call it.
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../core/problem.ts';
import { isReadable } from './header-limit.ts';

/** Methods that change nothing (RFC 9110, 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const LOOPBACK = ['localhost', 'ip6-localhost', 'ip6-loopback'];

/**
 * Refuses requests for a host name that is not one of `names` with `route.host_unknown`: a page whose own name was made to
 * resolve to this listener (DNS rebinding) sends that name. Addresses are always fine: to be sent one, a page has to be
 * served by it, which is this listener. Refuses what changes something with `route.cross_site` when a page of another
 * origin sends it.
 */
export function guardAdmin(app: FastifyInstance, names: readonly string[]): void {
  const known = new Set([...LOOPBACK, ...names].map(normalName));
  app.addHook('onRequest', (request, _reply, done) => {
    done(refusalOf(request, known));
  });
}

function refusalOf({ headers, method }: FastifyRequest, known: ReadonlySet<string>): Problem | undefined {
  const host = urlOfHost(headers.host);
  if (host === undefined || !isKnown(host.hostname, known)) {
    const detail = `The admin listener does not know the host "${(headers.host ?? '').slice(0, 100)}"`;
    return new Problem('route.host_unknown', { detail });
  }
  if (SAFE.has(method)) return undefined;
  const { origin, 'sec-fetch-site': site = 'none' } = headers;
  const isOwn = origin === undefined || urlOf(origin)?.host === host.host;
  return isOwn && (site === 'none' || site === 'same-origin') ? undefined : new Problem('route.cross_site');
}

function isKnown(hostname: string, known: ReadonlySet<string>): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || known.has(normalName(hostname));
}

/** Undefined where the field is not one host and perhaps a port. */
function urlOfHost(host: string | undefined): URL | undefined {
  return isReadable(host) && /^[\w.:[\]-]+$/.test(host) ? urlOf(`http://${host}`) : undefined;
}

function urlOf(text: string): URL | undefined {
  return isReadable(text) && URL.canParse(text) ? new URL(text) : undefined;
}

/** A name may end in the dot of the root. */
function normalName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
