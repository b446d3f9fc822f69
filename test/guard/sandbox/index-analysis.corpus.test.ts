// Whatever index analysis makes of a condition that may be evaluated on rows of all tenants, it overlooks no row, and the condition fails on
// no row: ids selected from tables with indexes and sort keys are those selected from a table without. By seed.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EngineError, type Engine } from '../../../src/service/engine/engine.ts';
import { readRows } from '../../../src/service/engine/rows.ts';
import type { Sandbox } from '../../../src/guard/sandbox/sandbox.ts';
import { runs } from '../../support/runs.ts';
import { openTestEngine } from '../../support/test-engine.ts';
import { openSandbox } from './fixture.ts';
import { INDEXED_COLUMNS, type IndexedColumn } from './index-columns.ts';
import { createConditions } from './index-conditions.ts';
import { createRandom } from './mutants.ts';
import { createTables, type TableNames } from './index-tables.ts';

const CASES = runs(80, 450);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_240_101);
/** Conditions of one statement. */
const BATCH = 6;

/** The others only with FUZZ_CASES: their tables take seconds to create. */
const USUAL =
  'text text_null fixed int64_null float64 flag_null enum_null millis texts floats pairs doc text_keys millis_keys'.split(
    ' ',
  );
const COLUMNS = Object.entries(INDEXED_COLUMNS).filter(
  ([name]) => process.env['FUZZ_CASES'] !== undefined || USUAL.includes(name),
);

let engine: Engine;
let tables: ReadonlyMap<string, TableNames>;
beforeAll(async () => {
  engine = await openTestEngine(2);
  tables = await createTables(engine, COLUMNS);
});
afterAll(() => engine.close(0));

/** Each type in a table of its own: what is accepted depends on all columns. */
function sandboxOf({ type }: IndexedColumn): Sandbox {
  return openSandbox({
    boundSql: 'WITH t AS (SELECT id, v FROM stored.t WHERE project = {project:String}) SELECT * FROM t',
    columns: new Map([
      [
        't',
        [
          { name: 'id', type: 'UInt32' },
          { name: 'v', type },
        ],
      ],
    ]),
  });
}

const QUERY = 'SELECT id FROM t WHERE ';

/** The conditions that the statement of a query evaluates on rows of all tenants. */
async function conditionsOf(sandbox: Sandbox, condition: string): Promise<readonly string[]> {
  const verdict = await sandbox.check(`${QUERY}${condition}`).catch(() => undefined);
  if (verdict === undefined) return [];
  const below = verdict.below?.get('t');
  return [
    ...(verdict.isLeakproof ? [verdict.joined.slice(QUERY.length)] : []),
    ...(below?.conditions.map((each) => each.replace(/^t \. v\b/, 'v')) ?? []),
    ...(below?.stored ?? []),
  ];
}

type Selected = readonly [table: string, count: number, hash: number];

const LIMITS = { time: 30, memory: 2 ** 29, readRows: 0, resultBytes: 2 ** 24 };
const select = async (sqls: readonly string[]): Promise<readonly Selected[]> =>
  (await readRows(engine, sqls.join(' UNION ALL '), {
    origin: 'consumer',
    limits: LIMITS,
  })) as readonly Selected[]; // as `selectOf` has it

const selectOf = (table: string, name: string, condition: string): string =>
  `SELECT '${name} ${table}' AS t, count() AS c, sum(cityHash64(id) % 1000003) AS h FROM ${table} WHERE (${condition})`;

interface Difference {
  readonly column: string;
  readonly condition: string;
  readonly what: string;
}

const failureOf = async (sql: string): Promise<string | undefined> => {
  try {
    await select([sql]);
    return undefined;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return error.message;
  }
};

/**
 * A literal that cannot have the type that it is compared with, or a value of type Dynamic: which of them fails depends on the row that is
 * reached first, and the query is run again with nothing below a barrier.
 */
const OF_LITERALS =
  /Cannot convert string|NO_COMMON_TYPE|ILLEGAL_TYPE_OF_ARGUMENT|while converting '|Cannot compare|BAD_TYPE_OF_FIELD/;

