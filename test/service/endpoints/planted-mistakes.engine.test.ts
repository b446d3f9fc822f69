// One mistake per file, marked by «: each is found under its code, at its line and column, with a hint where there is one to give.
import { locateFinding, locateAll } from '../../../src/service/config/locate-finding.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestRuntime } from '../../../src/service/app/test-runtime.ts';
import { findAmbiguous } from '../../../src/cli/checks/engine/ambiguous-columns.ts';
import { createInspect } from '../../../src/service/endpoints/compile.ts';
import { checkOnEngine } from '../../../src/cli/checks/engine/engine-check.ts';
import { FINDING_CODES } from '../../../src/cli/checks/table.ts';
import { findRejectedFixtures } from '../../../src/cli/checks/engine/fixture-values.ts';
import { findUnknownNames } from '../../../src/cli/checks/engine/known-names.ts';
import { readTables, type TablesOnEngine } from '../../../src/cli/checks/engine/tables-on-engine.ts';
import { checkPlans } from '../../../src/cli/checks/engine/plan-check.ts';
import { findUnequalSets } from '../../../src/cli/checks/engine/set-columns.ts';
import { findTimeNumbers } from '../../../src/cli/checks/engine/time-numbers.ts';
import { findUnbounded, readTimeColumns } from '../../../src/cli/checks/engine/time-bound.ts';
import { lint } from '../../../src/cli/checks/lint.ts';
import { findRejectedQueries } from '../../../src/cli/checks/engine/example-queries.ts';
import type { Finding } from '../../../src/sql/base/finding.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const TABLES = `CREATE DATABASE desk;
CREATE TABLE desk.tickets (id UInt64, opened DateTime('UTC'), state Enum8('open' = 1, 'closed' = 2), title String, agent LowCardinality(String),
  contact Tuple(email String, phone String), meta JSON, tags Array(String), priority UInt8) ENGINE = MergeTree ORDER BY opened;
