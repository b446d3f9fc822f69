// Who calls, as an address: the peer's, or what a proxy that is believed says (X-Forwarded-For).
import type { IncomingMessage } from 'node:http';
import proxyaddr from '@fastify/proxy-addr';

export type ClientAddress = (request: IncomingMessage) => string | undefined;

/** `trusted`: addresses and networks of proxies. Throws TypeError for one that is none. */
export function clientAddressBehind(trusted: readonly string[]): ClientAddress {
  if (trusted.length === 0) return ({ socket }) => socket.remoteAddress;
  const trust = proxyaddr.compile([...trusted]);
  return (request) => proxyaddr(request, trust);
}
