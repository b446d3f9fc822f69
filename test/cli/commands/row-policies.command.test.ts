// Row policies derived from endpoint files, applied by the real engine to consumer queries, and checked on the server.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Rollup } from '../../../src/guard/rollups/model.ts';
import { readRollupFile } from '../../../src/service/endpoints/rollups/read-rollups.ts';
import { createRollupsInUse } from '../../../src/service/rollups/coverage.ts';
import { keepRollup } from '../../../src/service/rollups/keep.ts';
import { resolveRollup } from '../../../src/service/rollups/resolve.ts';
import { checkRollups } from '../../../src/cli/commands/doctor/rollups.ts';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { createDescribe } from '../../../src/service/endpoints/describe.ts';
import type { Endpoint } from '../../../src/service/endpoints/endpoint.ts';
import { checkRowPolicies, rowPolicySql } from '../../../src/cli/commands/doctor/row-policies/check.ts';
import { formatCondition } from '../../../src/cli/commands/doctor/row-policies/server.ts';
import { rowPolicies as derivePolicies } from '../../../src/service/access/row-policies.ts';
import { byName, readEndpoint } from '../../../src/service/access/stored-tables.ts';
import type { TypedTable } from '../../../src/service/engine/access-rules.ts';
import { SERVER_CARRIER } from '../../../src/service/engine/row-policy.ts';
import { filterParameters, tableReads } from '../../../src/service/access/table-filters.ts';
import { createHttpEngine } from '../../../src/service/engine/http/http-engine.ts';
import type { Engine, RowPolicyContext } from '../../../src/service/engine/engine.ts';
import type { PreflightFinding } from '../../../src/service/preflight/finding.ts';
import { createSandboxes } from '../../../src/service/request/consumer/sandboxes.ts';
import { serverRows } from '../../../src/service/preflight/server-rows.ts';
import type { ClickHouseFront } from '../../support/clickhouse-front/front.ts';
import { openClickHouseFront } from '../../support/clickhouse-front/front.ts';
import { quoteString } from '../../../src/sql/clickhouse/literal.ts';
import { failureOf, text } from '../../support/engine-statements.ts';
import { REAL_TIME } from '../../support/real-time.ts';
import { planWith } from '../../support/plan-with.ts';

const rowPolicies = (
  endpoints: readonly Endpoint[],
  stored: readonly TypedTable[],
): ReturnType<typeof derivePolicies> =>
  derivePolicies(
    endpoints.map(readEndpoint),
    byName(stored.map((table) => ({ ...table, definition: '' }))),
    SERVER_CARRIER,
  );

function endpointOf(name: string, query: string, sandbox = 'true'): Endpoint {
  const file = `id: 00000000-0000-4000-8000-000000000000\nname: ${name}\nquery: |\n  ${query}
parameters:
  project: { type: String, required: true }
  account: { type: Int64, required: true }
  day: { type: Date, default: '2024-01-01' }
sandbox: { enabled: ${sandbox} }\n`;
  const { candidate, diagnostics } = createCompile({ piiHashKey: undefined })(`${name}.yaml`, file);
  if (candidate === undefined) throw new Error(JSON.stringify(diagnostics));
  return candidate.endpoint;
}
const using = '@project AS p, @account AS a, @day AS d';
const over = (table: string): Endpoint => endpointOf('one', `WITH t AS (${table}) SELECT *, ${using} FROM t`);