/** What is wrong with one condition. */
async function examine(condition: string, named: TableNames): Promise<string | undefined> {
  const plain = selectOf(named.plain, 'x', condition);
  const failure = await failureOf(plain);
  if (failure !== undefined) {
    // A constant that cannot be read fails on each row, or on none.
    const isConstant =
      OF_LITERALS.test(failure) || (await failureOf(selectOf(named.first, 'x', condition))) !== undefined;
    return isConstant ? undefined : `fails on a row: ${failure}`;
  }
  const [expected] = await select([plain]);
  for (const table of named.indexed) {
    const sql = selectOf(table, 'x', condition);
    const inTable = await failureOf(sql);
    if (inTable !== undefined) {
      await engine.execute(
        `CREATE TABLE IF NOT EXISTS ${table}_first AS ${table}; INSERT INTO ${table}_first SELECT * FROM ${named.first}`,
      );
      const isConstant =
        OF_LITERALS.test(inTable) ||
        (await failureOf(selectOf(`${table}_first`, 'x', condition))) !== undefined;
      if (!isConstant) return `${table} fails on a row: ${inTable}`;
      continue;
    }
    const [found] = await select([sql]);
    if (found?.[1] !== expected?.[1] || found?.[2] !== expected?.[2])
      return `${table} has ${found?.[1]} rows instead of ${expected?.[1]}`;
  }
  return undefined;
}

const counts = { generated: 0, accepted: 0, evaluated: 0, selective: 0, failed: 0 };

async function examineBatch(name: string, conditions: readonly string[]): Promise<readonly Difference[]> {
  const named = tables.get(name);
  if (named === undefined || conditions.length === 0) return [];
  const names = [named.plain, ...named.indexed];
  const sqls = conditions.flatMap((condition, at) =>
    names.map((table) => selectOf(table, String(at), condition)),
  );
  const selected = await select(sqls).catch((error: unknown) => {
    if (!(error instanceof EngineError)) throw error;
    return undefined;
  });
  if (selected === undefined) {
    const [condition] = conditions;
    if (conditions.length === 1 && condition !== undefined) {
      const what = await examine(condition, named);
      return what === undefined ? [] : [{ column: name, condition, what }];
    }
    const half = conditions.length >> 1;
    return [
      ...(await examineBatch(name, conditions.slice(0, half))),
      ...(await examineBatch(name, conditions.slice(half))),
    ];
  }
  const found = new Map(selected.map(([table, ...rest]) => [table, rest.join(' ')]));
  counts.evaluated += conditions.length;
  const differences: Difference[] = [];
  for (const [at, condition] of conditions.entries()) {
    const expected = found.get(`${at} ${named.plain}`);
    if (expected?.startsWith('0 ') === false) counts.selective++;
    for (const table of named.indexed) {
      const has = found.get(`${at} ${table}`);
      if (has !== expected)
        differences.push({ column: name, condition, what: `${table} has ${has} instead of ${expected}` });
    }
  }
  return differences;
}

test(`${CASES} generated conditions`, { timeout: 7_200_000 }, async () => {
  const random = createRandom(SEED);
  const generate = createConditions(random);
  const opened = COLUMNS.map(([name, column]) => ({
    name,
    column,
    sandbox: sandboxOf(column),
    waiting: [] as string[],
  }));
  const differences: Difference[] = [];
  const report = (all: readonly Difference[]): void => {
    if (process.env['FUZZ_PRINT'] !== undefined) for (const each of all) console.log(JSON.stringify(each));
    differences.push(...all);
  };
  for (let at = 0; at < CASES; at++) {
    const each = opened[at % opened.length];
    if (each === undefined) break;
    const condition = generate(each.column);
    counts.generated++;
    const accepted = await conditionsOf(each.sandbox, condition);
    if (accepted.length > 0) counts.accepted++;
    for (const one of accepted) {
      const first = tables.get(each.name)?.first ?? '';
      if ((await failureOf(selectOf(first, 'x', one))) === undefined) each.waiting.push(one);
      else counts.failed++;
    }
    if (each.waiting.length < BATCH) continue;
    report(await examineBatch(each.name, each.waiting.splice(0)));
  }
  for (const { name, waiting } of opened) report(await examineBatch(name, waiting));
  if (process.env['FUZZ_PRINT'] !== undefined) console.log(JSON.stringify(counts));
  expect(differences).toEqual([]);
  // Conditions that all fail, or select nothing, would prove nothing.
  expect(counts.selective).toBeGreaterThan(CASES / 20);
});
