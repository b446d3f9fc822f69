// The address of the service for its clients, as configured: what OAuth names does not depend on header fields of requests.
import { afterEach, expect, test } from 'vitest';
import { startService, type TestService } from '../../../support/service.ts';

const ISSUER = 'https://id.example.com';
const WELL_KNOWN = '/.well-known/oauth-protected-resource';

let service: TestService | undefined;
afterEach(() => service?.stop());

async function start(publicUrl: string): Promise<string> {
  const jwksUrl = 'http://127.0.0.1:1/keys';
  const claims = { audience: 'millrace', algorithms: ['RS256'], claim: 'millrace', skewSeconds: 60 };
  service = await startService({ settings: { publicUrl, jwt: { issuer: ISSUER, jwksUrl, ...claims } } });
  return service.service.address;
}

const FORGED = { 'X-Forwarded-Host': 'other.example.org', 'X-Forwarded-Proto': 'http' };

test.each([
  { publicUrl: 'https://api.example.com', path: '', why: 'an origin' },
  { publicUrl: 'https://api.example.com:8443', path: '', why: 'an origin with a port' },
  {
    publicUrl: 'https://api.example.com/data/v1',
    path: '/data/v1',
    why: 'a path under which a proxy serves it',
  },
])('$why: $publicUrl', async ({ publicUrl, path }) => {
  const address = await start(publicUrl);
  const denied = await fetch(`${address}/mcp`, { method: 'POST', headers: FORGED });
  expect(denied.status).toBe(401);
  const metadata = `${new URL(publicUrl).origin}${WELL_KNOWN}${path}/mcp`;
  expect(denied.headers.get('www-authenticate')).toContain(`resource_metadata="${metadata}"`);
  for (const base of ['', path])
    for (const resource of ['', '/mcp']) {
      const document = await fetch(`${address}${WELL_KNOWN}${base}${resource}`, { headers: FORGED });
      expect(await document.json()).toMatchObject({
        resource: `${publicUrl}${resource}`,
        authorization_servers: [ISSUER],
      });
    }
});
