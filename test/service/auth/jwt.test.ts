// JSON Web Tokens as keys: real signatures, a real JWKS server, and invalid forms of both.
import { createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createJwtKeyring } from '../../../src/service/auth/jwt.ts';
import type { JwtKeyring } from '../../../src/service/auth/token-checks.ts';
import type { Observation } from '../../../src/sql/base/observation.ts';
import { Problem } from '../../../src/sql/base/problem.ts';
import { runs } from '../../support/runs.ts';

const ISSUER = 'https://id.example.com';
const NOW = Date.parse('2026-01-01T12:00:00Z');
const seconds = NOW / 1000;

interface Pair {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly jwk: Record<string, unknown>;
  readonly pem: string;
}

function newPair(kid: string): Pair {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' };
  return { kid, privateKey, jwk, pem: publicKey.export({ format: 'pem', type: 'spki' }).toString() };
}

const first = newPair('first');
const second = newPair('second');
const stranger = newPair('first');

/** What the server of keys does; `keys` is a set, a text, or 'silence'. */
let keys: readonly Pair[] | string = [first];
let fetched = 0;
let server: Server;
let url = '';

beforeAll(async () => {
  server = createServer((_request, response) => {
    fetched++;
    if (keys === 'silence') return;
    const body = typeof keys === 'string' ? keys : JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });
    response.setHeader('Content-Type', 'application/json').end(body);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/jwks`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  keys = [first];
});

const observed: Observation[] = [];
const open = (jwksUrl = url, monotonic = () => 0): JwtKeyring =>
  createJwtKeyring({
    issuer: ISSUER,
    audience: 'millrace',
    jwksUrl,
    algorithms: ['RS256', 'ES256'],
    claim: 'millrace',
    skewSeconds: 30,
    observe: (each) => void observed.push(each),
    monotonic,
  });

type Json = Readonly<Record<string, unknown>>;
const CLAIMS: Json = {
  iss: ISSUER,
  aud: 'millrace',
  sub: 'customer-7',
  iat: seconds,
  exp: seconds + 3600,
  millrace: {
    endpoints: ['logs.*'],
    allow: ['sql'],
    parameters: { project: 'abc' },
    pii: 'redact',
    rate: '60/min',
  },
};
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function token(claims: Json = {}, header: Json = {}, { privateKey, kid }: Pair = first): string {
  const text = `${base64({ alg: 'RS256', kid, ...header })}.${base64({ ...CLAIMS, ...claims })}`;
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
}

test('a valid token gives the principal described by its claim', async () => {
  const result = await open().authenticate(token(), NOW);
  expect(result).toMatchObject({
    kind: 'accepted',
    principal: {
      id: `jwt:${ISSUER}:customer-7`,
      name: 'customer-7',
      redact: true,
      rate: { limit: 60, window: 60 },
    },
  });
  if (result.kind !== 'accepted') return;
  expect([result.principal.covers('logs.all'), result.principal.covers('usage.api-counts')]).toEqual([
    true,
    false,
  ]);
  expect([...result.principal.languages, ...result.principal.locked]).toEqual(['sql', ['project', 'abc']]);
});

describe('claims', () => {
  test.each<{ why: string; claims: Json; now?: number; reason: string }>([
    { why: 'another issuer', claims: { iss: 'https://evil.example.com' }, reason: 'unfit' },
    { why: 'another audience', claims: { aud: 'other' }, reason: 'unfit' },
    { why: 'no audience', claims: { aud: undefined }, reason: 'unfit' },
    { why: 'no subject', claims: { sub: undefined }, reason: 'unfit' },
    { why: 'no expiry', claims: { exp: undefined }, reason: 'unfit' },
    { why: 'expired, beyond the skew', claims: { exp: seconds - 31 }, reason: 'expired' },
    { why: 'not yet valid, beyond the skew', claims: { nbf: seconds + 31 }, reason: 'unfit' },
    { why: 'too long a lifetime', claims: { exp: seconds + 25 * 3600 }, reason: 'unfit' },
    {
      why: 'too long a lifetime, without iat',
      claims: { iat: undefined, exp: seconds + 25 * 3600 },
      reason: 'unfit',
    },
    {
      why: 'too long a lifetime from now, issued in a year',
      claims: { iat: seconds + 365 * 86_400, exp: seconds + 365 * 86_400 + 3600 },
      reason: 'unfit',
    },
    {
      why: 'too long a lifetime from now, issued in an hour',
      claims: { iat: seconds + 3600, exp: seconds + 25 * 3600 },
      reason: 'unfit',
    },
    {
      why: 'the last day of a week’s lifetime',
      claims: { iat: seconds - 6 * 86_400, exp: seconds + 3600 },
      reason: 'unfit',
    },
    {
      why: 'an expiry just over a day and the skew',
      claims: { exp: seconds + 86_400 + 31 },
      reason: 'unfit',
    },
    { why: 'issued in the future, beyond the skew', claims: { iat: seconds + 31 }, reason: 'unfit' },
    { why: 'an invalid issue time', claims: { iat: 'today' }, reason: 'unfit' },
    { why: 'issued at null', claims: { iat: null }, reason: 'unfit' },
    { why: 'an empty subject', claims: { sub: '' }, reason: 'unfit' },
    { why: 'a subject of spaces', claims: { sub: ' \t\u00a0' }, reason: 'unfit' },
    { why: 'a subject that is a number', claims: { sub: 7 }, reason: 'unfit' },
    { why: 'a subject that is an object', claims: { sub: { id: 7 } }, reason: 'unfit' },
    { why: 'a subject that is a list of one', claims: { sub: ['customer-7'] }, reason: 'unfit' },
    { why: 'a subject that is null', claims: { sub: null }, reason: 'unfit' },
    { why: 'a subject that is true', claims: { sub: true }, reason: 'unfit' },
    { why: 'a subject over the maximum length', claims: { sub: 'x'.repeat(256) }, reason: 'unfit' },
    { why: 'an expiry that is not a number', claims: { exp: 'tomorrow' }, reason: 'unfit' },
    { why: 'without our claim', claims: { millrace: undefined }, reason: 'unfit' },
    { why: 'a claim that is a string', claims: { millrace: '*' }, reason: 'unfit' },
    { why: 'a claim without endpoints', claims: { millrace: {} }, reason: 'unfit' },
    {
      why: 'an unknown field in the claim',
      claims: { millrace: { endpoints: ['*'], pi: 'redact' } },
      reason: 'unfit',
    },
    {
      why: 'unknown redaction',
      claims: { millrace: { endpoints: ['*'], pii: 'mask' } },
      reason: 'unfit',
    },
    {
      why: 'a locked list',
      claims: { millrace: { endpoints: ['*'], parameters: { p: ['a'] } } },
      reason: 'unfit',
    },
  ])('rejected: $why', async ({ claims, reason }) => {
    expect(await open().authenticate(token(claims), NOW)).toMatchObject({ kind: 'rejected', reason });
  });

  test.each<{ why: string; claims: Json }>([
    { why: 'expired, within the skew', claims: { exp: seconds - 29 } },
    { why: 'not yet valid, within the skew', claims: { nbf: seconds + 29 } },
    { why: 'a lifetime of a day and the skew', claims: { exp: seconds + 86_400 + 29 } },
    { why: 'issued in the future, within the skew', claims: { iat: seconds + 29 } },
    { why: 'without iat', claims: { iat: undefined } },
    { why: 'a subject of maximum length', claims: { sub: 'x'.repeat(255) } },
    { why: 'one audience of several', claims: { aud: ['other', 'millrace'] } },
    { why: 'unrelated claims', claims: { email: 'a@b.example', millrace_roles: ['x'] } },
  ])('accepted: $why', async ({ claims }) => {
    expect(await open().authenticate(token(claims), NOW)).toMatchObject({ kind: 'accepted' });
  });
});

/** A token whose payload is this text: numbers that JSON.stringify does not write. */
function withPayload(text: string): string {
  const signed = `${base64({ alg: 'RS256', kid: 'first' })}.${Buffer.from(text).toString('base64url')}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), first.privateKey).toString('base64url')}`;
}

test.each([
  { why: 'an infinite expiry', from: `"exp":${seconds + 3600}`, to: '"exp":1e999' },
  { why: 'an infinite issue time', from: `"iat":${seconds}`, to: '"iat":1e999' },
  { why: 'an issue time of negative infinity', from: `"iat":${seconds}`, to: '"iat":-1e999' },
])('rejected: $why', async ({ from, to }) => {
  const text = JSON.stringify(CLAIMS);
  expect(text).toContain(from);
  const result = await open().authenticate(withPayload(text.replace(from, to)), NOW);
  expect(result).toMatchObject({ kind: 'rejected', reason: 'unfit' });
});

describe('signatures', () => {
  const parts = (text: string): string[] => text.split('.');
  const withHmac = (secret: string): string => {
    const text = `${base64({ alg: 'HS256', kid: 'first' })}.${base64(CLAIMS)}`;
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  test.each<{ why: string; key: () => string }>([
    { why: "of a key that is not the issuer's, under its name", key: () => token({}, {}, stranger) },
    { why: 'of a key that the issuer does not have', key: () => token({}, {}, second) },
    { why: 'none', key: () => `${base64({ alg: 'none' })}.${base64(CLAIMS)}.x` },
    { why: 'made with the public key as a secret', key: () => withHmac(first.pem) },
    { why: 'by an algorithm that is not listed', key: () => token({}, { alg: 'RS512' }) },
    {
      why: 'of other claims',
      key: () => [parts(token())[0], base64({ ...CLAIMS, sub: 'admin' }), parts(token())[2]].join('.'),
    },
    {
      why: 'with its own key in the header',
      key: () => token({}, { jwk: stranger.jwk, kid: undefined }, stranger),
    },
    {
      why: 'with a key URL in the header',
      key: () => token({}, { jku: 'http://127.0.0.1:1/' }, stranger),
    },
    { why: 'with a critical extension', key: () => token({}, { crit: ['b64'], b64: false }) },
    { why: 'with a name that is a path', key: () => token({}, { kid: '../../first' }) },
    { why: 'not JSON', key: () => 'aaaa.bbbb.cccc' },
    { why: 'far too long', key: () => token({ pad: 'x'.repeat(10_000) }) },
  ])('rejected: $why', async ({ key }) => {
    expect(await open().authenticate(key(), NOW)).toEqual({ kind: 'rejected', reason: 'unknown' });
  });
});

describe('keys of the issuer', () => {
  test('are fetched once, and a token is checked once', async () => {
    const keyring = open();
    const before = fetched;
    const key = token();
    await keyring.authenticate(key, NOW);
    expect(keyring.authenticate(key, NOW)).toMatchObject({ kind: 'accepted' }); // at once: not a promise
    await keyring.authenticate(token({ sub: 'other' }), NOW);
    expect(fetched - before).toBe(1);
  });

  test('a token is verified again after a while, and at its expiry', async () => {
    const keyring = open();
    const key = token({ exp: seconds + 60 });
    await keyring.authenticate(key, NOW);
    expect(await keyring.authenticate(key, NOW + 95_000)).toEqual({ kind: 'rejected', reason: 'expired' });
    const long = token();
    await keyring.authenticate(long, NOW);
    expect(keyring.authenticate(long, NOW + 301_000)).toBeInstanceOf(Promise);
  });

  test.each<{ why: string; served: typeof keys }>([
    { why: 'no response', served: 'silence' },
    { why: 'not JSON', served: '<html>' },
    { why: 'JSON of another kind', served: '[]' },
    { why: 'more than a key set can have', served: `${' '.repeat(2 ** 20)}{"keys":[]}` },
  ])('$why: 503 instead of 401, and fetched only once', async ({ served }) => {
    keys = served;
    let time = 0;
    const keyring = open(url, () => (time += 2000)); // a fetch takes two seconds
    const before = fetched;
    const problem = await Promise.resolve(keyring.authenticate(token(), NOW)).catch(
      (error: unknown) => error,
    );
    expect(problem).toBeInstanceOf(Problem);
    expect(problem).toMatchObject({ code: 'auth.unavailable', status: 503, retryAfter: 2 });
    await expect(keyring.authenticate(token({ sub: 'b' }), NOW + 2500)).rejects.toMatchObject({
      code: 'auth.unavailable',
    });
    expect(fetched - before).toBe(1);
    expect(observed.at(-1)).toMatchObject({ kind: 'tokens.jwks_failed' });
    keys = [first];
    expect(await keyring.authenticate(token(), NOW + 20_000)).toMatchObject({ kind: 'accepted' });
  });

  test('unavailable, with keys fetched before: their tokens stay valid, even while others name unknown keys', async () => {
    const keyring = open();
    await keyring.authenticate(token(), NOW);
    const away = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 11_000); // unknown keys may be looked for again
    try {
      keys = '<html>';
      const before = fetched;
      const reported = observed.length;
      const unknown = (sub: string) => keyring.authenticate(token({ sub }, {}, second), NOW + 11_000);
      await expect(unknown('a')).rejects.toMatchObject({ code: 'auth.unavailable' });
      await expect(unknown('b')).rejects.toMatchObject({ code: 'auth.unavailable' });
      expect(fetched - before).toBe(1);
      expect(observed.slice(reported)).toMatchObject([{ kind: 'tokens.jwks_failed' }]);
      expect(await keyring.authenticate(token({ sub: 'c' }), NOW + 11_000)).toMatchObject({
        kind: 'accepted',
      });
    } finally {
      away.mockRestore();
    }
  });

  test('an unusable one does not reject tokens of the others', async () => {
    const broken = {
      ...second,
      jwk: { kty: 'RSA', kid: 'broken', use: 'sig', n: '!', e: 'AQAB' },
      kid: 'broken',
    };
    keys = [first, broken];
    const keyring = open();
    expect(await keyring.authenticate(token({}, {}, broken), NOW)).toEqual({
      kind: 'rejected',
      reason: 'unknown',
    });
    expect(await keyring.authenticate(token({ sub: 'b' }), NOW)).toMatchObject({ kind: 'accepted' });
  });

  test('connection refused', async () => {
    await expect(open('http://127.0.0.1:1/jwks').authenticate(token(), NOW)).rejects.toMatchObject({
      code: 'auth.unavailable',
    });
  });
});

test('only a string of three parts is treated as a token', () => {
  const { isToken } = open();
  expect(['a.b.c', token()].map(isToken)).toEqual([true, true]);
  expect(['mr_abc', 'a.b', 'a.b.c.d', '..', 'a.b.c '].map(isToken)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});

describe('an unsigned token', () => {
  const part = (text: string): string => Buffer.from(text).toString('base64url');
  const values = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown>(
      'RS256',
      'ES256',
      'EdDSA',
      'none',
      'first',
      'constructor',
      '__proto__',
      ['b64'],
      ['exp'],
      '',
      0,
      -1,
      null,
    ),
  );
  const names = fc.constantFrom(
    'alg',
    'kid',
    'typ',
    'cty',
    'crit',
    'b64',
    'jwk',
    'jku',
    'x5c',
    'x5u',
    'x5t',
    'enc',
    'zip',
    'epk',
    '__proto__',
  );
  const headers = fc.oneof(
    fc.dictionary(names, values).map((header) => JSON.stringify({ alg: 'RS256', kid: 'first', ...header })),
    fc.dictionary(names, values).map((header) => JSON.stringify(header)),
    fc.json({ maxDepth: 2 }),
    fc.string({ maxLength: 40 }),
  );
  const payloads = fc.oneof(
    fc.constant(JSON.stringify(CLAIMS)),
    fc.json({ maxDepth: 2 }),
    fc.string({ maxLength: 40 }),
  );
  const signatures = fc.oneof(
    fc.constant('x'),
    fc.base64String({ maxLength: 400 }).map(part),
    fc.stringMatching(/^[\w-]{1,350}$/),
  );

  test('is unknown whatever it contains, and never counts as an issuer failure, which would reject all tokens', async () => {
    const keyring = open();
    await keyring.authenticate(token(), NOW);
    const before = observed.length;
    const property = fc.asyncProperty(headers, payloads, signatures, async (header, payload, signature) => {
      const key = `${part(header)}.${part(payload)}.${signature}`;
      fc.pre(keyring.isToken(key));
      expect(await keyring.authenticate(key, NOW)).toEqual({ kind: 'rejected', reason: 'unknown' });
    });
    await fc.assert(property, { seed: 31, numRuns: runs(50) });
    expect(observed.slice(before)).toEqual([]);
    expect(await keyring.authenticate(token({ sub: 'after' }), NOW)).toMatchObject({ kind: 'accepted' });
  });
});
