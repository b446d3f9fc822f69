// Access rules derived from endpoint files and the tables that the engine has: consumer queries read what the WITH clauses name,
// also through views and tables over others, and no more.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccessControl } from '../../../src/service/app/access.ts';
import { assembleCatalog, type Candidate } from '../../../src/service/endpoints/catalog.ts';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import { EngineError, type Engine, type Statement } from '../../../src/service/engine/engine.ts';
import { collect, failureOf, rows, statement } from '../../support/engine-statements.ts';
import { eventually } from '../../support/eventually.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const folder = await mkdtemp(join(tmpdir(), 'millrace-access-rules-'));
let engine: Engine;

const DEFINITIONS = [
  'CREATE DATABASE app',
  'CREATE TABLE app.t (project LowCardinality(String), account UInt64, n UInt64, doc JSON(project String)) ENGINE = MergeTree ORDER BY (project, n)',
  `INSERT INTO app.t VALUES ('a', 1, 1, '{"project":"a"}'), ('b', 2, 2, '{"project":"b"}'), ('b', 2, 3, '{"project":"b"}')`,
  'CREATE VIEW app.v AS SELECT project, n FROM app.t WHERE n > 0',
  'CREATE VIEW app.vv AS WITH x AS (SELECT * FROM app.v) SELECT * FROM x',
  'CREATE MATERIALIZED VIEW app.inner ENGINE = MergeTree ORDER BY n POPULATE AS SELECT project, n FROM app.t',
  'CREATE TABLE app.target (project String, n UInt64) ENGINE = MergeTree ORDER BY n',
  'CREATE MATERIALIZED VIEW app.mv TO app.target (project String, n UInt64) AS SELECT project, n FROM app.t',
  "INSERT INTO app.target VALUES ('a', 1), ('b', 2), ('b', 3)",
  "CREATE TABLE app.merged AS app.target ENGINE = Merge('app', '^target$')",
  "CREATE TABLE app.buffered AS app.target ENGINE = Buffer('app', 'target', 1, 100, 100, 10000, 10000, 1000000, 1000000)",
  'CREATE TABLE app.names (n UInt64, name String) ENGINE = MergeTree ORDER BY n',
  "INSERT INTO app.names VALUES (1, 'one'), (2, 'two')",
  "CREATE DICTIONARY app.dict (n UInt64, name String) PRIMARY KEY n SOURCE(CLICKHOUSE(DB 'app' TABLE 'names')) LAYOUT(HASHED()) LIFETIME(0)",
  'CREATE TABLE app.joined (n UInt64, name String) ENGINE = Join(ANY, LEFT, n)',
  "INSERT INTO app.joined VALUES (1, 'one')",
  'CREATE TABLE app.`odd name` (project String, n UInt64) ENGINE = MergeTree ORDER BY n',
  "INSERT INTO app.`odd name` VALUES ('a', 1), ('b', 2)",
  'CREATE TABLE app.log (project String, n UInt64) ENGINE = Log',
  "INSERT INTO app.log VALUES ('a', 1), ('b', 2)",
  'CREATE TABLE app.secret (s String) ENGINE = MergeTree ORDER BY s',
  "INSERT INTO app.secret VALUES ('secret')",
];