describe('the conditions of an endpoint', () => {
  test.each<{ why: string; table: string; reads: Record<string, string> }>([
    {
      why: 'one',
      table: 'SELECT n FROM logs.edge WHERE project = @project',
      reads: { 'logs.edge': 'project=project' },
    },
    {
      why: 'reversed, quoted',
      table: 'SELECT n FROM `logs`.edge WHERE @project = `project`',
      reads: { 'logs.edge': 'project=project' },
    },
    {
      why: 'several',
      table: 'SELECT n FROM edge PREWHERE project = @project WHERE n > 1 AND owner == @account',
      reads: { edge: 'project=project owner=account' },
    },
    {
      why: 'qualified',
      table: 'SELECT e.n FROM logs.edge AS e FINAL WHERE e.project = @project',
      reads: { 'logs.edge': 'project=project' },
    },
    {
      why: 'named again',
      table: 'SELECT project AS project FROM edge WHERE project = @project',
      reads: { edge: 'project=project' },
    },
    {
      why: 'the alias of something else',
      table: 'SELECT lower(project) AS project FROM edge WHERE project = @project',
      reads: { edge: '' },
    },
    {
      why: 'a path of another column',
      table: 'SELECT n FROM edge WHERE doc.project = @project',
      reads: { edge: '' },
    },
    {
      why: 'an alternative',
      table: 'SELECT n FROM edge WHERE project = @project OR n = 1',
      reads: { edge: '' },
    },
    { why: 'negated', table: 'SELECT n FROM edge WHERE NOT project = @project', reads: { edge: '' } },
    {
      why: 'of groups',
      table: 'SELECT project, count() AS n FROM edge GROUP BY project HAVING project = @project',
      reads: { edge: '' },
    },
    {
      why: 'of the SELECT around',
      table: 'SELECT * FROM (SELECT project, n FROM edge) WHERE project = @project',
      reads: { edge: '' },
    },
    {
      why: 'of a joined table, qualified',
      table:
        'SELECT e.n FROM edge AS e JOIN owners AS o ON e.id = o.id WHERE e.project = @project AND o.owner = @account',
      reads: { edge: 'project=project', owners: 'owner=account' },
    },
    {
      why: 'of a joined table, unqualified',
      table: 'SELECT n FROM edge JOIN owners USING id WHERE project = @project',
      reads: { edge: '', owners: '' },
    },
    {
      why: 'in a set',
      table: 'SELECT n FROM edge WHERE id IN (SELECT id FROM owners WHERE owner = @account)',
      reads: { edge: '', owners: 'owner=account' },
    },
    {
      why: 'in parentheses',
      table: 'SELECT n FROM edge WHERE n > 1 AND (n < 5 AND project = @project)',
      reads: { edge: 'project=project' },
    },
    {
      why: 'beside a comparison that has FROM',
      table: 'SELECT n FROM edge WHERE project = @project AND n IS DISTINCT FROM owner',
      reads: { edge: 'project=project' },
    },
    {
      why: 'beside a subquery, unqualified',
      table: 'SELECT n FROM edge, (SELECT 1 AS project) AS one WHERE project = @project',
      reads: { edge: '' },
    },
    {
      why: 'an element of a tuple of that name',
      table:
        "SELECT (1, 'x')::Tuple(n UInt8, project String) AS e, n FROM edge AS e WHERE e.project = @project",
      reads: { edge: '' },
    },
    {
      why: 'in a query that is not known',
      table: 'SELECT n FROM edge WHERE project = @project LIMIT 1 FOR UPDATE',
      reads: { edge: '' },
    },
    {
      why: 'of an array',
      table: 'SELECT n FROM edge ARRAY JOIN tags AS project WHERE project = @project',
      reads: { edge: '' },
    },
  ])('$why', ({ table, reads }) => {
    const found = tableReads(over(table)).map(({ table: name, filters }) => [
      name,
      filters.map(({ column, parameter }) => `${column}=${parameter}`).join(' '),
    ]);
    expect(Object.fromEntries(found)).toEqual(reads);
  });

  test('its parameters', () => {
    expect(
      filterParameters(
        over('SELECT n FROM a WHERE p = @project UNION ALL SELECT n FROM b WHERE q = @project AND d = @day'),
      ),
    ).toEqual(['day', 'project']);
  });
});

const EDGE: TypedTable = {
  database: 'logs',
  table: 'edge',
  engine: 'ReplicatedMergeTree',
  columns: new Map([
    ['project', 'LowCardinality(String)'],
    ['account', 'Nullable(Int64)'],
    ['at', 'DateTime'],
  ]),
};

