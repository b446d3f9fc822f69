// Declared log views in compiled endpoints: what the listing has, and that results do not depend on them.
import { expect, test } from 'vitest';
import { createCompile } from '../../../src/service/endpoints/compile.ts';

const compile = createCompile({ piiHashKey: undefined });
const endpointOf = (view: string) =>
  compile(
    'a.yaml',
    `id: 00000000-0000-4000-8000-0000000000ae
name: a
sandbox: { enabled: true }
${view}
query: WITH edge AS (SELECT timestamp, metadata FROM logs.edge) SELECT timestamp FROM edge
`,
  ).candidate?.endpoint;

test('a log view has all keys, with paths in full, also if it is the only one', () => {
  const view = 'view: { logs: { table: edge, time: timestamp, level: m.level, facets: [m.a.b] } }';
  expect(endpointOf(view)?.logViews).toEqual([
    {
      table: 'edge',
      time: 'timestamp',
      message: undefined,
      level: 'metadata.level',
      columns: [],
      facets: ['metadata.a.b'],
      from: undefined,
      to: undefined,
    },
  ]);
  expect(endpointOf('')?.logViews).toBeUndefined();
});

test('a log view does not change the revision, and no cached response', () => {
  const [none, one, other] = ['', 'timestamp', 'seen'].map((time) =>
    endpointOf(time === '' ? '' : `view: { logs: { table: edge, time: ${time} } }`),
  );
  expect(none?.revision).toMatch(/^[0-9a-f]{12}$/);
  expect([one?.revision, other?.revision]).toEqual([none?.revision, none?.revision]);
});
