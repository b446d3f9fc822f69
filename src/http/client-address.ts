// Who calls, as an address: the peer's, or what a proxy that is believed says (X-Forwarded-For).
import type { IncomingMessage } from 'node:http';
import proxyaddr from '@fastify/proxy-addr';

export type ClientAddress = (request: IncomingMessage) => string | undefined;

/** `trusted`: addresses and networks of proxies. Throws TypeError for one that is none. */
export function clientAddressBehind(trusted: readonly string[]): ClientAddress {
  if (trusted.length === 0) return ({ socket }) => socket.remoteAddress;
  const trust = proxyaddr.compile([...trusted]);
  return ({ socket, headers }) => {
    const chain = lastHops(headers['x-forwarded-for']);
    const request = { socket, headers: { 'x-forwarded-for': chain } };
    return proxyaddr(request as unknown as IncomingMessage, trust); // it reads these two and nothing else
  };
}

/** Characters; proxies add to the end, so that what is cut off in front is the caller's own. */
const MAX_CHAIN = 1000;

function lastHops(header: string | string[] | undefined): string | undefined {
  const chain = Array.isArray(header) ? header.join(',') : header;
  if (chain === undefined || chain.length <= MAX_CHAIN) return chain;
  const end = chain.slice(-MAX_CHAIN);
  return end.slice(end.indexOf(',') + 1);
}