describe('policies', () => {
  const a = endpointOf(
    'a',
    `WITH t AS (SELECT 1 FROM logs.edge WHERE project = @project) SELECT *, ${using} FROM t`,
  );
  const same = endpointOf(
    'same',
    `WITH t AS (SELECT 2 FROM logs.edge WHERE project = @project) SELECT *, ${using} FROM t`,
  );
  const other = endpointOf(
    'other',
    `WITH t AS (SELECT 1 FROM logs.edge WHERE account = @account) SELECT *, ${using} FROM t`,
  );
  const open = endpointOf('open', `WITH t AS (SELECT 1 FROM logs.edge) SELECT *, ${using} FROM t`);
  const project =
    "position(getSetting('SQL_millrace_param_project'), '=') > 0 AND `project` = unhex(extract(getSetting('SQL_millrace_param_project'), '=([0-9A-F]*)'))";
  const account =
    "position(getSetting('SQL_millrace_param_account'), '=') > 0 AND `account` = accurateCastOrNull(unhex(extract(getSetting('SQL_millrace_param_account'), '=([0-9A-F]*)')), 'Int64')";
  const of = "unhex(extract(getSetting('SQL_millrace_endpoint'), '=([0-9A-F]*)')) IN";

  test('are one condition if all endpoints have the same', () => {
    expect(rowPolicies([a, same], [EDGE])).toMatchObject({
      policies: [{ name: '`logs`.`edge`', condition: project }],
      parameters: ['project'],
      gaps: [],
    });
  });

  test('distinguish endpoints otherwise', () => {
    const { policies, parameters, gaps } = rowPolicies([a, other, same, open], [EDGE]);
    expect(parameters).toEqual(['account', 'project']);
    expect(policies[0]?.condition).toBe(
      `(${of} ('a', 'same') AND (${project})) OR (${of} ('open')) OR (${of} ('other') AND (${account}))`,
    );
    expect(gaps).toEqual([expect.stringMatching(/^`logs`\.`edge`: open has no condition/)]);
  });

  test.each([
    {
      why: 'a table that is not there',
      query: 'SELECT 1 FROM nowhere WHERE project = @project',
      engine: 'MergeTree',
      gap: /nowhere: not a table/,
    },
    {
      why: 'a table function',
      query: 'SELECT number FROM numbers(3)',
      engine: 'MergeTree',
      gap: /numbers.*not a table/,
    },
    {
      why: 'a Distributed table',
      query: 'SELECT 1 FROM logs.edge WHERE project = @project',
      engine: 'Distributed',
      gap: /engine Distributed/,
    },
    {
      why: 'a type with several texts',
      query: 'SELECT 1 FROM logs.edge WHERE at = @day',
      engine: 'MergeTree',
      gap: /has no condition/,
    },
  ])('none for $why', ({ query, engine, gap }) => {
    const found = rowPolicies([over(query)], [{ ...EDGE, engine }]);
    expect(found.policies).toEqual([]);
    expect(found.gaps).toEqual([expect.stringMatching(gap)]);
  });
});