/** The WITH clause of an endpoint whose table is `x`, and the rows of project b in it. */
const CASES: readonly { readonly name: string; readonly x: string; readonly n: readonly number[] }[] = [
  { name: 'plain', x: 'SELECT n FROM app.t WHERE project = @project', n: [2, 3] },
  { name: 'document', x: 'SELECT n FROM app.t WHERE doc.project = @project', n: [2, 3] },
  { name: 'pattern', x: 'SELECT n FROM app.t WHERE match(project, @project)', n: [2, 3] },
  {
    name: 'union',
    x: 'SELECT n FROM app.t WHERE project = @project UNION ALL SELECT n FROM app.t WHERE account = 1',
    n: [1, 2, 3],
  },
  { name: 'view', x: 'SELECT n FROM app.v WHERE project = @project', n: [2, 3] },
  { name: 'view_of_view', x: 'SELECT n FROM app.vv WHERE project = @project', n: [2, 3] },
  { name: 'materialized', x: 'SELECT n FROM app.inner WHERE project = @project', n: [2, 3] },
  { name: 'materialized_to', x: 'SELECT n FROM app.mv WHERE project = @project', n: [2, 3] },
  { name: 'merge', x: 'SELECT n FROM app.merged WHERE project = @project', n: [2, 3] },
  { name: 'merge_function', x: "SELECT n FROM merge('app', '^targ') WHERE project = @project", n: [2, 3] },
  { name: 'buffer', x: 'SELECT n FROM app.buffered WHERE project = @project', n: [2, 3] },
  {
    name: 'dictionary',
    x: "SELECT n FROM app.t WHERE project = @project AND dictGet('app.dict', 'name', n) = 'two'",
    n: [2],
  },
  { name: 'dictionary_table', x: 'SELECT n FROM app.dict WHERE name != @project', n: [1, 2] },
  {
    name: 'join_get',
    x: "SELECT n FROM app.t WHERE project = @project AND joinGet('app.joined', 'name', n) = ''",
    n: [2, 3],
  },
  {
    name: 'joined',
    x: 'SELECT t.n AS n FROM app.t AS t JOIN app.names AS o ON o.n = t.n WHERE t.project = @project',
    n: [2],
  },
  {
    name: 'in_table',
    x: 'SELECT n FROM app.t WHERE project = @project AND n IN (SELECT n FROM app.names)',
    n: [2],
  },
  { name: 'quoted', x: 'SELECT n FROM app.`odd name` WHERE project = @project', n: [2] },
  { name: 'log', x: 'SELECT n FROM app.log WHERE project = @project', n: [2] },
  {
    name: 'scalar',
    x: 'SELECT n FROM app.t WHERE project = @project AND n > (SELECT min(n) FROM app.names)',
    n: [2, 3],
  },
];

function endpointFile(name: string, x: string, index: number): string {
  return `id: 00000000-0000-4000-8000-${String(index).padStart(12, '0')}
name: ${name}
query: |
  WITH x AS (${x}) SELECT * FROM x
parameters:
  project: { type: String, required: true }
sandbox: { enabled: true }
`;
}

function candidateOf(name: string, x: string, index: number): Candidate {
  const { candidate, diagnostics } = createCompile({ piiHashKey: undefined })(
    `${name}.yaml`,
    endpointFile(name, x, index),
  );
  if (candidate === undefined) throw new Error(JSON.stringify(diagnostics));
  return candidate;
}

const { catalog } = assembleCatalog(CASES.map(({ name, x }, index) => candidateOf(name, x, index + 1)));

/** A query straight to a consumer connection of the endpoint, as project b, without any of our checks. */
function raw(name: string, sql: string): Statement {
  const endpoint = catalog.find(name);
  if (endpoint === undefined) throw new Error(name);
  const values = { project: 'b' };
  const rowPolicy = { endpoint: name, revision: endpoint.revision, values };
  return statement(sql, { origin: 'consumer', parameters: values, rowPolicy });
}

beforeAll(async () => {
  engine = await createEmbeddedEngine({
    ...REAL_TIME,
    path: join(folder, 'engine'),
    connections: 4,
    queue: 100,
    memory: 2 ** 30,
    observe: () => undefined,
  });
  for (const sql of DEFINITIONS) await engine.execute(sql);
  await createAccessControl(engine, REAL_TIME.after).apply(catalog);
});
afterAll(async () => {
  await engine.close(0);
  await rm(folder, { recursive: true, force: true });
});

test.each(CASES)('$name: the tables of its WITH clause have their rows', async ({ name, n }) => {
  const endpoint = catalog.find(name);
  const bound = endpoint?.query.replaceAll('@project', '{project:String}') ?? '';
  const all = await rows(engine, raw(name, `SELECT n FROM (${bound}) ORDER BY n`));
  expect(all).toEqual(n.map((each) => ({ n: each })));
});

