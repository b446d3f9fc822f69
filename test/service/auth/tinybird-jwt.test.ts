// JSON Web Tokens in the form of Tinybird as keys: what they grant, and everything that rejects one.
import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createTinybirdKeyring } from '../../../src/service/auth/tinybird-jwt.ts';
import { loadSettings } from '../../../src/service/config/load-settings.ts';
import { eitherOf, type JwtKeyring } from '../../../src/service/auth/token-checks.ts';

const SECRET = 'a-secret-of-the-workspace-0123456789';
const NOW = Date.parse('2026-01-01T12:00:00Z');
const seconds = NOW / 1000;
const keyring = createTinybirdKeyring({ signingKey: SECRET, workspace: 'w1', skewSeconds: 30 });
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const SCOPE = { type: 'PIPES:READ', resource: 'pages', fixed_params: { org: 'a', n: 7 } };
const CLAIMS = { workspace_id: 'w1', name: 'frontend', exp: seconds + 3600, scopes: [SCOPE] };

function sign(claims: Readonly<Record<string, unknown>> = {}, header: unknown = { alg: 'HS256' }, secret = SECRET): string {
  const text = `${part(header)}.${part({ ...CLAIMS, ...claims })}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
} // prettier-ignore

const grantOf = async (token: string, now = NOW) => {
  const result = await keyring.authenticate(token, now);
  if (result.kind === 'rejected') throw new Error(result.detail ?? result.reason);
  const { principal, expires } = result;
  const { id, name, locked, languages, rate, seesStatements } = principal;
  const covers = ['pages', 'pages2', 'Pages', 'other', 'top.pages'].filter(principal.covers);
  return { id, name, locked: Object.fromEntries(locked), languages: [...languages], rate, seesStatements, covers, expires };
}; // prettier-ignore

test('the pipes, the fixed values and the rate; nothing else', async () => {
  const other = { ...SCOPE, resource: 'top.pages', fixed_params: { n: 7, org: 'a' } };
  expect(await grantOf(sign({ scopes: [SCOPE, other], limits: { rps: 10 } }))).toEqual({
    id: expect.stringMatching(/^tinybird:w1:frontend:[0-9a-f]{16}$/),
    name: 'frontend',
    locked: { org: 'a', n: 7 },
    languages: [],
    rate: { limit: 10, window: 1 },
    seesStatements: false,
    covers: ['pages', 'top.pages'],
    expires: NOW + 300_000,
  });
  const [one, again, another, short] = await Promise.all([
    grantOf(sign()),
    grantOf(sign({ iat: seconds })),
    grantOf(sign({ scopes: [{ ...SCOPE, fixed_params: { org: 'b', n: 7 } }] })),
    grantOf(sign({ exp: seconds + 60 })),
  ]);
  expect([one.id === again.id, one.id === another.id]).toEqual([true, false]);
  expect(short.expires).toBe(NOW + 90_000);
});

describe('rejected', () => {
  const scoped = (scope: unknown) => sign({ scopes: [scope] });
  test.each<readonly [string, string, RegExp]>([
    ['another secret', sign({}, undefined, `${SECRET}x`), /^unknown$/],
    ['expired', sign({ exp: seconds - 31 }), /^expired$/],
    ['no end', sign({ exp: undefined }), /claim exp is missing/],
    ['an end in a week', sign({ exp: seconds + 7 * 86_400 }), /24 hours/],
    ['issued later', sign({ iat: seconds + 60 }), /iat is in the future/],
    ['valid later', sign({ nbf: seconds + 60 }), /nbf is in the future/],
    ['another workspace', sign({ workspace_id: 'w2' }), /workspace_id is not what/],
    ['no workspace', sign({ workspace_id: undefined }), /workspace_id is missing/],
    ['no name', sign({ name: ' ' }), /claim name/],
    ['no scopes', sign({ scopes: [] }), /list of 1 to 100/],
    ['too many scopes', sign({ scopes: Array.from({ length: 101 }, () => ({ type: 'PIPES:READ', resource: 'a' })) }), /list of 1 to 100/],
    ['a scope that is text', scoped('PIPES:READ'), /has to be an object/],
    ['another scope', scoped({ type: 'ADMIN' }), /other than PIPES:READ/],
    ['rows of a data source', scoped({ type: 'DATASOURCES:READ', resource: 'v', filter: 'a = 1' }), /other than/],
    ['a pattern of names', scoped({ ...SCOPE, resource: '*' }), /name of a pipe/],
    ['no pipe', scoped({ type: 'PIPES:READ' }), /name of a pipe/],
    ['a field that is not known', scoped({ ...SCOPE, filter: 'a = 1' }), /field filter of a scope/],
    ['values that are no scalars', scoped({ ...SCOPE, fixed_params: { org: ['a', 'b'] } }), /fixed_params/],
    ['values that are a list', scoped({ ...SCOPE, fixed_params: ['org'] }), /fixed_params/],
    ['values that differ', sign({ scopes: [SCOPE, { ...SCOPE, fixed_params: { org: 'b', n: 7 } }] }), /different fixed_params/],
    ['values of one scope only', sign({ scopes: [SCOPE, { type: 'PIPES:READ', resource: 'b' }] }), /different fixed_params/],
    ['no rate', sign({ limits: { rps: 0 } }), /claim limits/],
    ['a rate that is not known', sign({ limits: { rps: 5, rpm: 1 } }), /claim limits/],
  ])('%s', async (_name, token, reason) => {
    await expect(grantOf(token)).rejects.toThrow(reason);
  });

  test('a token that is changed, or that names another algorithm', async () => {
    const token = sign();
    const [header = '', , signature = ''] = token.split('.');
    const changed = `${header}.${part({ ...CLAIMS, scopes: [{ ...SCOPE, resource: 'other' }] })}.${signature}`;
    await expect(grantOf(changed)).rejects.toThrow(/^unknown$/);
    for (const alg of ['none', 'HS512', 'RS256']) expect(keyring.isToken(sign({}, { alg }))).toBe(false);
    await expect(grantOf(sign({}, { alg: 'none' }))).rejects.toThrow(/^unknown$/);
    expect(keyring.isToken('p.static.token')).toBe(false);
  });
}); // prettier-ignore

test('beside an issuer, each has the tokens of its algorithms', async () => {
  const seen: string[] = [];
  const issuer: JwtKeyring = {
    isToken: (key) => key.includes('.'),
    authenticate: (key) => {
      seen.push(key);
      return { kind: 'rejected', reason: 'unknown' };
    },
  };
  const both = eitherOf(keyring, issuer);
  const [own, foreign] = [sign(), sign({}, { alg: 'RS256' })];
  expect(both?.isToken(foreign)).toBe(true);
  expect((await both?.authenticate(own, NOW))?.kind).toBe('accepted');
  expect((await both?.authenticate(foreign, NOW))?.kind).toBe('rejected');
  expect((await both?.authenticate(sign({ workspace_id: 'w2' }), NOW))?.kind).toBe('rejected');
  expect(seen).toEqual([foreign]);
  expect([eitherOf(undefined, issuer), eitherOf(keyring, undefined)]).toEqual([issuer, keyring]);
});

test('a secret without a workspace is a finding, and so is a workspace alone', async () => {
  const load = (env: Readonly<Record<string, string>>) =>
    loadSettings({ flags: {}, env, file: { path: '', required: false } });
  const env = { MILLRACE_TINYBIRD_SIGNING_KEY: SECRET, MILLRACE_TINYBIRD_WORKSPACE: 'w1' };
  const loaded = await load(env);
  expect('settings' in loaded && loaded.settings.tinybird).toEqual({
    isServed: false,
    port: undefined,
    tokens: { signingKey: SECRET, workspace: 'w1', skewSeconds: 30 },
  });
  expect(JSON.stringify('settings' in loaded && loaded.settings.shown)).not.toContain(SECRET);
  for (const name of Object.keys(env)) {
    const half = await load({ [name]: SECRET });
    expect('settings' in half ? [] : half.diagnostics.map(({ code }) => code)).toEqual([
      'settings.tinybird_incomplete',
    ]);
  }
  expect(await load({ ...env, MILLRACE_TINYBIRD_SIGNING_KEY: 'short' })).not.toHaveProperty('settings');
});