describe('on a server', () => {
  const endpoints = [
    endpointOf(
      'by_project',
      `WITH t AS (SELECT n, account FROM tenants.rows WHERE project = @project), u AS (SELECT n FROM tenants.view WHERE project = @project) SELECT *, ${using} FROM t`,
    ),
    endpointOf(
      'by_account',
      `WITH t AS (SELECT n FROM tenants.rows WHERE project = @project UNION ALL SELECT n FROM tenants.rows WHERE account = @account) SELECT *, ${using} FROM t`,
    ),
    endpointOf('all', `WITH t AS (SELECT n FROM tenants.open) SELECT *, ${using} FROM t`),
    endpointOf('saved_only', `SELECT n, ${using} FROM tenants.nowhere`, 'false'),
  ];
  const TABLES = `CREATE DATABASE tenants;
CREATE TABLE tenants.rows (project LowCardinality(String), account Nullable(Int64), n UInt32)
ENGINE = MergeTree ORDER BY (project, n) SETTINGS index_granularity = 10;
CREATE TABLE tenants.open (n UInt32) ENGINE = Memory;
CREATE VIEW tenants.view AS SELECT project, n FROM tenants.rows`;
  const FILL = `INSERT INTO tenants.rows SELECT concat('it''s ', toString(number % 3)), number % 5, number FROM numbers(300);
INSERT INTO tenants.open SELECT number FROM numbers(5)`;
  let folder: string;
  let front: ClickHouseFront;
  let engine: Engine;
  let statements: readonly string[];
  const granted = (conditions: Readonly<Record<string, string>>): void => {
    front.override = (query, user) => {
      if (query.startsWith('SELECT currentUser()')) return `["${user}"]\n`;
      const isOurs = query.includes('system.row_policies') && user === 'guest';
      if (!isOurs) return query.includes('system.row_policies') ? '' : undefined;
      const rows = Object.entries(conditions).map(([table, condition]) => {
        return JSON.stringify(['tenants', table, 'millrace_tenant', 1, condition]);
      });
      return rows.join('\n');
    };
  };
  const open = async (policies: Readonly<Record<string, string>>): Promise<void> => {
    await engine?.close(0);
    await front?.close();
    await rm(folder, { recursive: true, force: true });
    const list = Object.entries(policies).map(([table, condition]) => ({
      database: 'tenants',
      table,
      condition,
    }));
    front = await openClickHouseFront({
      path: join(folder, 'data'),
      users: { service: { password: '', profile: [] }, guest: { password: '', profile: [] } },
      policies: list,
    });
    engine = createHttpEngine({
      ...REAL_TIME,
      pingTimeoutMs: 1500,
      urls: [front.url],
      user: 'service',
      password: '',
      consumer: { user: 'guest', password: '' },
      connections: 4,
      queue: 100,
      observe: () => undefined,
    });
    await engine.execute(TABLES);
    await engine.execute(FILL);
  };
  const conditionOf = (table: string): string => {
    const on = statements.find((each) => each.includes(`millrace_tenant ON \`tenants\`.\`${table}\``)) ?? '';
    return / USING (.*) AS RESTRICTIVE TO `guest`;$/.exec(on)?.[1] ?? 'nothing';
  };
  const read = async (sql: string, rowPolicy?: RowPolicyContext): Promise<unknown> =>
    serverRows(engine, { sql, origin: 'consumer', rowPolicy });
  const as = (endpoint: string, project: string | null, account: string | null = '0'): RowPolicyContext => {
    return { endpoint, values: { project, account } };
  };
  const notHeld = async (): Promise<readonly PreflightFinding[]> =>
    (await checkRowPolicies(engine, endpoints)).filter(({ outcome }) => outcome !== 'held');

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-policies-'));
    await open({});
    granted({});
    statements = await rowPolicySql(engine, endpoints);
  });
  afterAll(async () => {
    await engine.close(0);
    await front.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('the SQL is what the engine can parse, for each table', async () => {
    expect(statements.filter((each) => each.startsWith('--'))).toEqual([
      expect.stringMatching(/`tenants`\.`open`: all has no condition/),
    ]);
    const others = statements.filter((each) => !each.startsWith('--'));
    expect(others.map((each) => / (?:ON|REPLACE) (`.*?`|millrace_row_policies) /.exec(each)?.[1])).toEqual([
      'millrace_row_policies',
      '`tenants`.`rows`',
      '`tenants`.`rows`',
      '`tenants`.`view`',
      '`tenants`.`view`',
    ]);
    expect(others[1]).toBe(
      'CREATE ROW POLICY OR REPLACE millrace ON `tenants`.`rows` USING 1 TO `service`, `guest`;',
    );
    for (const each of others) await read(`SELECT formatQuery(${quoteString(each)})`);
  });

  test('without the policies, each one is a finding with its SQL', async () => {
    const found = await notHeld();
    expect(
      found.map(({ outcome, name }) => `${outcome} ${/`tenants`\.`\w+`/.exec(name)?.[0] ?? name}`),
    ).toEqual([
      'advice `tenants`.`open`',
      ...Array.from({ length: 3 }, () => 'open `tenants`.`rows`'),
      ...Array.from({ length: 3 }, () => 'open `tenants`.`view`'),
    ]);
    expect(statements).toEqual(expect.arrayContaining(found.slice(1).map(({ fix }) => fix)));
  });

  test('a policy that applies to a user already is not widened', async () => {
    front.override = (query, user) => {
      if (query.startsWith('SELECT currentUser()')) return `["${user}"]\n`;
      if (!query.includes('system.row_policies')) return undefined;
      return user === 'guest' ? '["tenants", "rows", "own", 0, "SELECT 1"]' : '';
    };
    expect(await rowPolicySql(engine, endpoints)).toContain(
      'CREATE ROW POLICY OR REPLACE millrace ON `tenants`.`rows` USING 1 TO `service`;',
    );
  });

  test('one user for all cannot have them', async () => {
    front.override = (query) => (query.startsWith('SELECT currentUser()') ? '["one"]' : undefined);
    expect((await notHeld()).filter(({ outcome }) => outcome === 'open')).toMatchObject([
      { name: expect.stringMatching(/CLICKHOUSE_CONSUMER_USER/) },
    ]);
    expect((await rowPolicySql(engine, endpoints)).every((each) => each.startsWith('--'))).toBe(true);
  });

  describe('that has them', () => {
    beforeAll(async () => {
      const conditions = { rows: conditionOf('rows'), view: conditionOf('view') };
      await open(conditions);
      const texts = Object.entries(conditions).map(async ([table, condition]) => {
        return [table, await formatCondition(engine, condition)] as const;
      });
      granted(Object.fromEntries(await Promise.all(texts)));
    });

    const COUNT = 'SELECT count(), uniqExact(project) FROM tenants.rows';
    test.each<{ why: string; sql?: string; context: RowPolicyContext | undefined; rows: readonly string[] }>([
      { why: 'the rows of the tenant', context: as('by_project', "it's 1"), rows: ['100', '1'] },
      {
        why: 'another endpoint: either condition',
        context: as('by_account', "it's 1", '3'),
        rows: ['140', '3'],
      },
      { why: 'a tenant that does not exist', context: as('by_project', "it's 9"), rows: ['0', '0'] },
      { why: 'not a number', context: as('by_account', 'x', "3' OR 1"), rows: ['0', '0'] },
      { why: 'NULL', context: as('by_account', null, null), rows: ['0', '0'] },
      { why: 'an endpoint that does not read the table', context: as('all', "it's 1"), rows: ['0', '0'] },
      { why: 'no settings', context: undefined, rows: ['0', '0'] },
      {
        why: 'a view applies its own and those of its tables',
        sql: 'SELECT count(), uniqExact(project) FROM tenants.view',
        context: as('by_project', "it's 2"),
        rows: ['100', '1'],
      },
      {
        why: 'merge() as well',
        sql: "SELECT count(), uniqExact(project) FROM merge('tenants', 'rows')",
        context: as('by_project', "it's 2"),
        rows: ['100', '1'],
      },
    ])('$why', async ({ sql = COUNT, context, rows }) => {
      expect(await read(sql, context)).toEqual([rows]);
    });

    test('a consumer query carries its endpoint and the bound values', async () => {
      const policyParameters = filterParameters;
      const description = createDescribe(engine);
      const sandboxes = createSandboxes(engine, description);
      const plan = planWith({ sandboxes, describe: description, policyParameters });
      const endpoint = endpoints[0];
      if (endpoint === undefined) throw new Error('no endpoint');
      const given = new Map([
        ['project', ["it's 1"]],
        ['account', ['3']],
      ]);
      const bindings = endpoint.binder.bind(given, 0);
      const own = { language: 'sql', dialect: 'clickhouse', text: 'SELECT count() AS n FROM t' } as const;
      const { statement } = await plan(endpoint, bindings, own, false);
      expect(statement.rowPolicy).toMatchObject({ endpoint: 'by_project', values: { project: "it's 1" } });
      expect(await text(engine, statement)).toBe('{"n":100}\n');
      const { rowPolicy: _, ...without } = statement;
      expect(await text(engine, without)).toBe('{"n":0}\n');
      expect((await plan(endpoint, bindings, undefined, false)).statement.rowPolicy).toBeUndefined();
    });

    test('the primary index is used', async () => {
      const plan = await read(`EXPLAIN indexes = 1 ${COUNT}`, as('by_project', "it's 1"));
      expect(JSON.stringify(plan)).toMatch(/Condition: \(project in \['it.*Granules: 1\d\/30/);
    });

    test('no finding but the table that has no tenants', async () => {
      expect(await notHeld()).toMatchObject([{ outcome: 'advice', name: expect.stringMatching(/`open`/) }]);
    });

    test('a policy with another condition is a finding', async () => {
      granted({ rows: 'SELECT 1', view: await formatCondition(engine, conditionOf('view')) });
      expect(await notHeld()).toMatchObject([
        { outcome: 'advice' },
        { outcome: 'open', fix: expect.any(String) },
      ]);
    });
  });

  describe('a rollup', () => {
    const SOURCE = { database: 'tenants', table: 'events' };
    const FILE = `rollups:
  - name: events_by_hour
    from: tenants.events
    time: { column: at, every: 1h }
    dimensions: [project, { kind: "lower(kind)" }]
    measures: [sum(n)]
    settle: 1s
`;
    type Policy = readonly [table: 'source' | 'database' | 'rollup', filter: string, users: string];
    const DENIED = 'Code: 497. DB::Exception: guest: Not enough privileges. (ACCESS_DENIED)';
    let declared: readonly Rollup[];
    beforeAll(async () => {
      await engine.execute(
        "CREATE TABLE tenants.events (at DateTime, project String, kind String, n UInt32) ENGINE = MergeTree ORDER BY (project, at); INSERT INTO tenants.events SELECT now() - 7200 * number, 'a', 'b', 1 FROM numbers(50)",
      );
      const [declaration] = readRollupFile('a.rollup.yaml', FILE)?.rollups ?? [];
      const resolved = declaration && (await resolveRollup(engine, declaration));
      if (resolved?.plan === undefined) throw new Error(JSON.stringify(resolved));
      for await (const _ of keepRollup({ engine, after: REAL_TIME.after }, resolved));
      declared = [resolved.plan.rollup];
    });
    const serve = (policies: readonly Policy[], denied: RegExp): void => {
      front.override = (query, user) => {
        if (user === 'guest' && denied.test(query)) return DENIED;
        if (query.startsWith('SELECT currentUser()')) return `["${user}"]\n`;
        if (!query.includes('system.row_policies')) return undefined;
        const tables = { source: 'events', database: '', rollup: declared[0]?.tables[0]?.table };
        const rows = policies.map(([table, filter, users]) => {
          const database = table === 'rollup' ? 'millrace_rollups' : 'tenants';
          const applies = users.split(' ').includes(user) ? 1 : 0;
          return JSON.stringify([database, tables[table], 0, filter, applies]);
        });
        return `${rows.join('\n')}\n`;
      };
    };
    const BOTH = 'service guest';
    const OPEN: readonly Policy[] = [
      ['source', '1', 'service'],
      ['rollup', '1', 'service'],
    ];
    const TENANT = "project = 'a'";

    test.each<{ why: string; policies?: readonly Policy[]; denied?: RegExp; used: string }>([
      { why: 'no policies', used: 'saved consumer' },
      {
        why: 'the same policies',
        policies: [...OPEN, ['source', TENANT, 'guest'], ['rollup', TENANT, 'guest']],
        used: 'saved consumer',
      },
      { why: 'a policy of its table only', policies: [['source', '1', BOTH]], used: '' },
      {
        why: 'a policy of its table for consumers',
        policies: [...OPEN, ['source', TENANT, 'guest']],
        used: 'saved',
      },
      {
        why: 'a policy of the database of its table',
        policies: [...OPEN, ['database', TENANT, 'guest']],
        used: 'saved',
      },
      {
        why: 'another filter',
        policies: [...OPEN, ['source', TENANT, 'guest'], ['rollup', '1', 'guest']],
        used: 'saved',
      },
      {
        why: 'a policy for another user',
        policies: [...OPEN, ['source', TENANT, 'guest'], ['rollup', TENANT, 'other']],
        used: 'saved',
      },
      ...['n > 1', 'at > now() - 60', "kind = 'b'", 'x +'].map((filter) => ({
        why: `the same filter ${filter}`,
        policies: [...OPEN, ['source', filter, 'guest'], ['rollup', filter, 'guest']] as const,
        used: 'saved',
      })),
      {
        why: 'a policy for the service',
        policies: [
          ['source', TENANT, BOTH],
          ['rollup', TENANT, BOTH],
        ],
        used: '',
      },
      { why: 'policies that consumers may not see', denied: /system\.row_policies/, used: 'saved' },
      { why: 'a column without a grant', denied: /FROM `tenants`\.`events` LIMIT 0/, used: 'saved' },
      { why: 'no grant', denied: /FROM `millrace_rollups`/, used: 'saved' },
    ])('is read as its table is: $why', async ({ policies = [], denied = /^nothing$/, used }) => {
      serve(policies, denied);
      const rollups = createRollupsInUse({
        engine,
        declared: () => declared,
        clock: { monotonic: () => 0 },
        after: () => () => undefined,
        observe: () => undefined,
      });
      await rollups.refresh();
      rollups.close();
      const origins = ['saved', 'consumer'] as const;
      const found = origins.filter((origin) => rollups.of(SOURCE, origin).length > 0);
      expect(found.join(' ')).toBe(used);
      const unused = origins.flatMap((origin) => rollups.unused(SOURCE, origin));
      expect(unused).toHaveLength(2 - found.length);
      const advice = (await checkRollups(engine)).filter(({ outcome }) => outcome === 'advice');
      expect(advice.map(({ name }) => name)).toEqual(
        unused.map(({ reason }) => expect.stringMatching(`events_by_hour is not used .*${reason}`)),
      );
    });

    test('has the policies of its table in the SQL', async () => {
      serve([], /^nothing$/);
      const { table } = declared[0]?.tables[0] ?? { table: '' };
      const restricted = endpointOf(
        'events',
        `WITH t AS (SELECT n FROM tenants.events WHERE project = @project) SELECT *, ${using} FROM t`,
      );
      const sql = await rowPolicySql(engine, [restricted]);
      const [ofSource, ofRollup] = ['`tenants`.`events`', `\`millrace_rollups\`.\`${table}\``].map((name) =>
        sql.filter((each) => each.includes(name)).map((each) => each.replace(name, 'TABLE')),
      );
      expect(ofSource).toHaveLength(2);
      expect(ofRollup).toEqual(ofSource);
      // A condition on a column that is no dimension cannot be repeated.
      const other = endpointOf(
        'kinds',
        `WITH t AS (SELECT n FROM tenants.events WHERE kind = @project) SELECT *, ${using} FROM t`,
      );
      expect((await rowPolicySql(engine, [other])).filter((each) => each.includes(table))).toEqual([]);
    });
  });

  test('a setting that the server does not know is an error', async () => {
    await open({ rows: "project = getSetting('SQL_not_known')" });
    expect((await failureOf(read('SELECT 1 FROM tenants.rows'))).engineCode).toBe(115);
  });
});
