// Keys of a tokens file that are not locked to a tenant: at start, and after changes of the endpoints and of the file.
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKeyCheck } from '../../../src/service/app/key-check.ts';
import { after, clock } from '../../../src/service/app/clock.ts';
import { openLiveKeyring, TokensRejected } from '../../../src/service/auth/live-keyring.ts';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { openLiveCatalog } from '../../../src/service/endpoints/live.ts';
import type { Observation } from '../../../src/sql/base/observation.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-key-check-'));
  await mkdir(join(folder, 'endpoints'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const key = (name: string, more: string): string =>
  `  - { name: ${name}, sha256: ${name.padEnd(64, '0')}, endpoints: ['shop.*'], ${more} }\n`;
const writeKeys = (...keys: readonly string[]): Promise<void> =>
  writeFile(join(folder, 'tokens.yaml'), `tokens:\n${keys.join('')}`);
const writeEndpoint = (name: string, more: string): Promise<void> =>
  writeFile(
    join(folder, 'endpoints', `${name}.yaml`),
    `id: 5c1f7c3e-8a55-4c8e-9d0b-6a1e7c1f2d3${name.at(-1)}\nname: ${name}\nquery: SELECT @tenant AS tenant\nparameters: { tenant: { type: String, required: true, enum: [x, y] } }\n${more}\n`,
  );

/** A keyring and a catalog as the service has them, and what was observed. */
async function open(setting?: string) {
  const observed: Observation[] = [];
  const observe = (each: Observation): void => void observed.push(each);
  const { check, start } = createKeyCheck(observe);
  const keyring = await openLiveKeyring({
    path: join(folder, 'tokens.yaml'),
    extra: [],
    jwt: undefined,
    observe,
    check,
    after,
  });
  const catalog = await openLiveCatalog({
    folder: join(folder, 'endpoints'),
    compile: createCompile({ piiHashKey: undefined, tenancy: setting }),
    observe,
    clock,
    after,
  });
  const close = async (): Promise<void> => void (await Promise.all([keyring.close(), catalog.close()]));
  const warnings = (): readonly string[] =>
    observed.flatMap((each) =>
      each.kind === 'tokens.not_locked' ? each.diagnostics.map(({ message }) => message) : [],
    );
  return { keyring, catalog, observed, warnings, close, start: () => start(catalog, keyring.file) };
}

test('keys that are not locked are reported once for each set of endpoints', async () => {
  await writeKeys(
    key('a', 'parameters: { tenant: x }'),
    key('b', 'allow: [sql]'),
    key('c', 'all_tenants: the backend'),
  );
  await writeEndpoint('shop.1', 'tenancy: { parameter: tenant }');
  const { start, catalog, keyring, warnings, observed, close } = await open();
  start();
  expect(warnings()).toEqual(['the key b may call shop.1 for any tenant']);
  await keyring.reload();
  await catalog.reload();
  expect(warnings()).toHaveLength(1);
  await writeEndpoint('shop.0', 'tenancy: { parameter: tenant }');
  await catalog.reload();
  expect(warnings().slice(1)).toEqual(['the key b may call shop.0 for any tenant']);
  await writeKeys(key('a', 'parameters: { tenant: z }'));
  await keyring.reload();
  const rejected = observed.flatMap((each) => (each.kind === 'tokens.rejected' ? each.diagnostics : []));
  expect(rejected[0]).toMatchObject({ code: 'tenancy.key_value_rejected', line: 2 });
  expect(keyring.file()?.tokens).toHaveLength(3);
  await close();
});

test('a key that is locked to a value that its endpoint rejects is an error at start', async () => {
  await writeKeys(key('a', 'parameters: { tenant: z }'));
  await writeEndpoint('shop.1', '');
  const { start, close } = await open('tenant');
  expect(start).toThrow(TokensRejected);
  await close();
});

test('without tenancy, no key is reported', async () => {
  await writeKeys(key('a', 'parameters: { tenant: z }'), key('b', 'allow: [sql]'));
  await writeEndpoint('shop.1', '');
  const { start, warnings, close } = await open();
  start();
  expect(warnings()).toEqual([]);
  await close();
});
