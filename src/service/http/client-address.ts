// The client's address: the peer's, or the one reported by a trusted proxy (X-Forwarded-For).
import type { IncomingMessage } from 'node:http';
import proxyaddr from '@fastify/proxy-addr';

export type ClientAddress = (request: IncomingMessage) => string | undefined;

/** `trusted`: addresses and networks of proxies. Throws TypeError for an invalid one. */
export function clientAddressBehind(trusted: readonly string[]): ClientAddress {
  if (trusted.length === 0) return ({ socket }) => socket.remoteAddress;
  const trust = proxyaddr.compile([...trusted]);
  return ({ socket, headers }) => {
    const chain = lastHops(headers['x-forwarded-for']);
    const request = { socket, headers: { 'x-forwarded-for': chain } };
    return proxyaddr(request as unknown as IncomingMessage, trust); // it reads only these two
  };
}

/** Characters. Proxies append, so what is cut off at the front was sent by the client. */
const MAX_CHAIN = 1000;

function lastHops(header: string | string[] | undefined): string | undefined {
  const chain = Array.isArray(header) ? header.join(',') : header;
  if (chain === undefined || chain.length <= MAX_CHAIN) return chain;
  const end = chain.slice(-MAX_CHAIN);
  return end.slice(end.indexOf(',') + 1);
}
