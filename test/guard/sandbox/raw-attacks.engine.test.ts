// The attack corpus without any of our checks: each attack goes straight to a consumer connection of the embedded engine, as it
// is, behind the endpoint's WITH clause, and in the statement that the service builds. Grants and row filters alone decide.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccessControl } from '../../../src/service/app/access.ts';
import { assembleCatalog } from '../../../src/service/endpoints/catalog.ts';
import { createCompile } from '../../../src/service/endpoints/compile.ts';
import type { Endpoint } from '../../../src/service/endpoints/endpoint.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import { EngineError, type Engine, type Statement } from '../../../src/service/engine/engine.ts';
import { readAll } from '../../../src/service/engine/rows.ts';
import { splitStatements } from '../../../src/service/engine/statements.ts';
import { statement } from '../../support/engine-statements.ts';
import { REAL_TIME } from '../../support/real-time.ts';
import { ATTACKS } from './fixture.ts';

const folder = await mkdtemp(join(tmpdir(), 'millrace-raw-'));
const data = join(folder, 'engine');
let engine: Engine;
let endpoint: Endpoint;

async function openWith(path: string): Promise<Engine> {
  const limits = { connections: 4, queue: 100, memory: 2 ** 30 };
  const opened = await createEmbeddedEngine({ ...REAL_TIME, ...limits, path, observe: () => undefined });
  const seeds = await readFile('test/corpus/seeds.sql', 'utf8');
  for (const sql of splitStatements(seeds)) await opened.execute(sql);
  return opened;
}

beforeAll(async () => {
  engine = await openWith(data);
  const { candidate } = createCompile({ piiHashKey: undefined })(
    'corpus.yaml',
    await readFile('test/corpus/corpus.yaml', 'utf8'),
  );
  if (candidate === undefined) throw new Error('corpus.yaml');
  endpoint = candidate.endpoint;
  await createAccessControl(engine, REAL_TIME.after).apply(assembleCatalog([candidate]).catalog);
});
afterAll(async () => {
  await engine.close(0);
  await rm(folder, { recursive: true, force: true });
});

function consumer(sql: string): Statement {
  const { name, revision } = endpoint;
  const parameters = { project: 'mine' };
  const rowPolicy = { endpoint: name, revision, values: parameters };
  return statement(sql, { origin: 'consumer', parameters, rowPolicy, limits: { time: 1 } });
}

/** What the engine returns or says; its message is compared, too. */
async function answerTo(sql: string, asked = engine): Promise<string> {
  try {
    const { chunks } = await asked.run(consumer(sql), { format: 'JSONEachRow' });
    return Buffer.from(await readAll(chunks)).toString();
  } catch (error) {
    if (error instanceof EngineError) return error.message;
    throw error;
  }
}

/** Rows that other tenants and tables have; what an attack itself contains says nothing. */
function leaks(answer: string, sql: string): boolean {
  return answer
    .split(/(?=CANARY)/)
    .some((part) => part.startsWith('CANARY') && !sql.includes(part.slice(0, 12)));
}

const forms = (sql: string): readonly string[] => {
  const clause = endpoint.query.slice(endpoint.outline.withStart, endpoint.outline.withEnd);
  const tables = `${clause} SELECT * FROM edge_logs`;
  return [
    sql,
    `${clause} ${sql}`,
    `${clause}, ${sql.replace(/^\s*WITH\s+/i, '')}`,
    `WITH edge_logs AS (SELECT * FROM view(${tables})) SELECT * FROM (\n${sql}\n)`,
  ];
};

test.each(ATTACKS.map(({ id, sql }) => [id, sql] as const))(
  'attack %s shows no row of others: %s',
  async (_, sql) => {
    const all = forms(sql);
    const answers = await Promise.all(all.map((form) => answerTo(form)));
    expect(all.filter((form, index) => leaks(answers[index] ?? '', form))).toEqual([]);
  },
);

test('without rules, some do', async () => {
  const open = await openWith(join(folder, 'open'));
  const sql = ATTACKS.flatMap((attack) => forms(attack.sql));
  const answers = await Promise.all(sql.map((form) => answerTo(form, open)));
  expect(answers.filter((answer, index) => leaks(answer, sql[index] ?? '')).length).toBeGreaterThan(5);
  await open.close(0);
});

describe('what grants and row filters do not cover', () => {
  // Only the lexer, the scanner and the check of the query tree reject these; the process is confined as well.
  test('the scalar function file reads the data folder', async () => {
    expect(await answerTo(`SELECT length(file('${data}/millrace.xml')) > 0 AS is_read`)).toContain(':1}');
  });

  test('INTO OUTFILE writes into the data folder', async () => {
    await answerTo(`SELECT 'written' INTO OUTFILE '${data}/outfile' FORMAT TSV`);
    expect(await answerTo(`SELECT 1 INTO OUTFILE '${data}/outfile' FORMAT TSV`)).not.toBe('');
  });

  test('mergeTreeIndex shows the primary keys of a table that the endpoint reads', async () => {
    expect(await answerTo("SELECT count() > 0 AS n FROM mergeTreeIndex('app', 'logs')")).toContain(':1}');
    expect(await answerTo("SELECT * FROM mergeTreeIndex('default', 'users')")).toContain(
      'Not enough privileges',
    );
  });
});
