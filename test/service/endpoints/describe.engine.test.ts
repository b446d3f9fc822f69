// How often lists of endpoints ask the engine about endpoints that it cannot describe.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { createDescribe } from '../../../src/service/endpoints/describe.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { openTestEngine } from '../../support/test-engine.ts';

let engine: Engine;
let asked = 0;
beforeAll(async () => {
  const opened = await openTestEngine();
  engine = { ...opened, describe: (...of) => (asked++, opened.describe(...of)) };
});
afterAll(() => engine.close(0));

const compile = createCompile({ piiHashKey: undefined });
const TEXT =
  'id: 00000000-0000-4000-8000-000000000001\nname: a\nquery: WITH t AS (SELECT * FROM later.rows) SELECT * FROM t\nsandbox: { enabled: true }\ntenancy: { none: test }\n';

test('lists ask again after ten seconds, calls at once', async () => {
  const { candidate } = compile('a.yaml', TEXT);
  if (candidate === undefined) throw new Error('it is valid');
  const { endpoint } = candidate;
  let time = 0;
  const describe = createDescribe(engine, () => time);
  const list = () => Promise.all([describe.lists.result(endpoint), describe.lists.tables(endpoint)]);
  expect(await list()).toEqual([undefined, undefined]);
  const once = asked;
  expect(once).toBeGreaterThanOrEqual(2);
  time = 9999;
  expect(await list()).toEqual([undefined, undefined]);
  expect(asked).toBe(once);
  time = 10_000;
  expect(await list()).toEqual([undefined, undefined]);
  expect(asked).toBe(2 * once);
  await engine.execute('CREATE DATABASE later; CREATE TABLE later.rows (n UInt8) ENGINE = Memory');
  expect(await list()).toEqual([undefined, undefined]);
  const columns = [{ name: 'n', type: 'UInt8' }];
  expect(await describe.result(endpoint)).toEqual(columns);
  expect(await describe.tables(endpoint)).toMatchObject([{ name: 't', columns }]);
  expect(await list()).toMatchObject([columns, [{ name: 't', columns }]]);
});