test.each(CASES)('$name: no table that it does not name', async ({ name }) => {
  expect(await failureOf(collect(engine, raw(name, 'SELECT * FROM app.secret')))).toMatchObject({
    engineCode: 497,
  });
});

describe('rows of others, without the condition of the endpoint', () => {
  test.each([
    ['plain', 'SELECT n FROM app.t', [2, 3]],
    ['union', 'SELECT n FROM app.t', [1, 2, 3]],
    ['view', 'SELECT n FROM app.v', [2, 3]],
    ['joined', 'SELECT n FROM app.t', [2, 3]],
    ['merge', 'SELECT n FROM app.t', []],
    ['log', 'SELECT n FROM app.t', []],
    ['view', 'SELECT n FROM app.names', []],
    ['plain', 'SELECT n FROM app.names', []],
  ] as const)('%s: %s', async (name, sql, n) => {
    const what = raw(name, `SELECT n FROM (${sql}) ORDER BY n`);
    expect(await rows(engine, what)).toEqual(n.map((each) => ({ n: each })));
  });

  // A row filter repeats `column = @parameter` only: these read the rows of every tenant if they leave their WITH clause.
  test.each(['document', 'pattern'])('%s: all, which doctor reports', async (name) => {
    expect(await rows(engine, raw(name, 'SELECT n FROM app.t ORDER BY n'))).toHaveLength(3);
  });
});

test('if the tables are not known, none may be read', async () => {
  const other = await createEmbeddedEngine({
    ...REAL_TIME,
    path: join(folder, 'other'),
    connections: 1,
    queue: 10,
    memory: 2 ** 29,
    observe: () => undefined,
  });
  await other.execute('CREATE TABLE default.t ENGINE = MergeTree ORDER BY n AS SELECT 1 AS n');
  await other.execute('CREATE DATABASE app');
  await other.execute(
    "CREATE TABLE app.t ENGINE = MergeTree ORDER BY n AS SELECT 1 AS n, 1 AS account, 'b' AS project",
  );
  let isAway = true;
  let askAgain: (() => void) | undefined;
  const away: Engine = {
    ...other,
    run: (what, options) =>
      isAway
        ? Promise.reject(new EngineError('unavailable', 'the engine is away'))
        : other.run(what, options),
  };
  const control = createAccessControl(away, (_, run) => {
    askAgain = run;
    return () => undefined;
  });
  await control.apply(catalog);
  for (const table of ['default.t', 'app.t']) {
    const what = statement(`SELECT n FROM ${table}`, { origin: 'consumer' });
    expect(await failureOf(collect(other, what))).toMatchObject({ engineCode: 497 });
  }
  isAway = false;
  askAgain?.();
  await eventually(async () =>
    expect(await rows(other, raw('plain', 'SELECT n FROM app.t'))).toEqual([{ n: 1 }]),
  );
  control.close();
  await other.close(0);
});

test('rules of a later catalog are applied after those of an earlier one, whose tables were read more slowly', async () => {
  const later = assembleCatalog([candidateOf('plain', 'SELECT n FROM app.t WHERE project = @project', 1)]);
  const applied: (readonly string[])[] = [];
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let reads = 0;
  const slow: Engine = {
    ...engine,
    run: async (what, options) => {
      if (reads++ === 0) await held;
      return engine.run(what, options);
    },
    restrict: async ({ revisions }) => void applied.push([...revisions.keys()]),
  };
  const control = createAccessControl(slow, REAL_TIME.after);
  const [first, second] = [control.apply(catalog), control.apply(later.catalog)];
  // If both were applied at once, the rules of the second would exist before the tables of the first are read.
  await Promise.race([second, new Promise((resolve) => setTimeout(resolve, 200))]);
  release();
  await Promise.all([first, second]);
  expect(applied.at(-1)).toContain('plain');
  expect(applied.at(-1)).not.toContain('view');
  control.close();
});
