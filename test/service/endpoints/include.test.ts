// What files include: the effective endpoint, findings in the file that has the mistake, revisions.
import { describe, expect, test } from 'vitest';
import { createInspect, type Inspection } from '../../../src/service/endpoints/compile.ts';
import { FINDING_CODES } from '../../../src/cli/checks/table.ts';
import { INCLUDE_CODES } from '../../../src/service/endpoints/include/include-codes.ts';
import { sourcesIn } from '../../../src/service/endpoints/include/sources.ts';
import { uniqueFindings, type Finding } from '../../../src/sql/base/finding.ts';

const inspect = createInspect({ piiHashKey: undefined });

type Files = Readonly<Record<string, string>>;

const SHARED = `parameters:
  project: { type: String, required: true }
  since: { type: DateTime }
tables:
  edge: SELECT ts, id, message FROM logs.edge WHERE project = @project AND (@since IS NULL OR ts > @since)
  errors: |
    SELECT ts, id FROM edge -- of the table above
    WHERE message LIKE '%error%'
  auth: SELECT ts, id FROM logs.auth WHERE project = @project
policies:
  tenancy: { parameter: project }
  limits: { time: 10 }
  sandbox.functions: { deny: [sleep] }
`;

function endpoint(keys: Readonly<Record<string, string>>, id = 1): string {
  const all = { id: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`, name: 'one', ...keys };
  return Object.entries(all)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('');
}

function inspectIn(files: Files, name = 'one.yaml'): Inspection {
  const all = Object.entries({ 'logs.shared.yaml': SHARED, ...files }).map(([path, text]) => ({
    path,
    text,
  }));
  return inspect(name, all.find(({ path }) => path === name)?.text ?? '', sourcesIn(all));
}

function inspectedIn(files: Files, name?: string) {
  const { inspected, diagnostics } = inspectIn(files, name);
  if (inspected === undefined) throw new Error(JSON.stringify(diagnostics));
  return inspected;
}

const placed = ({ file, line, column, code }: Finding): string => `${file}:${line}:${column} ${code}`;
const one = (include: string, query = 'SELECT 1', more: Readonly<Record<string, string>> = {}): Files => ({
  'one.yaml': endpoint({ include: `[${include}]`, query, ...more }),
});

const CHOSEN = {
  'chosen.shared.yaml':
    'tables: { t: "SELECT @order AS n, @by FROM logs.edge" }\nparameters:\n  order: { choices: { newest: ts, largest: size > @least AND size < @share }, default: newest }\n  by: { choices: { day: toDate(ts) AS day, id: id }, multiple: true, default: [id] }\n  least: { type: UInt8, default: 1 }\n  share: { type: UInt8, default: 1 }\n',
};

describe('the effective endpoint', () => {
  test('has the cache policy of a shared file, with until and check', () => {
    const { candidate } = inspectedIn({
      ...one('{ from: fresh, policies: [cache] }'),
      'fresh.shared.yaml': 'policies:\n  cache: { until: data, check: 5, ttl: 600 }\n',
    });
    expect(candidate.endpoint.cache).toMatchObject({ check: 5, ttl: 600 });
    const { diagnostics } = inspectIn({
      ...one('{ from: fresh, policies: [cache] }'),
      'fresh.shared.yaml': 'policies:\n  cache: { check: 5, ttl: 600 }\n',
    });
    expect(diagnostics.map(placed)).toEqual(['fresh.shared.yaml:2:12 cache.check_without_until']);
  });

  test('has the tables that its query names, those that they read, their parameters and its own', () => {
    const { candidate, analysis } = inspectedIn(
      one(
        '{ from: logs, tables: [errors], policies: [tenancy, limits] }',
        'SELECT id FROM errors WHERE id != @id',
        {
          parameters: '{ id: { type: String, required: true } }',
        },
      ),
    );
    const { outline, parameters, limits, tenant } = candidate.endpoint;
    expect(outline.elements.map(({ name }) => name)).toEqual(['edge', 'errors']);
    expect(Object.keys(parameters)).toEqual(['id', 'project', 'since']);
    expect([limits.time, tenant]).toEqual([10, 'project']);
    expect(analysis.file).not.toHaveProperty('include');
  });

  test('passes parameters and constants on, and declares only what remains', () => {
    const include =
      '{ from: logs, tables: [edge], parameters: { project: "@ref", since: "2024-01-02T03:04:05Z" }, policies: [tenancy] }';
    const { candidate } = inspectedIn(
      one(include, 'SELECT id FROM edge', { parameters: '{ ref: { type: String, required: true } }' }),
    );
    expect(Object.keys(candidate.endpoint.parameters)).toEqual(['ref']);
    expect(candidate.endpoint.query).toContain('project = {ref:String}');
    expect(candidate.endpoint.query).toMatch(/CAST\('[^']*', 'DateTime/);
  });

  test('a constant is a literal, whatever it contains', () => {
    const { candidate } = inspectedIn(
      one(
        String.raw`{ from: logs, tables: [auth], parameters: { project: "x' OR 1 --\\" }, policies: [tenancy] }`,
        'SELECT id FROM auth',
      ),
    );
    expect(candidate.endpoint.query).toContain(String.raw`project = CAST('x\' OR 1 --\\', 'String')`);
  });

  test('a constant for a choice is its fragment, with the parameters of that', () => {
    const include = '{ from: chosen, tables: [t], parameters: { order: largest, by: "day, id", least: 5 } }';
    const { candidate } = inspectedIn({ ...one(include, 'SELECT n FROM t'), ...CHOSEN });
    expect(Object.keys(candidate.endpoint.parameters)).toEqual(['share']);
    expect(candidate.endpoint.query).toContain(
      "SELECT (size > CAST('5', 'UInt8') AND size < {share:UInt8}) AS n, toDate(ts) AS day, id FROM logs.edge",
    );
  });

  test.each([
    ['', (text: string) => text],
    [
      ', with wide spaces',
      (text: string) =>
        text
          .replaceAll('-- ', '--\u200b')
          .replaceAll(' and ', '\u00a0AND\u3000')
          .replaceAll('/* if ', '/*\ufeffIF\u2003'),
    ],
  ])(
    'a constant for a parameter that decides an optional part: the part is always there%s',
    (_why, write) => {
      const shared =
        'tables:\n  t: |\n    SELECT 1 AS n FROM logs.edge WHERE 1 /* if not @kind and @id */ AND 2 /* if @id */ AND 3 /* end */ /* end */ /* if @kind = y */ AND 4 /* end */\n    /* if @kind = x and not @kind = y and @id */ AND kind = @kind AND id = @id\n    -- if @kind\n    AND kind != @kind -- kept\n    -- end\n    /* end */ /* if @id */ AND id > @id /* end */\nparameters: { kind: { type: String }, id: { type: UInt8 } }\n';
      const files = {
        ...one('{ from: parts, tables: [t], parameters: { kind: x } }', 'SELECT n FROM t'),
        'parts.shared.yaml': write(shared),
      };
      const { candidate } = inspectedIn(files);
      const { endpoint } = candidate;
      expect(Object.keys(endpoint.parameters)).toEqual(['id']);
      const queryOf = (id: string | undefined): string => {
        const sent = new Map(id === undefined ? [] : [['id', [id]] as const]);
        const { query } = endpoint.variantOf(endpoint.binder.bind(sent, 0));
        return query.replaceAll(/[\s\u200b]+/g, ' ');
      };
      expect(queryOf(undefined)).toContain('WHERE 1 )');
      expect(queryOf('3')).toContain(
        "AND kind = CAST('x', 'String') AND id = {id:UInt8} AND kind != CAST('x', 'String') -- kept AND id > {id:UInt8} )",
      );
    },
  );

  test('reads the tables and the result of another endpoint, which includes some itself', () => {
    const { candidate } = inspectedIn({
      ...one(
        '{ endpoint: base, tables: [own], result: rows, parameters: { project: "@ref" } }',
        'SELECT id FROM rows WHERE id IN own',
        {
          parameters: '{ ref: { type: String, required: true } }',
          tenancy: '{ parameter: ref }',
        },
      ),
      'base.yaml': endpoint(
        {
          name: 'base',
          include: '[{ from: logs, tables: [errors], policies: [tenancy] }]',
          query: '"WITH own AS (SELECT id FROM errors) SELECT id FROM own ORDER BY id LIMIT 10;"',
        },
        2,
      ),
    });
    expect(candidate.endpoint.outline.elements.map(({ name }) => name)).toEqual([
      'edge',
      'errors',
      'own',
      'rows',
    ]);
    expect(candidate.endpoint.query).not.toContain('project:');
    expect(candidate.endpoint.query).not.toContain(';');
  });

  test('the same table by two ways is one table', () => {
    const { candidate } = inspectedIn({
      ...one(
        '{ from: more, tables: [recent] }, { from: logs, tables: [auth], policies: [tenancy] }',
        'SELECT id FROM recent',
      ),
      'more.shared.yaml':
        'include: [{ from: logs, tables: [auth] }]\ntables: { recent: SELECT id FROM auth LIMIT 5 }\n',
    });
    expect(candidate.endpoint.outline.elements.map(({ name }) => name)).toEqual(['auth', 'recent']);
  });

  test('own tables can read included ones, after any comment', () => {
    const { candidate } = inspectedIn(
      one(
        '{ from: logs, tables: [auth], policies: [tenancy] }',
        '"-- first\\nWITH mine AS (SELECT id FROM auth) SELECT id FROM mine"',
      ),
    );
    expect(candidate.endpoint.outline.elements.map(({ name }) => name)).toEqual(['auth', 'mine']);
  });
});

test('choices and optional parts of a shared table are those of the endpoint', () => {
  const { candidate } = inspectedIn({
    ...one('{ from: parts, tables: [t], parameters: { status: "@state" } }', 'SELECT id FROM t', {
      parameters: '{ state: { type: String } }',
    }),
    'parts.shared.yaml': `tables:
  t: |
    SELECT id FROM logs.t WHERE 1 /* if @status */ AND status = @status /* end */ ORDER BY @order LIMIT 5
parameters:
  status: { type: String }
  order: { choices: { newest: ts DESC, oldest: ts }, default: newest }
`,
  });
  const { endpoint } = candidate;
  expect(endpoint.variants().map(({ variant }) => variant)).toEqual([
    'without state, order=newest',
    'without state, order=oldest',
    'with state, order=newest',
    'with state, order=oldest',
  ]);
  const bindings = endpoint.binder.bind(
    new Map([
      ['state', ['x']],
      ['order', ['oldest']],
    ]),
    0,
  );
  expect(endpoint.variantOf(bindings).query).toMatch(/status = \{state:String\}\s+ORDER BY ts LIMIT 5/);
});

test.each([
  ['/* if @id */ AND id = @id /* end */', '/* if @limit */ LIMIT @limit /* end */'],
  ['-- if @id\n    AND id = @id\n    -- end', '-- if @limit\n    LIMIT @limit\n    -- end'],
  ['/* if @id */ AND id = @id /* end */; -- done', '/* if @limit */ LIMIT @limit /* end */ ;'],
])('optional parts at the end of queries that include and are included: %s', (mine, theirs) => {
  const { candidate } = inspectedIn({
    ...one('{ endpoint: other, result: rows }', `|\n    SELECT id FROM rows WHERE 1\n    ${mine}`, {
      parameters: '{ id: { type: UInt8 } }',
    }),
    'other.yaml': endpoint(
      {
        name: 'other',
        description: 'Rows.',
        query: `|\n    SELECT id FROM logs.t\n    ${theirs}`,
        parameters: '{ limit: { type: UInt8 } }',
      },
      2,
    ),
  });
  expect(candidate.endpoint.variants().map(({ variant }) => variant)).toEqual([
    'without limit, without id',
    'without limit, with id',
    'with limit, without id',
    'with limit, with id',
  ]);
});

test('a finding in a choice of a shared parameter is at the choice', () => {
  const { diagnostics } = inspectIn({
    ...one('{ from: parts, tables: [t] }', 'SELECT id FROM t'),
    'parts.shared.yaml':
      'tables: { t: SELECT id FROM logs.t ORDER BY @order }\nparameters:\n  order: { choices: { a: ts), b: ts }, default: a }\n',
  });
  expect(new Set(diagnostics.map(({ file, line }) => `${file}:${line}`))).toEqual(
    new Set(['parts.shared.yaml:3']),
  );
});

describe('exposure', () => {
  const include = '{ from: logs, tables: [errors, auth], policies: [tenancy, sandbox.functions] }';
  const kindsOf = (sandbox: string) => {
    const query = '"WITH mine AS (SELECT id FROM auth) SELECT id FROM mine"';
    const { candidate } = inspectedIn(one(include, query, { sandbox }));
    return Object.fromEntries(candidate.endpoint.outline.elements.map(({ name, kind }) => [name, kind]));
  };

  test.each([
    { why: 'only own tables by default', sandbox: '{ enabled: true }', readable: ['mine'] },
    { why: 'what is named', sandbox: '{ enabled: true, tables: [auth] }', readable: ['auth'] },
    { why: 'both', sandbox: '{ enabled: true, tables: [mine, errors] }', readable: ['errors', 'mine'] },
  ])('$why', ({ sandbox, readable }) => {
    const kinds = kindsOf(sandbox);
    expect(Object.keys(kinds)).toEqual(['edge', 'errors', 'auth', 'mine']);
    expect(Object.keys(kinds).filter((name) => kinds[name] === 'table')).toEqual(readable);
  });

  test('own tables can be hidden as well', () => {
    const query = '"WITH a AS (SELECT 1 AS x), b AS (SELECT x FROM a) SELECT x FROM b"';
    const { candidate } = inspectedIn({
      'one.yaml': endpoint({ query, sandbox: '{ enabled: true, tables: [b] }' }),
    });
    expect(candidate.endpoint.outline.elements.map(({ kind }) => kind)).toEqual(['hidden', 'table']);
  });

  test('functions that a shared file denies are denied', () => {
    const { candidate } = inspectedIn(
      one(include, 'SELECT id FROM auth', { sandbox: '{ enabled: true, tables: [auth] }' }),
    );
    expect(candidate.endpoint.sandbox.deny).toEqual(['sleep']);
  });
});

describe('findings', () => {
  const deep = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [
      `deep${n}.shared.yaml`,
      `include: [{ from: deep${n + 1}, tables: all }]\ntables: { t${n}: SELECT 1 AS x }\n`,
    ]),
  );
  const large = {
    'big.shared.yaml': `tables:\n${Array.from({ length: 5 }, (_, n) => `  t${n}: SELECT '${'x'.repeat(200_000)}' AS x\n`).join('')}`,
  };
  const [big, large2] = [large, { 'big2.shared.yaml': large['big.shared.yaml'].replaceAll('  t', '  u') }];

  test.each<{ why: string; files: Files; finds: readonly string[]; name?: string }>([
    { why: 'no file', files: one('{ tables: all }'), finds: ['one.yaml:3:11 include.source'] },
    {
      why: 'two files',
      files: one('{ from: logs, endpoint: one }'),
      finds: ['one.yaml:3:19 include.source'],
    },
    {
      why: 'a file that does not exist',
      files: one('{ from: nope, tables: all }'),
      finds: ['one.yaml:3:19 include.missing'],
    },
    {
      why: 'an endpoint that does not exist',
      files: one('{ endpoint: nope, tables: all }'),
      finds: ['one.yaml:3:23 include.missing'],
    },
    { why: 'itself', files: one('{ endpoint: one, result: r }'), finds: ['one.yaml:3:23 include.cycle'] },
    {
      why: 'a cycle',
      files: {
        ...one('{ from: a, tables: all }'),
        'a.shared.yaml': 'include: [{ from: b, tables: all }]\n',
        'b.shared.yaml': 'include: [{ from: a, tables: all }]\n',
      },
      finds: ['b.shared.yaml:1:19 include.cycle'],
    },
    {
      why: 'too many levels',
      files: { ...one('{ from: deep0, tables: all }'), ...deep },
      finds: ['deep7.shared.yaml:1:19 include.too_deep'],
    },
    {
      why: 'too much SQL',
      files: { ...one('{ from: big, tables: all }, { from: big2, tables: all }'), ...big, ...large2 },
      finds: ['one.yaml:3:10 include.too_large'],
    },
    {
      why: 'an unknown table',
      files: one('{ from: logs, tables: [auht] }'),
      finds: ['one.yaml:3:34 include.unknown_table'],
    },
    {
      why: 'a file without tables',
      files: { ...one('{ from: none, tables: all }'), 'none.shared.yaml': 'policies: { max_rows: 5 }\n' },
      finds: ['one.yaml:3:33 include.unknown_table'],
    },
    {
      why: 'an own table of that name',
      files: one('{ from: logs, tables: [auth] }', 'WITH Auth AS (SELECT 1) SELECT 1 FROM Auth'),
      finds: ['one.yaml:3:11 include.duplicate_table'],
    },
    {
      why: 'one table with two parameters',
      files: one(
        '{ from: logs, tables: [auth] }, { from: logs, tables: [auth], parameters: { project: x } }',
        'SELECT id FROM auth',
      ),
      finds: ['one.yaml:3:43 include.duplicate_table'],
    },
    {
      why: 'an expression that changes a table',
      files: one('{ from: logs, tables: [auth] }', 'WITH 5 AS ts SELECT id FROM auth'),
      finds: ['one.yaml:3:11 include.captured'],
    },
    {
      why: 'a query in parentheses',
      files: one('{ from: logs, tables: [auth] }', '(SELECT id FROM auth)'),
      finds: ['one.yaml:4:8 include.query_form'],
    },
    {
      why: 'a recursive query',
      files: one('{ from: logs, tables: [auth] }', 'WITH RECURSIVE a AS (SELECT 1 AS x) SELECT x FROM a'),
      finds: ['one.yaml:4:8 include.query_form'],
    },
    {
      why: 'the result of a shared file',
      files: one('{ from: logs, result: auth }'),
      finds: ['one.yaml:3:33 include.not_an_endpoint'],
    },
    {
      why: 'the result of a query with settings',
      files: {
        ...one('{ endpoint: base, result: r }', 'SELECT 1 FROM r'),
        'base.yaml': endpoint({ name: 'base', query: 'SELECT 1 SETTINGS max_threads = 1' }, 2),
      },
      finds: ['one.yaml:3:37 include.settings'],
    },
    {
      why: 'policies of an endpoint',
      files: {
        ...one('{ endpoint: base, policies: [limits] }'),
        'base.yaml': endpoint({ name: 'base', query: 'SELECT 1', limits: '{ time: 1 }' }, 2),
      },
      finds: ['one.yaml:3:40 include.not_shared'],
    },
    {
      why: 'an unknown policy',
      files: one('{ from: logs, policies: [pii] }'),
      finds: ['one.yaml:3:36 include.unknown_policy'],
    },
    {
      why: 'a policy that the file has',
      files: one('{ from: logs, policies: [limits] }', 'SELECT 1', { limits: '{ time: 3 }' }),
      finds: ['one.yaml:3:36 include.duplicate_policy'],
    },
    {
      why: 'a policy twice',
      files: one('{ from: logs, policies: [limits] }, { from: logs, policies: [limits] }'),
      finds: ['one.yaml:3:72 include.duplicate_policy'],
    },
    {
      why: 'functions without a sandbox',
      files: one('{ from: logs, policies: [sandbox.functions] }'),
      finds: ['one.yaml:3:36 include.duplicate_policy'],
    },
    {
      why: 'an unknown parameter',
      files: one('{ from: logs, tables: [auth], parameters: { projekt: x } }'),
      finds: ['one.yaml:3:55 include.unknown_parameter'],
    },
    {
      why: 'a constant of another type',
      files: one('{ from: logs, tables: [edge], parameters: { since: soon } }'),
      finds: ['one.yaml:3:62 include.parameter_type'],
    },
    {
      why: 'a constant that is no choice',
      files: {
        ...one('{ from: chosen, tables: [t], parameters: { order: newst } }', 'SELECT n FROM t'),
        ...CHOSEN,
      },
      finds: ['one.yaml:3:61 include.parameter_type'],
    },
    {
      why: 'a parameter of another type',
      files: one('{ from: logs, tables: [auth], parameters: { project: "@n" } }', 'SELECT @n FROM auth', {
        parameters: '{ n: { type: UInt8, required: true } }',
      }),
      finds: ['one.yaml:3:64 include.parameter_type'],
    },
    {
      why: 'an own declaration of another type',
      files: one('{ from: logs, tables: [auth] }', 'SELECT id FROM auth', {
        parameters: '{ project: { type: UInt8, required: true } }',
      }),
      finds: ['one.yaml:5:24 include.parameter_type'],
    },
    {
      why: 'two declarations that differ',
      files: {
        ...one('{ from: logs, tables: [auth] }, { from: other, tables: [t] }', 'SELECT id FROM auth'),
        'other.shared.yaml':
          'tables: { t: SELECT @project AS p }\nparameters: { project: { type: String } }\n',
      },
      finds: ['one.yaml:3:43 include.parameter_conflict'],
    },
    {
      why: 'a parameter that is not declared anywhere',
      files: one(
        '{ from: logs, tables: [auth], parameters: { project: "@ref" }, policies: [tenancy] }',
        'SELECT id FROM auth',
      ),
      finds: ['one.yaml:3:64 parameter.undeclared'],
    },
    {
      why: 'an endpoint whose query has errors, which are reported there',
      files: {
        ...one('{ endpoint: base, result: r }', 'SELECT 1 FROM r'),
        'base.yaml': endpoint({ name: 'base', query: 'SELECT (1' }, 2),
      },
      finds: ['one.yaml:3:11 include.broken'],
    },
    {
      why: 'a shared table that is no query',
      files: {
        ...one('{ from: bad, tables: [a] }'),
        'bad.shared.yaml':
          'tables:\n  a: SELECT 1) , x AS (SELECT 2\n  b: SELECT 1;\n  c: DROP TABLE t\n  d: |\n    SELECT 1\n    FROM "t\n',
      },
      finds: [
        'bad.shared.yaml:2:14 query.unbalanced_bracket',
        'bad.shared.yaml:3:14 query.several_statements',
        'bad.shared.yaml:4:6 query.not_select',
        'bad.shared.yaml:7:10 query.unclosed_identifier',
      ],
    },
    {
      why: 'a shared file with an unknown key',
      files: { ...one('{ from: bad, tables: [a] }'), 'bad.shared.yaml': 'table: { a: SELECT 1 }\n' },
      finds: ['bad.shared.yaml:1:1 schema.unknown_key'],
    },
    {
      why: 'a shared file that is no YAML',
      files: { ...one('{ from: bad, tables: [a] }'), 'bad.shared.yaml': 'tables: {\n' },
      finds: ['bad.shared.yaml:1:10 yaml.bad_indent'],
    },
    {
      why: 'a shared table alone',
      files: { 'bad.shared.yaml': 'tables: { a: SELECT @x FROM t }\n' },
      name: 'bad.shared.yaml',
      finds: ['bad.shared.yaml:1:21 parameter.undeclared'],
    },
  ])('$why', ({ files, finds, name }) => {
    const { inspected, diagnostics } = inspectIn(files, name);
    expect(inspected).toBeUndefined();
    const errors = uniqueFindings(diagnostics).filter(({ severity }) => severity === 'error');
    expect(errors.map(placed)).toEqual(finds);
    for (const { code } of errors) expect(FINDING_CODES[code]).toBeDefined();
    for (const { code } of errors) if (code.startsWith('include.')) seen.add(code);
  });

  const seen = new Set<string>();
  test('every code of includes has a row above', () => {
    const codes = Object.keys(INCLUDE_CODES).filter((code) => code.startsWith('include.'));
    expect(codes.filter((code) => !seen.has(code))).toEqual([]);
  });

  test('a warning for tables without the policies that restrict them where they come from', () => {
    const { inspected, diagnostics } = inspectIn(
      one('{ from: logs, tables: [auth] }', 'SELECT id FROM auth'),
    );
    expect(inspected).toBeDefined();
    expect(diagnostics.map(placed)).toEqual(['one.yaml:3:11 lint.policy_not_included']);
  });

  test.each([
    ['', ['lint.policy_not_included']],
    ['budget: { read: 1GiB/day }\n', []],
  ])('a budget is such a policy: %j', (own, codes) => {
    const files = one('{ from: paid, tables: [t] }', 'SELECT n FROM t');
    const { diagnostics } = inspectIn({
      ...files,
      'one.yaml': `${files['one.yaml']}${own}`,
      'paid.shared.yaml': 'tables: { t: SELECT 1 AS n }\npolicies: { budget: { time: 60s/hour } }\n',
    });
    expect(diagnostics.map(({ code }) => code)).toEqual(codes);
  });

  test('pages are a policy, whose findings are in the shared file', () => {
    const files = (by: string) => ({
      ...one('{ from: paged, tables: [t], policies: [page] }', 'SELECT n FROM t'),
      'paged.shared.yaml': `tables: { t: SELECT 1 AS n }\npolicies:\n  page: { by: ${by}, size: 10 }\n`,
    });
    expect(inspectedIn(files('[n DESC]')).candidate.endpoint.page).toMatchObject({
      keys: [{ name: 'n', descending: true }],
      size: 10,
    });
    const { diagnostics } = inspectIn(files('[n, n]'));
    expect(diagnostics.map(placed)).toEqual(['paged.shared.yaml:3:19 page.duplicate_key']);
  });

  test('a finding in an included table names the endpoint, once for all that include it', () => {
    const found = {
      file: 'a.shared.yaml',
      line: 1,
      column: 2,
      severity: 'error',
      code: 'engine.unknown_table',
      message: 'no table',
    } as const;
    const by = (includedBy: string): Finding => ({ ...found, includedBy });
    expect(uniqueFindings([by('a')])).toEqual([{ ...found, message: 'no table (included by a)' }]);
    expect(uniqueFindings([by('a'), by('b'), by('c')])).toEqual([
      { ...found, message: 'no table (included by a and 2 more)' },
    ]);
    expect(uniqueFindings([by('a'), found])).toEqual([found]);
  });
});

describe('the revision', () => {
  const include = '{ from: logs, tables: [auth], policies: [limits] }';
  const revisionOf = (shared: string, files = one(include, 'SELECT id FROM auth')): string =>
    inspectedIn({ ...files, 'logs.shared.yaml': shared }).candidate.endpoint.revision;

  test.each([
    { why: 'a comment', to: `# x\n${SHARED}`, same: true },
    { why: 'a table that is not included', to: SHARED.replace("'%error%'", "'%fatal%'"), same: true },
    {
      why: 'a policy that is not included',
      to: SHARED.replace('deny: [sleep]', 'deny: [sleep, version]'),
      same: true,
    },
    { why: 'an included table', to: SHARED.replace('logs.auth', 'logs.auth2'), same: false },
    { why: 'an included policy', to: SHARED.replace('time: 10', 'time: 11'), same: false },
    {
      why: 'a parameter of an included table',
      to: SHARED.replace(
        '{ type: String, required: true }',
        '{ type: String, required: true, max_length: 9 }',
      ),
      same: false,
    },
  ])('$why: $same', ({ to, same }) => {
    expect(revisionOf(to) === revisionOf(SHARED)).toBe(same);
  });
});

test('a file with errors of its own has none of the endpoints that include it', () => {
  const at = { file: 'a.yaml', line: 1, column: 1, severity: 'error' } as const;
  const own: Finding = { ...at, code: 'parameter.undeclared', message: 'own' };
  const followers: readonly Finding[] = ['b', 'c'].map((includedBy) => ({
    ...own,
    message: 'other',
    includedBy,
  }));
  const warning: Finding = { ...own, severity: 'warning' };
  expect(uniqueFindings([own, ...followers])).toEqual([own]);
  expect(uniqueFindings([warning, ...followers])).toHaveLength(2);
});
