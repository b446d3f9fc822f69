import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileGlobs } from '../../../src/service/auth/globs.ts';
import { createKeyring, hashKey } from '../../../src/service/auth/keyring.ts';
import { runs } from '../../support/runs.ts';

describe('a keyring', () => {
  const keyring = createKeyring([
    {
      name: 'dashboards',
      sha256: hashKey('good'),
      endpoints: ['logs.*'],
      allow: ['sql'],
      parameters: { project: 'abc' },
    },
    { name: 'old', sha256: hashKey('old'), endpoints: ['*'], expires: '2027-01-01T00:00:00Z' },
  ]);
  const end = Date.parse('2027-01-01T00:00:00Z');

  test('finds a key and its permissions by its hash', () => {
    const result = keyring.authenticate('good', 0);
    expect(result).toMatchObject({ kind: 'accepted', principal: { name: 'dashboards', redact: false } });
    if (result.kind !== 'accepted') return;
    expect(result.principal.covers('logs.all')).toBe(true);
    expect(result.principal.covers('usage.api-counts')).toBe(false);
    expect([...result.principal.languages]).toEqual(['sql']);
    expect([...result.principal.locked]).toEqual([['project', 'abc']]);
  });

  test.each([
    { why: 'another key', key: 'Good', now: 0, reason: 'unknown' },
    { why: 'an empty key', key: '', now: 0, reason: 'unknown' },
    { why: 'the hash itself', key: hashKey('good'), now: 0, reason: 'unknown' },
    { why: 'a key at the instant it expires', key: 'old', now: end, reason: 'expired' },
  ])('rejects $why', ({ key, now, reason }) => {
    expect(keyring.authenticate(key, now)).toEqual({ kind: 'rejected', reason });
  });

  test('accepts a key until it expires', () => {
    expect(keyring.authenticate('old', end - 1).kind).toBe('accepted');
  });
});

describe('globs', () => {
  test.each([
    { globs: ['*'], name: 'anything.at-all', covered: true },
    { globs: ['logs.*'], name: 'logs.all', covered: true },
    { globs: ['logs.*'], name: 'logs', covered: false },
    { globs: ['logs.*'], name: 'xlogs.all', covered: false },
    { globs: ['*.all'], name: 'logs.all', covered: true },
    { globs: ['a*b*c'], name: 'a-b-b-c', covered: true },
    { globs: ['a*b'], name: 'ab', covered: true },
    { globs: ['ab*ba'], name: 'aba', covered: false },
    { globs: ['usage.api-counts'], name: 'usage.api-counts', covered: true },
    { globs: ['usage.api-counts'], name: 'usagexapi-counts', covered: false },
    { globs: [], name: 'logs.all', covered: false },
  ])('$globs and $name: $covered', ({ globs, name, covered }) => {
    expect(compileGlobs(globs)(name)).toBe(covered);
  });

  test('match like the equivalent regular expression', () => {
    const glob = fc.stringMatching(/^[ab.*]{1,8}$/);
    fc.assert(
      fc.property(glob, fc.stringMatching(/^[ab.]{0,8}$/), (pattern, name) => {
        const regex = new RegExp(`^${pattern.replaceAll('.', String.raw`\.`).replaceAll('*', '.*')}$`);
        expect(compileGlobs([pattern])(name)).toBe(regex.test(name));
      }),
      { seed: 11, numRuns: runs(500) },
    );
  });
});
