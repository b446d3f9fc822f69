// Definitions of views and tables that change under an unchanged query.
import type { Shown } from './pair.ts';

export interface DefinitionPair {
  readonly name: string;
  readonly query: string;
  /** Statements that define `{db}.shown`. */
  readonly before: string;
  readonly after: string;
  readonly isTable: boolean;
  readonly shown: Shown;
}

type Row = readonly [name: string, before: string, after: string];

function views(
  shown: Shown,
  query: string,
  isTable: boolean,
  rows: readonly Row[],
): readonly DefinitionPair[] {
  const define = (select: string): string => `CREATE OR REPLACE VIEW {db}.shown AS ${select}`;
  return rows.map(([name, before, after]) => ({
    name,
    query,
    before: define(before),
    after: define(after),
    isTable,
    shown,
  }));
}

const PATHS = 'SELECT path FROM app.shown WHERE tenant = @tenant';
const VIEW = 'SELECT tenant, path, ms FROM {db}.events WHERE ms > 0';
const AGENTS = 'SELECT * FROM app.shown WHERE account = @account';
const VISIBLE = 'SELECT account, id, name FROM {db}.agents WHERE hidden = 0';

export const DEFINITIONS: readonly DefinitionPair[] = [
  ...views('other tenants', PATHS, false, [
    ['the tenant of a view becomes a constant', VIEW, "SELECT 'a' AS tenant, path, ms FROM {db}.events"],
    [
      'the tenant of a view is computed',
      VIEW,
      "SELECT if(ms > 50, 'a', tenant) AS tenant, path, ms FROM {db}.events",
    ],
    [
      'columns of a view are exchanged',
      VIEW,
      "SELECT if(e.path = '/w', 'a', e.path) AS tenant, e.tenant AS path FROM {db}.events AS e",
    ],
    ['a view gets a limit', VIEW, 'SELECT tenant, path, ms FROM {db}.events ORDER BY ts LIMIT 2'],
    ['a view gets LIMIT BY', VIEW, 'SELECT tenant, path, ms FROM {db}.events ORDER BY ts LIMIT 1 BY user_id'],
    [
      'a view groups tenants',
      'SELECT max(e.tenant) AS tenant, path FROM {db}.events AS e GROUP BY path, e.tenant',
      'SELECT max(e.tenant) AS tenant, path FROM {db}.events AS e GROUP BY path',
    ],
    [
      'a view joins without the tenant',
      VIEW,
      'SELECT e.tenant AS tenant, u.name AS path FROM {db}.events AS e JOIN {db}.users AS u ON u.id = e.user_id',
    ],
    [
      'a view gets a branch',
      VIEW,
      "SELECT tenant, path, ms FROM {db}.events UNION ALL SELECT 'a', email, 0 FROM {db}.users",
    ],
    [
      'a view filters by a table of all',
      VIEW,
      'SELECT tenant, path, ms FROM {db}.events WHERE user_id IN (SELECT id FROM {db}.users)',
    ],
  ]),
  ...views('other tenants', 'SELECT path, total FROM app.shown WHERE tenant = @tenant', false, [
    [
      'a window of a view loses its partition',
      'SELECT tenant, path, sum(ms) OVER (PARTITION BY tenant) AS total FROM {db}.events',
      'SELECT tenant, path, sum(ms) OVER () AS total FROM {db}.events',
    ],
  ]),
  ...views('more', AGENTS, true, [
    ['a filter of a view is dropped', VISIBLE, 'SELECT account, id, name FROM {db}.agents'],
    [
      'a view has one more column',
      VISIBLE,
      'SELECT account, id, name, salary FROM {db}.agents WHERE hidden = 0',
    ],
    [
      'another column under the name',
      VISIBLE,
      'SELECT account, id, toString(salary) AS name FROM {db}.agents WHERE hidden = 0',
    ],
  ]),
  ...views('more', 'SELECT email FROM app.shown WHERE tenant = @tenant', false, [
    [
      'a hash in a view is removed',
      'SELECT tenant, hex(SHA256(email)) AS email FROM {db}.users',
      'SELECT tenant, email FROM {db}.users',
    ],
  ]),
  {
    name: 'an ALIAS column shows its value',
    query: 'SELECT mail FROM app.shown WHERE tenant = @tenant',
    before:
      'CREATE OR REPLACE TABLE {db}.shown (tenant String, email String, mail String ALIAS hex(SHA256(email))) ENGINE = Memory AS SELECT tenant, email FROM {db}.users',
    after:
      'CREATE OR REPLACE TABLE {db}.shown (tenant String, email String, mail String ALIAS lower(email)) ENGINE = Memory AS SELECT tenant, email FROM {db}.users',
    isTable: false,
    shown: 'more',
  },
  ...views('equal', PATHS, false, [
    [
      'a view in other words',
      VIEW,
      'SELECT e.tenant AS tenant, e.path AS path, e.ms AS ms FROM {db}.events AS e WHERE (0 < e.ms)',
    ],
    [
      'a view of a subquery',
      VIEW,
      'SELECT * FROM (SELECT tenant, path, ms FROM {db}.events WHERE ms > 0) AS e',
    ],
    [
      'a column of a view that nobody reads',
      VIEW,
      'SELECT tenant, path, ms, email FROM {db}.events WHERE ms > 0',
    ],
  ]),
  ...views('fewer', PATHS, false, [
    ['a view gets a filter', VIEW, "SELECT tenant, path, ms FROM {db}.events WHERE ms > 15 AND path != '/z'"],
  ]),
];
