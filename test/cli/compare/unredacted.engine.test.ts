// New columns that are made of redacted ones, over models of the real engine.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { modelsOf } from '../../../src/service/endpoints/query-models.ts';
import { compareContracts } from '../../../src/cli/compare/compare.ts';
import type { Side } from '../../../src/cli/compare/compare-pair.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { REAL_TIME } from '../../support/real-time.ts';
import { fileOf, sideOf, type Keys } from './fixture.ts';

let engine: Engine;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-unredacted-'));
  const options = { connections: 1, queue: 10, memory: 2 ** 30, observe: () => undefined, ...REAL_TIME };
  engine = await createEmbeddedEngine({ path: join(folder, 'data'), ...options });
  await engine.execute('CREATE TABLE default.people (id UInt64, name String, email String) ENGINE = Memory');
});
afterAll(async () => {
  await engine.close(0);
  await rm(folder, { recursive: true, force: true });
});

async function modelled(keys: Keys): Promise<Side> {
  const side = sideOf({ 'one.yaml': fileOf(keys) });
  const entries = side.served.map(async ({ analysis, endpoint }) => {
    const found = await modelsOf(engine, { analysis, candidate: { endpoint } });
    return [endpoint, new Map(found.map(({ query, result }) => [query.table, result]))] as const;
  });
  return { ...side, models: new Map(await Promise.all(entries)) };
}

const FROM = 'FROM default.people';
const MASKED = '{ redact: true, columns: { name: mask } }';
const TABLE = `WITH p AS (SELECT name% ${FROM}) SELECT 1 AS one FROM p`;
const OPEN = '{ enabled: true }';

test.each<[why: string, before: Keys, after: Keys, isReported: boolean]>([
  ['a function of it', { query: `SELECT name ${FROM}` }, { query: `SELECT name, upper(name) AS label ${FROM}` }, true],
  ['an alias of it', { query: `SELECT name ${FROM}` }, { query: `SELECT name, name AS label ${FROM}` }, true],
  ['with a rule', { query: `SELECT name ${FROM}` }, { query: `SELECT name, upper(name) AS label ${FROM}`, pii: '{ redact: true, columns: { name: mask, label: mask } }' }, false],
  ['a hash of it', { query: `SELECT name ${FROM}` }, { query: `SELECT name, sipHash64(name) AS label ${FROM}` }, false],
  ['its number', { query: `SELECT any(p.name) AS name ${FROM} AS p` }, { query: `SELECT any(p.name) AS name, uniq(p.name) AS n ${FROM} AS p` }, false],
  ['another column', { query: `SELECT name ${FROM}` }, { query: `SELECT name, id ${FROM}` }, false],
  ['as before', { query: `SELECT name, upper(name) AS label ${FROM}` }, { query: `SELECT name, upper(name) AS label, id ${FROM}` }, false],
  ['more than before', { query: `SELECT name, upper(name) AS label ${FROM}` }, { query: `SELECT name, name AS label ${FROM}` }, true],
  ['a new rule beside an old column', { query: `SELECT name, name AS label ${FROM}`, pii: '{ redact: true }' }, { query: `SELECT name, name AS label ${FROM}` }, false],
  ['a rule that is removed', { query: `SELECT name, name AS label ${FROM}`, pii: '{ redact: true, columns: { name: mask, label: mask } }' }, { query: `SELECT name, name AS label ${FROM}` }, true],
  ['a table of the sandbox', { query: TABLE.replace('%', ''), sandbox: OPEN }, { query: TABLE.replace('%', ', lower(name) AS label'), sandbox: OPEN }, true],
  ['a helper of a closed sandbox', { query: TABLE.replace('%', '') }, { query: TABLE.replace('%', ', lower(name) AS label') }, false],
])('%s', async (_, before, after, isReported) => {
  const sides = [await modelled({ pii: MASKED, ...before }), await modelled({ pii: MASKED, ...after })] as const;
  const changes = compareContracts(...sides).flatMap((each) => each.changes);
  const found = changes.filter(({ code }) => code === 'redaction.not_applied');
  expect(found.map((each) => each.class)).toEqual(isReported ? ['security'] : []);
}); // prettier-ignore
