// Which origins may send MCP requests: those of CORS, and the service's own on a loopback name.
import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { allowedOrigins } from '../../../../src/service/config/origins.ts';
import { checkOrigin } from '../../../../src/service/fronts/mcp/origin.ts';

interface Row {
  readonly origin?: string;
  readonly host?: string;
  readonly cors?: string;
  readonly isAllowed: boolean;
}

test.each<Row>([
  { host: 'service.example', isAllowed: true },
  // The service's own, however they are written.
  { origin: 'http://localhost:4000', host: 'localhost:4000', isAllowed: true },
  { origin: 'http://LOCALHOST:4000', host: 'localhost:4000', isAllowed: true },
  { origin: 'http://localhost:4000', host: 'LocalHost:4000', isAllowed: true },
  { origin: 'http://localhost', host: 'localhost:80', isAllowed: true },
  { origin: 'http://localhost:80', host: 'localhost', isAllowed: true },
  { origin: 'https://localhost', host: 'localhost:443', isAllowed: true },
  { origin: 'http://[::1]:4000', host: '[0:0:0:0:0:0:0:1]:4000', isAllowed: true },
  { origin: 'http://127.0.0.1:4000', host: '127.1:4000', isAllowed: true },
  // Others.
  { origin: 'http://localhost:4000', host: 'localhost:4001', isAllowed: false },
  { origin: 'http://localhost:4000', host: '127.0.0.1:4000', isAllowed: false },
  { origin: 'http://localhost:4000', isAllowed: false },
  { origin: 'http://localhost.evil.example:4000', host: 'localhost.evil.example:4000', isAllowed: false },
  { origin: 'http://rebound.example:4000', host: 'rebound.example:4000', isAllowed: false },
  { origin: 'http://localhost:4000/', host: 'localhost:4000', isAllowed: false },
  { origin: 'http://localhost@evil.example', host: 'localhost', isAllowed: false },
  { origin: 'http://evil.example#localhost', host: 'localhost', isAllowed: false },
  { origin: 'http://localhost', host: 'localhost/evil', isAllowed: false },
  { origin: 'null', host: 'localhost', isAllowed: false },
  { origin: '', host: 'localhost', isAllowed: false },
  // Those of CORS.
  { origin: 'https://app.example', host: 'x', cors: 'https://App.Example:443', isAllowed: true },
  { origin: 'https://APP.example:443', host: 'x', cors: 'https://app.example', isAllowed: true },
  { origin: 'https://any.example', host: 'x', cors: '*', isAllowed: true },
  { origin: 'http://app.example', host: 'x', cors: 'https://app.example', isAllowed: false },
  { origin: 'https://app.example:8443', host: 'x', cors: 'https://app.example', isAllowed: false },
])('$origin at $host, allowed: $cors', ({ origin, host, cors, isAllowed }) => {
  const request = { headers: { origin, host } } as FastifyRequest; // all that is read of it
  const check = (): void => checkOrigin(request, { corsOrigins: allowedOrigins(cors) });
  if (isAllowed) expect(check).not.toThrow();
  else expect(check).toThrow(expect.objectContaining({ code: 'route.origin_denied' }));
});
