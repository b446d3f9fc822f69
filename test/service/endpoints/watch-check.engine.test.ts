// Findings about `until: data`: at the place in the file, for each query of an endpoint, on the real engine.
import { locateAll } from '../../../src/service/config/locate-finding.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInspect } from '../../../src/service/endpoints/compile.ts';
import { findUnwatched } from '../../../src/cli/checks/engine/watch-check.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { openTestEngine } from '../../support/test-engine.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openTestEngine();
  await engine.execute('CREATE DATABASE f');
  await engine.execute('CREATE TABLE f.t (id UInt64) ENGINE = MergeTree ORDER BY id');
  await engine.execute('CREATE TABLE f.m (id UInt64) ENGINE = Memory');
  await engine.execute('CREATE VIEW f.v AS SELECT id, now() AS at FROM f.t');
  await engine.execute('CREATE VIEW f.vm AS SELECT id FROM f.m');
});
afterAll(() => engine.close(0));

const HEAD = 'id: 7b1c2f60-0c1e-4d7a-9a51-1f0a6a4b7c11\nname: f.t\n';
const CACHE = 'cache: { until: data, ttl: 600 }\n';

async function findings(rest: string): Promise<readonly string[]> {
  const { inspected, diagnostics } = createInspect({ piiHashKey: undefined })('f.yaml', HEAD + rest);
  if (inspected === undefined) throw new Error(JSON.stringify(diagnostics));
  const found = locateAll(inspected.document, await findUnwatched(engine, inspected));
  return found.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`);
}

test.each<{ readonly why: string; readonly file: string; readonly expected: readonly RegExp[] }>([
  { why: 'tables that are watched', file: `${CACHE}query: SELECT id FROM f.t\n`, expected: [] },
  { why: 'a cache without until', file: 'cache: { ttl: 600 }\nquery: SELECT id FROM f.m\n', expected: [] },
  {
    why: 'a table of the engine Memory',
    file: `${CACHE}query: |\n  SELECT t.id FROM f.t AS t\n  JOIN f.m AS m USING (id)\n`,
    expected: [/^6:8 cache\.unwatched .* f\.m has the engine Memory/],
  },
  {
    why: 'such a table through a view',
    file: `${CACHE}query: SELECT id FROM f.vm\n`,
    expected: [/^4:23 cache\.unwatched .* f\.m has the engine Memory/],
  },
  {
    why: 'the clock',
    file: `${CACHE}query: SELECT id, now() AS n FROM f.t\n`,
    expected: [/^4:19 cache\.clock_read now has other values later/],
  },
  {
    why: 'the clock in a view, and a random function',
    file: `${CACHE}query: |\n  SELECT id,\n    rand() AS r FROM f.v\n`,
    expected: [/^6:5 cache\.clock_read rand/, /^6:22 cache\.clock_read now in f\.v/],
  },
  {
    why: 'a rounded time',
    file: `${CACHE}query: SELECT toStartOfInterval(now(), INTERVAL 5 MINUTE) AS at, today() AS d FROM f.t\n`,
    expected: [],
  },
  {
    why: 'a table that only consumer queries read',
    file: `${CACHE}sandbox: { enabled: true }\nquery: |\n  WITH a AS (SELECT id FROM f.t), b AS (SELECT id, now64() AS n FROM f.m)\n  SELECT id FROM a\n`,
    expected: [/^6:52 cache\.clock_read now64/, /^6:70 cache\.unwatched .* the table b of the sandbox/],
  },
])('$why', async ({ file, expected }) => {
  const found = await findings(file);
  expect(found).toEqual(expected.map((each) => expect.stringMatching(each)));
});