CREATE TABLE desk.notes (desk String, id UInt64, at DateTime, note String) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(at) ORDER BY (desk, id);
CREATE TABLE desk.staff (id UInt64, name String) ENGINE = MergeTree ORDER BY id;
CREATE TABLE desk.teams (lead UInt64, name String) ENGINE = MergeTree ORDER BY lead;
CREATE DICTIONARY desk.agents (id UInt64, name String) PRIMARY KEY id SOURCE(CLICKHOUSE(DB 'desk' TABLE 'staff')) LAYOUT(FLAT()) LIFETIME(0);`;

const inspect = createInspect({ piiHashKey: undefined });
let engine: Engine;
let folder: string;
let tables: TablesOnEngine;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-planted-'));
  const options = { connections: 2, queue: 10, memory: 2 ** 30, observe: () => undefined, ...REAL_TIME };
  engine = await createEmbeddedEngine({ path: join(folder, 'data'), ...options });
  await engine.execute(TABLES);
  tables = await readTables(engine);
});
afterAll(async () => {
  await engine.close(0);
  await rm(folder, { recursive: true, force: true });
});

async function findingsOf(text: string): Promise<readonly Finding[]> {
  const { inspected, diagnostics } = inspect('planted.yaml', text);
  if (inspected === undefined) return diagnostics;
  const { document, analysis } = inspected;
  const ofAnalysis = await checkOnEngine(engine, inspected, tables);
  const ofEngine = ofAnalysis.length > 0 ? ofAnalysis : await checkPlans(engine, inspected, tables);
  const timeColumns = await readTimeColumns(engine);
  const names = [
    ...findUnbounded(inspected.analysis, timeColumns),
    ...findTimeNumbers(inspected.analysis, tables.columns),
    ...findUnequalSets(inspected.analysis, tables.columns),
    ...(ofEngine.length > 0 ? [] : findAmbiguous(inspected.analysis, tables.columns)),
    ...(await findUnknownNames(engine, inspected, tables.columns)),
    ...(await findRejectedFixtures(engine, inspected, tables.columns)),
    ...(await findRejectedQueries(engine, inspected, async (options) => openTestRuntime(options))),
  ].map((each) => locateFinding(document, each));
  return [...diagnostics, ...locateAll(document, lint(analysis)), ...ofEngine, ...names];
}

const HEAD = 'id: 5c1f7c3e-8a55-4c8e-9d0b-6a1e7c1f2d30\nname: desk.tickets\ndescription: Tickets.\n';
const PLAIN = 'query: SELECT id, title, contact, meta FROM desk.tickets\n';
const OPEN =
  'sandbox: { enabled: true }\nquery: |\n  WITH t AS (SELECT id, title, contact FROM desk.tickets)\n  SELECT id, title FROM t\n';

const LOGS =
  'sandbox: { enabled: true }\nquery: |\n  WITH t AS (SELECT * FROM desk.tickets)\n  SELECT id FROM t\nview:\n  logs:\n';

const ONE_EXAMPLE = `${PLAIN}examples:\n  - name: one\n`;

test.each([
  ['one row by its key', "query: |\n  SELECT note FROM desk.notes FINAL WHERE desk = 'a' AND id = 7\n"],
  ['a column that only one table of WITH has', 'query: |\n  WITH t AS (SELECT id, title FROM desk.tickets WHERE opened > now() - 60)\n  SELECT title, s.id AS id FROM t JOIN desk.staff AS s ON s.id = t.id\n'],
  ['tuples in IN', 'query: |\n  SELECT name FROM desk.staff WHERE (id, name) IN (SELECT lead, name FROM desk.teams)\n'],
  ['a tuple column in IN', 'query: |\n  SELECT id FROM desk.tickets WHERE opened > now() - 60 AND contact IN (SELECT title, agent FROM desk.tickets WHERE opened > now() - 60)\n'],
])('no finding: %s', async (_why, body) => {
  expect(await findingsOf(HEAD + body)).toEqual([]);
}); // prettier-ignore

test.each<[code: string, why: string, body: string, hint?: string]>([
  // log views
  ['view.unknown_path', 'a misspelled time', `${LOGS}    { table: t, time: «opend }\n`, 'opened'],
  ['view.time_type', 'a time that is a text', `${LOGS}    { table: t, time: «title }\n`, 'opened'],
  ['view.unknown_path', 'a misspelled message', `${LOGS}    { table: t, time: opened, message: «titel }\n`, 'title'],
  ['view.unknown_path', 'a misspelled part of a tuple', `${LOGS}    { table: t, time: opened, level: «contact.emial }\n`, 'email'],
  ['view.unknown_path', 'a part of a text, in a list', `${LOGS}    - table: t\n      time: opened\n      columns: [meta.any.path, «title.x]\n`, '.x'],
  ['view.unknown_path', 'a misspelled facet', `${LOGS}    - { table: t, time: opened, facets: [state, «prioritty] }\n`, 'priority'],
  // redacted columns
  ['pii.unknown_column', 'a misspelled column', `${PLAIN}pii: { redact: true, columns: { «tilte: mask } }\n`, 'title'],
  ['pii.unknown_column', 'a misspelled part of a tuple', `${PLAIN}pii: { redact: true, columns: { «contact.emial: mask } }\n`, 'contact.email'],
  ['pii.unknown_column', 'a misspelled column before a part', `${PLAIN}pii: { redact: true, columns: { «metta.contact.phone: mask } }\n`, 'meta.contact.phone'],
  ['pii.unknown_column', 'a column that the query gives another name', `${PLAIN.replace('meta FROM', 'meta AS m FROM')}pii: { redact: true, columns: { «meta.contact.phone: mask } }\n`],
  // tenancy
  ['tenancy.unknown_name', 'a misspelled column of tenants', `${PLAIN.replace('tickets\n', 'tickets WHERE agent = @agent\n')}parameters: { agent: { type: String, required: true } }\ntenancy: { parameter: agent, columns: [id, meta.any.path, contact.email, «agnet] }\n`, 'agent'],
  ['tenancy.unknown_name', 'a misspelled shared table', `${PLAIN.replace('tickets\n', 'tickets WHERE agent = @agent\n')}tenancy: { parameter: agent, shared: { desk.teams: all, «desk.staf: all } }\nparameters: { agent: { type: String, required: true } }\n`, 'desk.staff'],
  // names of the query
  ['query.part_undeclared', 'a misspelled parameter of a part', 'query: SELECT 1 /* if @a and «@stat */ + 1 /* end */ AS x\nparameters: { a: { type: String }, state: { type: String } }\n', '@state'],
  ['engine.unknown_column', 'the name of its own alias', 'query: SELECT «tag AS tag FROM desk.tickets\n', 'tags'],
  ['engine.unknown_table', 'a table of WITH that is less like it than one of system', 'query: |\n  WITH own AS (SELECT state FROM desk.tickets)\n  SELECT state FROM «onw\n', 'own'],
  ['engine.unknown_table', 'a table that is named like a column', 'query: |\n  WITH states AS (SELECT state FROM desk.tickets)\n  SELECT state FROM «state\n', 'states'],
  ['example.query_rejected', 'a misspelled column of groups', `${OPEN.replace('true }', 'true }\npii: { redact: true, at: source, min_group: 5, detectors: [email] }')}examples:\n  - name: one\n    sql: SELECT title, count() FROM t GROUP BY «titel\n`],
  ['pii.unknown_column', 'a part of a string', `${PLAIN}pii:\n  redact: true\n  columns:\n    «title.email: drop\n`],
  ['pii.unknown_column', 'a column that is not selected', `${PLAIN}pii: { redact: true, columns: { title: mask, «agent: mask } }\n`],
  ['pii.hash_without_key', 'hash without a key', `${PLAIN}pii: { redact: true, columns: { title: «hash } }\n`],
  // functions of the sandbox
  ['lint.function_unknown', 'a misspelled allowed function', OPEN.replace('true }', 'true, functions: { allow: [«currentDatabse] } }'), 'currentDatabase'],
  ['lint.function_unknown', 'a misspelled denied function', OPEN.replace('true }', 'true, functions: { deny: [lower, «uperUTF8] } }'), 'upperUTF8'],
  ['sandbox.function_unchecked', 'a function that cannot be allowed', OPEN.replace('true }', 'true, functions: { allow: [«formatRow] } }')],
  ['sandbox.function_unchecked', 'a function whose patterns are compiled together', OPEN.replace('true }', 'true, functions: { allow: [«multiMatchAny] } }')],
  // warming
  ['lint.warming_without_examples', 'no examples to keep warm', `${PLAIN}cache: { ttl: 60 }\nwarming: { every: 30, examples: «true }\n`],
  ['lint.warming_without_examples', 'examples for tests only', `${PLAIN}cache: { ttl: 60 }\nwarming: { every: 30, examples: «true }\nexamples: [{ name: a, test_only: true }]\n`],
  ['warming.slower_than_ttl', 'warming after the end of the cache', `${PLAIN}cache: { ttl: 60 }\nwarming: { every: «90 }\n`],
  ['warming.without_cache', 'warming without a cache', `${PLAIN}«warming: { every: 90 }\n`],
  // examples
  ['example.unknown_column', 'an expected column', `${ONE_EXAMPLE}    expect: { columns: [id, «titel, contact, meta] }\n`, 'title'],
  ['example.unknown_column', 'a column of an expected row', `${ONE_EXAMPLE}    expect:\n      result:\n        - { id: 1, title: a, contact: {}, meta: {} }\n        - { id: 2, «titles: b }\n`, 'title'],
  ['lint.example_duplicate', 'a name twice', `${PLAIN}examples:\n  - name: one\n  - name: «one\n`],
  ['example.invalid', 'an unknown parameter', `${ONE_EXAMPLE}    parameters: { «project: a }\n`],
  ['example.invalid', 'a misspelled required parameter', 'query: SELECT @project AS k\nparameters: { project: { type: String, required: true } }\nexamples:\n  - name: one\n    parameters: { «projct: a }\n', 'project'],
  ['example.invalid', 'an element of a list', 'query: SELECT @ks AS k\nparameters: { ks: { type: Array(String), required: true, enum: [paid, open] } }\nexamples:\n  - name: one\n    parameters: { ks: [open, «payd] }\n', 'paid'],
  ['example.query_rejected', 'a misspelled column in sql', `${OPEN}examples:\n  - name: one\n    sql: SELECT «titel FROM t\n`],
  ['example.query_rejected', 'a denied table, in a block', `${OPEN}examples:\n  - name: one\n    sql: |\n      SELECT id\n      FROM «system.tables\n`],
  ['example.query_rejected', 'a denied function, folded', `${OPEN}examples:\n  - name: one\n    sql: >-\n      SELECT id,\n      «sleep(3)\n      FROM t\n`],
  ['example.query_rejected', 'a mistake in lql', `${OPEN}examples:\n  - name: one\n    lql: f:t «titel:a\n`],
  ['example.query_rejected', 'no consumer queries here', `${ONE_EXAMPLE}    sql: «SELECT 1\n`],
  // fixtures
  ['fixture.unknown_table', 'a table of the file', `${PLAIN}fixtures:\n  «desk.ticket: [{ id: 1 }]\n`, 'desk.tickets'],
  ['fixture.unknown_table', 'a table of an example', `${ONE_EXAMPLE}    fixtures: { «desk.tickts: [{ id: 1 }] }\n`, 'desk.tickets'],
  ['fixture.unknown_column', 'a column of the file', `${PLAIN}fixtures:\n  desk.tickets:\n    - { id: 1, title: a }\n    - { id: 2, «tilte: b }\n`, 'title'],
  ['fixture.unknown_column', 'a column of an example', `${ONE_EXAMPLE}    fixtures: { desk.tickets: [{ «ident: 1 }] }\n`],
  // values of Enum columns
  ['engine.unknown_enum_value', 'equals', "query: SELECT id FROM desk.tickets WHERE state = «'opne'\n", 'open'],
  ['engine.unknown_enum_value', 'IN', "query: |\n  SELECT id FROM desk.tickets\n  WHERE state IN ('open', «'clsed')\n", 'closed'],
  ['engine.unknown_enum_value', 'in an aggregate, folded', "query: >\n  SELECT agent,\n    countIf(state != «'cloesd') AS n\n  FROM desk.tickets GROUP BY agent\n", 'closed'],
  ['engine.unknown_enum_value', 'in a table of WITH, in double quotes', `query: "WITH t AS (SELECT id FROM desk.tickets\n\n  WHERE state = «'shut') SELECT id FROM t"\n`],
  ['engine.value_needed', 'a parameter that an Enum is compared with', "query: «SELECT id FROM desk.tickets WHERE state IN @states AND title != 'x'\nparameters: { states: { type: Array(String), default: [] } }\nexamples: [{ name: a, parameters: { states: [other] } }]\n", 'enum: […]'],
  // constants
  ['lint.parameter_as_column', 'ORDER BY', 'query: SELECT id FROM desk.tickets ORDER BY «@by DESC\nparameters: { by: { type: String, required: true, enum: [id, title] } }\n', "@by = 'id', id"],
  ['lint.parameter_as_column', 'GROUP BY, quoted', `query: 'SELECT count() AS n, ''x'' AS x FROM desk.tickets GROUP BY «@by'\nparameters: { by: { type: String, required: true } }\n`],
  ['lint.parameter_as_column', 'PARTITION BY', 'query: SELECT id, row_number() OVER (PARTITION BY «@by) AS n FROM desk.tickets\nparameters: { by: { type: String, required: true } }\n'],
  ['lint.parameter_as_column', 'an aggregate', 'query: SELECT max(«@by) AS high FROM desk.tickets\nparameters: { by: { type: String, required: true } }\n'],
  ['lint.parameter_as_column', 'a choice of columns', 'query: SELECT id, «@side AS high FROM desk.tickets\nparameters: { side: { type: String, required: true, enum: [title, agent] } }\n'],
  ['parameter.as_table', 'FROM', 'query: SELECT id FROM «@source\nparameters: { source: { type: String, required: true } }\n'],
  // other tools' parameters
  ['query.foreign_placeholder', 'braces twice', `query: "SELECT id FROM desk.tickets WHERE title = «{{title}}"\n`, '@title'],
  ['query.foreign_placeholder', 'braces', `query: "SELECT id FROM desk.tickets WHERE title = «{title}"\n`, '@title'],
  ['query.foreign_placeholder', 'a dollar', 'query: SELECT id FROM desk.tickets WHERE title = «$title\n', '@title'],
  ['query.foreign_placeholder', 'a colon, folded', 'query: >-\n  SELECT id FROM desk.tickets\n  WHERE title =\n    «:title\n', '@title'],
  ['query.foreign_placeholder', 'percent', 'query: |\n  SELECT id FROM desk.tickets WHERE title = «%(title)s\n', '@title'],
  ['query.foreign_placeholder', 'a question mark', 'query: SELECT id FROM desk.tickets WHERE title = «?\n', '@name'],
  ['query.foreign_placeholder', 'braces twice, in a string', `query: |\n  SELECT id FROM desk.tickets WHERE title = «'{{ title }}'\n`, '@title'],
  ['query.foreign_placeholder', 'a dollar with braces, in a pattern', "query: |\n  SELECT id FROM desk.tickets WHERE title LIKE «'%${title}%'\n", '@title'],
  ['query.foreign_placeholder', 'an expression of a template', `query: SELECT id FROM «{{ ref('tickets') }}\n`, 'database.table'],
  ['query.foreign_placeholder', 'a condition of a template', "query: |\n  SELECT id FROM desk.tickets\n  «{%- if title %} WHERE title = 'a' {% else %} WHERE 1 {% endif %}\n", '/* if @title */'],
  ['query.foreign_placeholder', 'a template in quotes', `query: "SELECT id FROM desk.tickets WHERE «{% block filter %} 1 {% endblock %}"\n`, '@name'],
  ['query.typed_placeholder', "ClickHouse's own", `query: 'SELECT id FROM desk.tickets WHERE title = «{title:String}'\n`],
  ['query.quoted_parameter', 'in quotes', `query: |\n  SELECT id FROM desk.tickets WHERE title = «'@title' OR agent = @title\nparameters: { title: { type: String, required: true } }\n`, 'Write @title'],
  ['query.quoted_parameter', 'in a pattern', `query: |\n  SELECT id FROM desk.tickets WHERE title LIKE «'%@title%' OR agent = @title\nparameters: { title: { type: String, required: true } }\n`, "concat('%', @title, '%')"],
  // comparisons with NULL
  ['lint.null_comparison', 'equals', 'query: SELECT id FROM desk.tickets WHERE title = «NULL AND id > 1\n', 'IS NULL'],
  ['lint.null_comparison', 'a parameter, ==', 'query: SELECT id FROM desk.tickets WHERE @agent == «null OR agent = @agent\nparameters: { agent: { type: String } }\n', 'IS NULL'],
  ['lint.null_comparison', 'differs, in a table of WITH', 'query: |\n  WITH t AS (SELECT id FROM desk.tickets\n  WHERE title <> «NULL) SELECT id FROM t\n', 'IS NOT NULL'],
  ['lint.null_comparison', 'on the left', 'query: SELECT countIf(«NULL != title) AS n FROM desk.tickets\n', 'IS NOT NULL'],
  // rejections for which the engine has no place
  ['engine.wrong_type', 'a comparison after others', "query: |\n  SELECT id FROM desk.tickets WHERE title = 'a' AND id = 1 AND «contact = 7 AND priority = 2\n"],
  ['engine.wrong_type', 'an operand in a function', 'query: |\n  SELECT id, upper(title) AS u, lower(concat(toString(«title + 1), agent)) AS l FROM desk.tickets\n'],
  ['engine.wrong_type', 'one of two calls of a function', 'query: |\n  SELECT sum(priority) AS s, «sum(title) AS t FROM desk.tickets\n'],
  ['engine.wrong_type', 'a condition that is none', 'query: |\n  SELECT id FROM desk.tickets WHERE id > 1 AND «title\n'],
  ['engine.wrong_type', 'a date and a number', 'query: |\n  SELECT id FROM desk.tickets WHERE id > 1 AND «toDate(opened) > 20240101\n', "'2024-01-31'"],
  ['engine.wrong_type', 'the types of a join', 'query: |\n  SELECT t.id FROM desk.tickets AS t JOIN desk.staff AS s ON t.id = s.id AND «t.contact = s.id\n'],
  ['engine.wrong_type', 'in the second table of WITH', 'query: |\n  WITH a AS (SELECT id, title FROM desk.tickets WHERE id = 1), b AS (SELECT id FROM a WHERE id = 2 AND «title + 1 = 3)\n  SELECT id FROM b WHERE id = 4\n'],
  ['engine.wrong_type', 'in a query of FROM', 'query: |\n  SELECT id FROM (SELECT id, title FROM desk.tickets WHERE id = 1 AND «title + 1 = 3) WHERE id = 2\n'],
  ['engine.wrong_type', 'a branch of CASE', "query: |\n  SELECT id, CASE WHEN id = 1 THEN 'a' WHEN «contact = 5 THEN 'b' ELSE 'c' END AS c FROM desk.tickets\n"],
  ['engine.wrong_type', 'what an alias means in another clause', 'query: |\n  SELECT title AS t FROM desk.tickets WHERE id = 1 AND «t + 1 = 2\n'],
  ['engine.wrong_type', 'in the body of a lambda', 'query: |\n  SELECT id, arrayMap(t -> «t + 1, tags) AS n FROM desk.tickets\n'],
  ['engine.wrong_type', 'in a subquery that is a value', 'query: |\n  SELECT id, (SELECT max(«name + 1) FROM desk.staff) AS n FROM desk.tickets\n'],
  ['engine.wrong_type', 'in a subquery of IN', 'query: |\n  SELECT id FROM desk.tickets WHERE title != \'\' AND id IN (SELECT id FROM desk.staff WHERE «name + 1 = 2)\n'],
  ['engine.wrong_type', 'of tables with a comma', 'query: |\n  SELECT t.id FROM desk.tickets AS t, desk.staff AS s WHERE t.id = s.id AND «t.contact = s.id\n'],
  ['engine.rejected', 'a text in OFFSET', "query: |\n  SELECT id FROM desk.tickets LIMIT 5 «OFFSET 'a'\n"],
  ['engine.rejected', 'a text in LIMIT', "query: |\n  WITH t AS (SELECT id, opened FROM desk.tickets WHERE id = 1)\n  SELECT id FROM t ORDER BY opened «LIMIT @n\nparameters: { n: { type: String, default: '10' } }\n", 'UInt64'],
  ['engine.syntax', 'a join without a condition', 'query: |\n  SELECT t.id FROM desk.tickets AS t «JOIN desk.staff AS s WHERE t.id = 1\n'],
  ['engine.syntax', 'the second of two joins', 'query: |\n  SELECT t.id FROM desk.tickets AS t JOIN desk.staff AS s ON s.id = t.id\n  «LEFT JOIN desk.staff u ORDER BY t.id\n'],
  ['engine.syntax', 'a key without BY', 'query: |\n  SELECT agent, count() AS n FROM desk.tickets «GROUP agent\n', 'GROUP BY'],
  ['engine.wrong_aggregate', 'a column that is no key, and is in WHERE as well', 'query: |\n  SELECT agent, count() AS n FROM desk.tickets WHERE opened > 0 GROUP BY agent ORDER BY «opened\n'],
  ['engine.wrong_aggregate', 'an aggregate in WHERE', 'query: |\n  SELECT agent, count() AS n FROM desk.tickets WHERE id > 1 AND «count() > 2 GROUP BY agent\n', 'HAVING'],
  ['engine.wrong_aggregate', 'a window function in WHERE', 'query: |\n  SELECT id FROM desk.tickets WHERE id > 1 AND «row_number() OVER (ORDER BY id) = 1\n', 'QUALIFY'],
  ['engine.rejected', 'a member of UNION with fewer columns', 'query: |\n  SELECT id, title FROM desk.tickets\n  UNION ALL\n  «SELECT id FROM desk.staff\n', 'as many columns'],
  ['engine.rejected', 'FINAL', 'query: |\n  SELECT id FROM desk.tickets AS t «FINAL WHERE id = 1\n', 'Remove FINAL'],
  ['engine.rejected', 'an ambiguous column', 'query: |\n  SELECT t.id, «name FROM desk.tickets AS t JOIN desk.staff AS a ON a.id = t.id JOIN desk.teams AS b ON b.lead = a.id\n', 'a.name or b.name'],
  ['lint.ambiguous_column', 'of a single join', 'query: |\n  SELECT t.title FROM desk.tickets AS t JOIN desk.staff AS s ON s.id = t.id WHERE «id = 1\n', 't.id or s.id'],
  ['lint.ambiguous_column', 'of a table of WITH', 'query: |\n  WITH t AS (SELECT id, title AS head FROM desk.tickets)\n  SELECT «id FROM t JOIN (SELECT name, s.id FROM desk.staff AS s) AS s ON s.id = t.id WHERE head = name\n', 't.id or s.id'],
  // what the engine notices when it plans or runs a query
  ['query.set_columns', 'IN with two columns', 'query: |\n  SELECT title FROM desk.tickets WHERE id IN «(SELECT id, name FROM desk.staff)\n', 'one column'],
  ['query.set_columns', 'IN with one column', 'query: |\n  SELECT title FROM desk.tickets WHERE (id, agent) NOT IN «(SELECT id FROM desk.staff)\n', 'as many columns'],
  ['engine.rejected', 'ASOF JOIN without a time', 'query: |\n  SELECT t.id AS id FROM desk.tickets AS t «ASOF JOIN desk.staff AS s ON s.id = t.id\n', 'condition on the time'],
  ['engine.unknown_column', 'USING a column of one table', 'query: |\n  SELECT t.id AS id, lead FROM desk.tickets AS t JOIN desk.teams AS m USING («lead)\n', 'write ON'],
  ['engine.wrong_arguments', 'the number of a column that is not there', 'query: |\n  SELECT agent, count() AS n FROM desk.tickets WHERE priority > 7 GROUP BY 1 ORDER BY n DESC, «7\n', 'out of bounds'],
  ['engine.syntax', 'a comma before FROM', 'query: |\n  SELECT id,\n    title AS head«,\n  FROM desk.tickets\n', 'Remove the comma'],
  ['engine.syntax', 'a comma twice', 'query: |\n  SELECT id«,, title FROM desk.tickets\n', 'Remove the comma'],
  ['engine.syntax', 'a comma before a bracket', 'query: |\n  SELECT concat(title, agent«,) AS t FROM desk.tickets\n', 'Remove the comma'],
  ['engine.wrong_aggregate', 'a column beside an aggregate', 'query: |\n  SELECT «agent, count() AS n FROM desk.tickets GROUP BY id\n', 'Add agent to GROUP BY'],
  ['example.unknown_code', 'a misspelled problem code', `${ONE_EXAMPLE}    expect: { status: 400, code: «sandbox.table_deny }\n`, 'sandbox.table_denied'],
  ['sandbox.unknown_table', 'a misspelled table for consumers', OPEN.replace('true }', 'true, tables: [«tt] }')],
  ['yaml.bad_indent', 'a line of the query', 'query: |\n    SELECT id\n  «FROM desk.tickets\n    WHERE id = 1\n', 'by 4 spaces'],
  // nearest names
  ['engine.unknown_table', 'a table of the WITH clause', 'query: |\n  WITH recent AS (SELECT id FROM desk.tickets)\n  SELECT id FROM «recnt\n', 'mean recent?'],
  ['engine.unknown_table', 'a table without its database', 'query: |\n  SELECT id FROM «tickets\n', 'mean desk.tickets?'],
  ['engine.unknown_table', 'a misspelled database', 'query: |\n  SELECT id FROM «dsk.tickets\n', 'mean desk.tickets?'],
  ['engine.unknown_function', 'a misspelled combinator', 'query: |\n  SELECT «sumMrege(priority) AS n FROM desk.tickets\n', 'sumMerge'],
  ['engine.unknown_function', 'a function of another database', "query: |\n  SELECT id, «to_char(opened, 'YYYY') AS y FROM desk.tickets\n", 'formatDateTime'],
  ['engine.unknown_column', 'an abbreviated column', 'query: |\n  SELECT id, «prio AS p FROM desk.tickets\n', 'priority'],
  ['engine.unknown_column', 'an element of a tuple', 'query: |\n  SELECT id, «contact.emial AS e FROM desk.tickets\n', 'email'],
  ['engine.unknown_column', 'an array of ARRAY JOIN', 'query: |\n  SELECT id, t FROM desk.tickets ARRAY JOIN «tagz AS t\n', 'tags'],
  ['engine.unknown_column', 'an element of a record of ARRAY JOIN', "query: |\n  SELECT id, «c.phon AS p FROM desk.tickets ARRAY JOIN [contact] AS c\n", 'mean c.phone'],
  ['engine.unknown_column', 'the type of a path', 'query: |\n  SELECT id, meta.a.b.:«Strng AS p FROM desk.tickets\n', 'Did you mean String'],
  ['engine.unknown_column', 'a path with a type', 'query: |\n  SELECT id, «mtea.a.b.:String AS p FROM desk.tickets\n', 'meta'],
  ['parameter.default_invalid', 'an element of the default', 'query: SELECT @m FROM desk.tickets\nparameters: { m: { choices: { ids: id, titles: title }, multiple: true, default: [ids, «title] } }\n', 'titles'],
  ['engine.unknown_column', 'in a choice', 'query: SELECT id FROM desk.tickets ORDER BY @by\nparameters: { by: { choices: { time: opened, level: «prioity }, default: time } }\n', 'priority'],
  ['engine.wrong_arguments', 'a dictionary', "query: |\n  SELECT dictGet(«'desk.agnts', 'name', id) AS n FROM desk.tickets\n", 'desk.agents'],
  ['engine.wrong_arguments', 'an attribute of a dictionary', "query: |\n  SELECT dictGet('desk.agents', «'nmae', id) AS n FROM desk.tickets\n", 'name'],
  ['engine.unknown_enum_value', 'none that is near', "query: SELECT id FROM desk.tickets WHERE state = «'deleted'\n", 'open, closed'],
  ['engine.unknown_enum_value', 'a default', 'query: SELECT id FROM desk.tickets WHERE state = @s\nparameters: { s: { type: String, default: «opne } }\n', 'mean open?'],
  ['engine.unknown_enum_value', 'a member of enum', 'query: SELECT id FROM desk.tickets WHERE state IN @s\nparameters: { s: { type: Array(String), required: true, enum: [open, «clsed] } }\n', 'mean closed?'],
  ['fixture.rejected', 'a value of an Enum', `${ONE_EXAMPLE}    fixtures: { desk.tickets: [{ id: 1 }, { id: 2, state: «opne }] }\n`, 'mean open?'],
  ['fixture.rejected', 'a text for a number', `${PLAIN}fixtures:\n  desk.tickets:\n    - { id: 1 }\n    - { id: «two }\n`],
  ['fixture.unknown_column', 'a part of a tuple', `${PLAIN}fixtures:\n  desk.tickets:\n    - { id: 1, contact: { «emial: a } }\n`, 'email'],
  // times
  ['lint.time_as_number', 'a date in digits', 'query: |\n  SELECT id FROM desk.tickets WHERE «opened > 20240101\n', "'2024-01-01'"],
  ['lint.time_as_number', 'on the left, with a time', 'query: |\n  SELECT id FROM desk.tickets AS t WHERE «20240101000000 <= opened\n', "'2024-01-01'"],
  ['lint.no_time_bound', 'a part of the key of a row', "query: |\n  SELECT note FROM «desk.notes FINAL WHERE desk = 'a'\n", 'at'],
  ['lint.no_time_bound', 'no condition', 'query: |\n  SELECT id FROM «desk.tickets WHERE id > 1\n', 'opened'],
  ['lint.optional_time_bound', 'one that calls can leave out', 'query: |\n  SELECT id FROM desk.tickets WHERE (@since IS NULL OR opened >= @since) AND (opened < @until OR @until IS NULL)\nparameters:\n  «since: { type: DateTime }\n  until: { type: DateTime }\n', 'now-24h'],
  // pages of a query with optional parts
  ['page.own_order', 'in all variants', 'query: |\n  SELECT id FROM desk.tickets WHERE 1 /* if @a */ AND title = @a /* end */ /* if @b */ AND agent = @b /* end */ «ORDER BY id\nparameters: { a: { type: String }, b: { type: String } }\npage: { by: [id] }\n'],
  ['limits.queue_without_concurrency', 'a queue alone', `${PLAIN}limits: { «queue: 5 }\n`, 'concurrency'],
  ['sandbox.function_reads', 'a function of dictionaries', OPEN.replace('true }', 'true, functions: { allow: [lower, «dictGet] } }')],
  ['reservation.warming_unlisted', 'a misspelled workload', `${PLAIN}reservation: { enabled: true, workloads: [background, reports], warming: «bakground }\n`, 'background'],
  // names
  ['schema.reserved_name', 'a reserved name', 'query: SELECT id FROM desk.tickets WHERE title = @sql\nparameters:\n  «sql: { type: String, required: true }\n', 'sql, lql, format, dialect'],
  ['parameter.undeclared', 'an undeclared parameter, in double quotes', `query: "SELECT id FROM desk.tickets\\n\n  WHERE title = \\"x\\" OR agent = «@agnet"\nparameters: { agent: { type: String, required: true } }\n`, '@agent'],
  ['parameter.unused', 'a parameter that is not used', `${PLAIN}parameters: { «agent: { type: String } }\n`],
  ['labels.unknown_parameter', 'a label of an unknown parameter', `${PLAIN}labels: { team: «"@agent" }\n`],
  // types
  ['parameter.type_unknown', 'a zone', "query: SELECT id FROM desk.tickets WHERE opened > @at\nparameters: { at: { type: «DateTime('Europe/Belin'), required: true } }\n", 'Europe/Berlin'],
  ['parameter.type_unknown', 'a misspelled wrapper', 'query: SELECT id FROM desk.tickets WHERE title IN @a\nparameters: { a: { type: «Aray(String), required: true } }\n', 'Array'],
  ['parameter.array_optional', 'an optional map', 'query: SELECT @m[title] AS v FROM desk.tickets\nparameters: { m: { type: «Map(String, String) } }\n'.replace('«Map(String, String)', '«"Map(String, String)"')],
  ['parameter.default_invalid', 'a default outside the Enum', `query: SELECT id FROM desk.tickets WHERE state = @s\nparameters: { s: { type: "Enum8('open', 'closed')", default: «opne } }\n`],
  ['parameter.constraint_misplaced', 'min of a Tuple', 'query: SELECT id FROM desk.tickets WHERE (id, title) = @t\nparameters: { t: { type: "Tuple(UInt64, String)", required: true, min: «1 } }\n'],
  // tokens that mean something else, or nothing
  ['engine.unknown_column', 'a string in double quotes', `query: |\n  SELECT id FROM desk.tickets WHERE agent = «"ann"\n`, "Strings are written in single quotes: 'ann'"],
  ['engine.unknown_column', 'a parameter in double quotes', `query: |\n  SELECT id FROM desk.tickets WHERE agent = «"@agent" OR title = @agent\nparameters: { agent: { type: String, required: true } }\n`, 'Write @agent, without quotes'],
  ['engine.syntax', 'a keyword that is read as an alias', 'query: |\n  SELECT id\n  «FORM desk.tickets\n', 'FROM'],
  ['engine.syntax', 'a keyword after the table', 'query: |\n  SELECT agent, count() AS n FROM desk.tickets\n  «GRUOP BY agent\n', 'GROUP'],
  ['engine.syntax', 'an operator', 'query: |\n  SELECT id FROM desk.tickets WHERE id > 1 «ADN id < 9\n', 'AND'],
  ['engine.syntax', 'an interval with two units', "query: |\n  SELECT id FROM desk.tickets WHERE opened > now() - INTERVAL «'3 DAYS DAYS' AND id > 1\n", 'INTERVAL 3 DAY'],
  ['engine.syntax', 'an interval with a misspelled unit', "query: |\n  SELECT id FROM desk.tickets WHERE opened > now() - INTERVAL «'2 HOURZ' ORDER BY id\n", 'INTERVAL 2 HOUR'],
  ['engine.syntax', 'an interval without a unit', "query: |\n  SELECT id FROM desk.tickets WHERE opened > now() - INTERVAL «7 AND id > 1 ORDER BY id\n", 'INTERVAL 7 DAY'],
  ['engine.syntax', 'a unit, at the end', 'query: |\n  SELECT id FROM desk.tickets WHERE opened > now() - INTERVAL 1 «DAYZ\n', 'DAY'],
  ['engine.wrong_arguments', 'a time zone in the query', "query: |\n  SELECT toTimeZone(opened, «'Europe/Belin') AS t FROM desk.tickets\n", 'Europe/Berlin'],
  ['engine.wrong_type', 'a combinator', 'query: |\n  SELECT id, «sumMerge(priority) AS n FROM desk.tickets GROUP BY id\n'],
  ['query.foreign_placeholder', 'percent without a name', 'query: |\n  SELECT id % 2 AS a FROM desk.tickets WHERE title = «%s\n', '@name'],
  ['parameter.type_unknown', 'a type of another database', 'query: SELECT id FROM desk.tickets WHERE id = @a\nparameters: { a: { type: «serial, required: true } }\n', 'Int32'],
  ['parameter.type_unknown', 'a type with a length that ClickHouse ignores', 'query: SELECT id FROM desk.tickets WHERE title = @a\nparameters: { a: { type: «VARCHAR(255), required: true } }\n', 'max_length: 255'],
  // units of intervals
  ['engine.syntax', 'a unit before a clause', 'query: SELECT id FROM desk.tickets WHERE opened > now() - INTERVAL 1 «DAI GROUP BY id\n', 'DAY'],
  ['engine.syntax', 'a unit after a parameter, inside a call', 'query: SELECT toDate(opened + INTERVAL @n «WEK) AS d FROM desk.tickets\nparameters: { n: { type: UInt8, default: 1 } }\n', 'WEEK'],
  ['engine.syntax', 'a unit at the end', 'query: SELECT id FROM desk.tickets WHERE opened > now() - INTERVAL (1 + 2) «MINUET\n', 'MINUTE'],
  ['engine.syntax', 'a unit before AND', 'query: SELECT id FROM desk.tickets WHERE opened > now() - INTERVAL 90 «MIN AND id = 1\n', 'MINUTE'],
  ['engine.syntax', 'a word that is like no unit', 'query: SELECT id FROM desk.tickets WHERE opened > now() - INTERVAL 1 «lustrum AND id = 1\n', 'such as DAY'],
  // values that need quotes
  ['yaml.unquoted_comma', 'a type with a comma, in braces', 'query: SELECT id FROM desk.tickets WHERE id = @a\nparameters: { a: { type: «Decimal(12, 4), required: true } }\n', 'Put it in quotes: "Decimal(12, 4)"'],
  ['yaml.unquoted_comma', 'a type of types', 'query: SELECT id FROM desk.tickets WHERE id = @a\nparameters: { a: { required: true, type: «Map(String, Array(UInt8)) } }\n', '"Map(String, Array(UInt8))"'],
  ['yaml.missing_char', 'a type with names, in braces', "query: SELECT id FROM desk.tickets WHERE id = @a\nparameters: { a: { type: «Array(Enum8('a','b')), required: true } }\n", `"Array(Enum8('a','b'))"`],
  ['yaml.block_as_implicit_key', 'a colon', 'mcp:\n  description: «Requests: per hour\nquery: SELECT 1 AS a\n', '"Requests: per hour"'],
  ['yaml.block_in_flow', 'a colon, in braces', 'query: SELECT id FROM desk.tickets WHERE id = @a\nparameters: { a: { type: UInt64, description: «Requests: per hour } }\n', '"Requests: per hour"'],
  ['yaml.block_as_implicit_key', 'a colon in a query', `query: «SELECT id FROM desk.tickets WHERE title = concat('a: ', 'b') AND agent = 'someone' AND priority > 3\n`, 'write it as a block'],
  ['yaml.bad_scalar_start', 'an at sign', 'query: SELECT 1 AS a\nlabels: { team: «@team }\n', '"@team"'],
  ['yaml.bad_scalar_start', 'a backquote', 'query: SELECT 1 AS a\nmcp: { description: «`a` counts }\n', '"`a` counts"'],
  ['yaml.bad_scalar_start', 'a percent sign', 'query: SELECT 1 AS a\nlabels:\n  team: «%x\n', '"%x"'],
  ['yaml.bad_scalar_start', 'an ampersand', 'query: SELECT 1 AS a\nlabels: { team: «&x }\n', '"&x"'],
  ['yaml.unknown_alias', 'a star', 'query: SELECT 1 AS a\nlabels: { team: «*x }\n', '"*x"'],
  ['yaml.tag_resolve_failed', 'an exclamation mark', 'query: SELECT 1 AS a\nlabels: { team: «!x }\n', '"!x"'],
  ['yaml.unexpected_token', 'brackets', 'query: SELECT id FROM desk.tickets WHERE id = @a\nparameters: { a: { type: «String[], required: true } }\n', '"String[]"'],
  ['yaml.unexpected_token', 'quotes in quotes', "query: 'SELECT id FROM desk.tickets WHERE title = '«x''\n", "''"],
  ['yaml.tab_as_indent', 'a tab in a block', 'query: |\n«\tSELECT 1 AS a\n', 'spaces'],
  ['yaml.tab_as_indent', 'a tab after spaces', 'query: SELECT id FROM desk.tickets WHERE id = @a\nparameters:\n  «\ta: { type: UInt64, required: true }\n', 'spaces'],
  ['yaml.merge_key', 'a merge key', 'query: SELECT id FROM desk.tickets WHERE id = @a\nparameters:\n  a: &a { type: UInt64 }\n  b:\n    «<<: *a\n', 'include'],
  ['yaml.missing_char', 'no space after a colon', 'query«:SELECT 1 AS a\n', 'space after the colon'],
  ['schema.wrong_type', 'a truth value of YAML 1.1', `${PLAIN}sandbox: { enabled: «no }\n`, 'Write false'],
  ['schema.wrong_type', 'a number in quotes', `${PLAIN}max_rows: «"10"\n`, 'Write 10, without quotes'],
  ['schema.wrong_type', 'a number with a unit', `${PLAIN}limits: { time: «30s }\n`, 'seconds'],
  // queries, in styles that fold lines
  ['engine.unknown_column', 'plain, over several lines', 'query: SELECT id,\n  title,\n\n  «agnet FROM desk.tickets\n', 'agent'],
  ['engine.unknown_column', 'single quotes, over several lines', "query: 'SELECT id, ''a'' AS a,\n\n\n    «agnet\n  FROM desk.tickets'\n", 'agent'],
  ['engine.unknown_column', 'double quotes, continued', 'query: "SELECT id, \\\n    \\"title\\", \\\n    «agnet FROM desk.tickets"\n', 'agent'],
  ['engine.unknown_function', 'folded and stripped', 'query: >-\n  SELECT id,\n  «uperr(title) AS u\n  FROM desk.tickets\n'],
  ['engine.unknown_table', 'folded, with an indicator', 'query: >2\n    SELECT id\n   FROM\n  «desk.tiket\n'],
  ['engine.syntax', 'kept', "query: |+\n\n  SELECT id,\n  title\n  FROM desk.tickets WHERE\n    AND «id = 1\n\n"],
  ['engine.unknown_column', 'with a value that is needed as well', 'query: >\n  SELECT toTimeZone(opened, @tz) AS t,\n  «opend FROM desk.tickets\nparameters: { tz: { type: String, required: true } }\n', 'opened'],
])('%s: %s', async (code, _why, body, hint = '') => {
  const marked = HEAD + body;
  const text = marked.replace('«', '');
  const lines = marked.slice(0, marked.indexOf('«')).split('\n');
  const all = await findingsOf(text);
  const found = all.filter((each) => each.code === code);
  expect(found).toHaveLength(1);
  if (found[0]?.severity !== 'warning') expect(all.filter(({ severity }) => severity !== 'warning')).toEqual(found);
  expect(found[0]).toMatchObject({ line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 });
  expect(`${found[0]?.message} ${found[0]?.hint ?? ''}`).toContain(hint);
  expect(FINDING_CODES[code]).toBeDefined();
}); // prettier-ignore
