// The conformance suite for every engine, whatever its backend. Each implementation's test file runs it.
import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ReadSummary } from '../../../src/sql/base/observation.ts';
import { EngineError } from '../../../src/service/engine/engine.ts';
import type {
  Engine,
  Limits,
  ResultFormat,
  RunOptions,
  Statement,
} from '../../../src/service/engine/engine.ts';
import type { EngineFormat } from '../../../src/service/formats/clickhouse-formats.ts';
import { readAll } from '../../../src/service/engine/rows.ts';
import { FIXED_SETTINGS, ISOLATION_SETTINGS } from '../../../src/service/engine/settings.ts';
import { collect, failureOf, rows, statement, text } from '../../support/engine-statements.ts';
import { eventually } from '../../support/eventually.ts';
import { startGate } from '../../support/gate.ts';
import { runs, sizeOf } from '../../support/runs.ts';
import { anyCharacter } from '../../support/any-character.ts';

export interface EngineSize {
  readonly connections: number;
  readonly queue: number;
  readonly queueTimeoutMs?: number;
}

export interface Subject {
  /** Opens an engine over the same data each time; the suite closes it first. */
  readonly open: (size: EngineSize) => Promise<Engine>;
}

const ENDLESS = 'SELECT count() AS n FROM numbers(1000000000000) WHERE sipHash64(number) = 1';
const SIZE = { connections: 4, queue: 100 };

function messageOf(error: unknown): string {
  if (error instanceof EngineError) return error.message;
  throw error;
}

/** What compiled code computes differently, of another pattern or number for each origin: one run of it counts for all. */
const COMPILED: Readonly<Record<string, (origin: Statement['origin']) => string>> = {
  patterns: (origin) =>
    `SELECT match(concat('${origin}=1&', materialize(unhex('ff'))), '${origin}=1[^y]+$') AS m`,
  'conditions with patterns': (origin) =>
    `SELECT count() AS n FROM numbers(1) WHERE match(concat('${origin}=2&', materialize(unhex('ff'))), '${origin}=2&.+$')`,
  'aggregates of NaN': (origin) => {
    const weight = origin === 'saved' ? 'toUInt16(number)' : 'toUInt32(number)';
    return `SELECT avgWeighted(nan * ${weight}, ${weight}) AS a FROM numbers(3) GROUP BY intDiv(number, 10)`;
  },
  'conversions that overflow': (origin) =>
    `SELECT if(number < ${origin.length}, materialize(toDateTime64('2299-12-31 00:00:00', 3)), toDateTime64('2024-01-01 00:00:00', 9)) AS t FROM numbers(1)`,
};

export function describeEngine(name: string, subject: Subject): void {
  describe(`${name} engine`, () => {
    let engine: Engine;
    const reopen = async (): Promise<void> => {
      await engine?.close(0);
      engine = await subject.open(SIZE);
    };
    beforeAll(reopen);
    afterAll(() => engine.close(0));

    describe.each(['saved', 'consumer'] as const)('parameters of %s statements', (origin) => {
      test.each(PARAMETERS)('$type: $why', async ({ type, value, expected }) => {
        const sql = `SELECT {p:${type}} AS p`;
        expect(await rows(engine, statement(sql, { parameters: { p: value }, origin }))).toEqual([
          { p: expected },
        ]);
      });

      test('any string arrives unchanged, many in one statement', async () => {
        const texts = fc.array(fc.string({ unit: ANY_UNIT, maxLength: 40 }), { minLength: 1, maxLength: 30 });
        await fc.assert(
          fc.asyncProperty(texts, async (values) => {
            const parameters = Object.fromEntries(values.map((value, index) => [`p${index}`, value]));
            const sql = `SELECT [${values.map((_, index) => `hex({p${index}:String})`).join(', ')}] AS all`;
            const all = values.map((value) => Buffer.from(value).toString('hex').toUpperCase());
            expect(await rows(engine, statement(sql, { parameters, origin }))).toEqual([{ all }]);
          }),
          { numRuns: runs(15, 30), seed: 7 },
        );
      });
    });

    describe('what a statement reads', () => {
      const read = async (sql: string, options: RunOptions = { format: 'JSONEachRow' }) => {
        const reads: ReadSummary[] = [];
        const counted = { ...options, onRead: (each: ReadSummary) => void reads.push(each) };
        const result = await engine
          .run(statement(sql), counted)
          .then(async ({ chunks }) => Buffer.from(await readAll(chunks)).toString())
          .catch((error: unknown) => error);
        return { reads, result };
      };

      test('is reported, and the rows are the same', async () => {
        const sql = `SELECT number AS n, 'a"{}\n' AS s, [number] AS l FROM numbers(70000) WHERE n % 7000 = 0`;
        const { reads, result } = await read(sql);
        expect(reads).toHaveLength(1);
        if (engine.kind === 'embedded') expect(reads).toEqual([{ rows: 70_000, bytes: 560_000 }]); // the test server knows the result only
        expect(result).toBe(await text(engine, statement(sql)));
      });

      test('of an aggregate is more than its rows', async () => {
        const { reads, result } = await read('SELECT count() AS n FROM numbers(1000)');
        expect([reads.length, result]).toEqual([1, '{"n":1000}\n']);
      });

      test('of an empty result: the rows are none', async () => {
        // Not a condition that shows before reading that there are no rows.
        const { reads, result } = await read('SELECT number AS n FROM numbers(1000) WHERE n % 10 = 11');
        expect(result).toBe('');
        if (engine.kind === 'embedded') expect(reads).toEqual([{ rows: 1000, bytes: 8000 }]);
      });

      test('errors are errors', async () => {
        const { result } = await read(`SELECT throwIf(number = 90000, 'late') AS bad FROM numbers(100000)`);
        expect(result).toMatchObject({ failure: 'rejected', engineCode: 395 });
      });

      test('a statement whose start is rejected does not run, and frees its connection', async () => {
        const rejected = new Error('no budget');
        for (let count = 0; count < 10; count++) {
          const options = { format: 'JSONEachRow', onStart: () => Promise.reject(rejected) } as const;
          await expect(engine.run(statement('SELECT 1'), options)).rejects.toThrow('no budget');
        }
        await eventually(async () => expect(engine.load().running).toBe(0));
      });
    });

    describe('output', () => {
      test.each(VALUES)('$why', async ({ sql, int64, expected }) => {
        const options = int64 === undefined ? {} : { int64 };
        expect(await text(engine, statement(`SELECT ${sql} AS x`, options))).toBe(`{"x":${expected}}\n`);
        const origin = 'consumer';
        expect(await text(engine, statement(`SELECT ${sql} AS x`, { ...options, origin }))).toBe(
          `{"x":${expected}}\n`,
        );
      });

      test.each(FORMATS)('$format', async ({ format, begins, ends }) => {
        const bytes = await collect(
          engine,
          statement('SELECT number AS n, CAST(NULL AS Nullable(UInt8)) AS z FROM numbers(3)'),
          {
            format,
          },
        );
        expect(bytes.subarray(0, begins.length).toString()).toBe(begins);
        expect(bytes.subarray(bytes.length - ends.length).toString()).toBe(ends);
      });

      test('an empty result has no bytes in row formats, and a header in CSV', async () => {
        const none = statement('SELECT 1 AS n WHERE 0');
        expect(await text(engine, none)).toBe('');
        expect(await text(engine, none, 'JSONCompactEachRow')).toBe('');
        expect(await text(engine, none, 'CSVWithNames')).toBe('"n"\n');
      });

      test('a result of many blocks is complete', async () => {
        const all = await text(
          engine,
          statement('SELECT number AS n FROM numbers(300000) ORDER BY n'),
          'JSONCompactEachRow',
        );
        expect(all).toBe(Array.from({ length: 300_000 }, (_, n) => `[${n}]\n`).join(''));
      });
    });

    describe('engine formats', () => {
      const sql = "SELECT toDateTime(0, 'UTC') AS t, 1::UInt64 AS n, NULL AS z";
      const run = async (what: Statement, format: EngineFormat) => {
        const { chunks, rows: count } = await engine.run(what, { format });
        return { text: Buffer.from(await readAll(chunks)).toString(), rows: count };
      };

      test.each(['saved', 'consumer'] as const)(
        'are written with the defaults of ClickHouse, or the settings given: %s',
        async (origin) => {
          const what = statement(sql, { origin, int64: 'string' });
          const csv = {
            engine: 'CSV',
            settings: { format_csv_delimiter: ';', format_csv_null_representation: "it's" },
          };
          const json = { engine: 'JSONEachRow', settings: { output_format_json_quote_64bit_integers: '1' } };
          for (let round = 0; round < 2; round++) {
            expect(await run(what, { engine: 'TSV', settings: {} })).toEqual({
              text: '1970-01-01 00:00:00\t1\t\\N\n',
              rows: 1,
            });
            expect((await run(what, { engine: 'JSONEachRow', settings: {} })).text).toBe(
              '{"t":"1970-01-01 00:00:00","n":1,"z":null}\n',
            );
            expect((await run(what, csv)).text).toBe('"1970-01-01 00:00:00";1;it\'s\n');
            expect((await run(what, json)).text).toBe('{"t":"1970-01-01 00:00:00","n":"1","z":null}\n');
            expect(await text(engine, what)).toBe('{"t":"1970-01-01T00:00:00Z","n":"1","z":null}\n');
          }
        },
      );

      test.each([0, 1, 150_000])('the number of rows is known: %i', async (count) => {
        for (const name of ['Native', 'PrettyCompact', 'Values', 'Parquet', 'JSON']) {
          const all = statement(`SELECT * FROM (SELECT number FROM numbers(${count})) LIMIT 1000000`);
          expect([name, (await run(all, { engine: name, settings: {} })).rows]).toEqual([name, count]);
        }
      });

      test('totals and extremes are not counted', async () => {
        const totals =
          'SELECT number % 2 AS k, count() AS c FROM numbers(9) GROUP BY k WITH TOTALS ORDER BY k';
        const format = { engine: 'JSONCompact', settings: { extremes: '1' } };
        const result = await run(statement(`SELECT * FROM (${totals}) LIMIT 10`), format);
        expect(result.rows).toBe(2);
        expect(JSON.parse(result.text)).toMatchObject({ totals: [0, 9], extremes: { max: [1, 5] }, rows: 2 });
      });

      test('a failure after the first rows is an error in every format', async () => {
        for (const name of ['TSV', 'RowBinary', 'Native', 'Vertical']) {
          const failed = await failureOf(
            collect(engine, failsLate(1), { format: { engine: name, settings: {} } }),
          );
          expect(failed.failure).toBe('rejected');
        }
      });

      test('a value that looks like an error is a value', async () => {
        const message = 'Code: 1. DB::Exception: x (version 26.7.2.1 (official build))';
        const what = statement(`SELECT '${message}' AS x`);
        expect((await run(what, { engine: 'TSV', settings: {} })).text).toBe(`${message}\n`);
      });
    });

    describe('failures', () => {
      test.each(FAILURES)('$why is $failure', async ({ sql, limits = {}, failure, code }) => {
        for (const origin of ['saved', 'consumer'] as const) {
          const error = await failureOf(collect(engine, statement(sql, { limits, origin })));
          expect([error.failure, error.engineCode]).toEqual([failure, code]);
        }
      });

      test.each(LIFTS)(
        'SETTINGS inside a query cannot lift its $failure limit',
        async ({ sql, limits, failure }) => {
          const inner =
            'max_execution_time = 0, max_memory_usage = 0, max_rows_to_read = 0, max_result_bytes = 0';
          for (const origin of ['saved', 'consumer'] as const) {
            const lifted = statement(`SELECT * FROM (${sql} SETTINGS ${inner})`, { limits, origin });
            expect((await failureOf(collect(engine, lifted))).failure).toBe(failure);
          }
        },
      );

      test.each(UNION_FORMS)('limits hold for %s', async (sql) => {
        const limits = { resultBytes: 1000 };
        expect(
          (await failureOf(collect(engine, statement(`SELECT * FROM (\n${sql}\n)`, { limits })))).failure,
        ).toBe('limit');
      });

      test.each(SEVERAL)('several statements are rejected: %s', async (sql) => {
        for (const origin of ['saved', 'consumer'] as const) {
          expect((await failureOf(collect(engine, statement(sql, { origin })))).failure).toBe('rejected');
        }
        expect(
          await rows(engine, statement("SELECT count() AS n FROM system.databases WHERE name = 'taken'")),
        ).toEqual([{ n: 0 }]);
      });

      test('a semicolon in a string or a comment does not end the statement', async () => {
        const sql = "SELECT ';' AS a /* ; */ -- ;";
        expect(await rows(engine, statement(sql))).toEqual([{ a: ';' }]);
        expect(await rows(engine, statement(sql, { origin: 'consumer' }))).toEqual([{ a: ';' }]);
      });

      test('an invalid parameter name is rejected', async () => {
        const parameters = { 'p = 1; DROP DATABASE kept; --': 'x' };
        expect((await failureOf(collect(engine, statement('SELECT 1', { parameters })))).failure).toBe(
          'rejected',
        );
      });

      test('statements are read-only', async () => {
        for (const origin of ['saved', 'consumer'] as const) {
          await failureOf(collect(engine, statement('CREATE DATABASE taken', { origin })));
          await failureOf(collect(engine, statement('DROP DATABASE kept', { origin })));
        }
        const sql = "SELECT groupArray(name) AS names FROM system.databases WHERE name IN ('kept', 'taken')";
        expect(await rows(engine, statement(sql))).toEqual([{ names: ['kept'] }]);
      });

      test('consumer statements cannot change settings', async () => {
        const sql = 'SELECT 1 SETTINGS max_execution_time = 0';
        const error = await failureOf(collect(engine, statement(sql, { origin: 'consumer' })));
        expect(error.engineCode).toBe(164);
      });
    });

    describe('nothing carries over to the next statement', () => {
      test('a saved statement with PREWHERE does not use the query condition cache', async () => {
        const sql = "SELECT toUInt8(getSetting('use_query_condition_cache')) AS used";
        expect(await rows(engine, statement(sql))).toEqual([{ used: 1 }]);
        expect(await rows(engine, statement(`${sql}, 'prewhere' AS word`))).toMatchObject([{ used: 0 }]);
      });

      describe.each(['saved', 'consumer'] as const)('in %s statements,', (origin) => {
        test.each(Object.entries(COMPILED))('%s have the same result in each run', async (_, write) => {
          const results: string[] = [];
          for (let count = 0; count < 6; count++) {
            const run = text(engine, statement(write(origin), { origin }));
            results.push(await run.catch(messageOf));
          }
          expect(new Set(results).size).toBe(1);
        });
      });

      test('a pattern in a parameter of a saved statement has the same result in each run', async () => {
        const sql = "SELECT match(concat('p=1&', materialize(unhex('ff'))), {pattern:String}) AS m";
        const parameters = { pattern: 'p=1[^y]+$' };
        const results = new Set<string>();
        for (let count = 0; count < 6; count++)
          results.add(await text(engine, statement(sql, { parameters })));
        expect(results.size).toBe(1);
      });

      test.each(['saved', 'consumer'] as const)(
        'the settings of %s statements are in force',
        async (origin) => {
          const set = { ...FIXED_SETTINGS, ...(origin === 'consumer' ? ISOLATION_SETTINGS : {}) };
          const names = Object.keys(set).map((each) => `'${each}'`);
          const sql = `SELECT name, value FROM system.settings WHERE name IN (${names.join(', ')}) ORDER BY name`;
          const expected = Object.entries(set).map(([each, value]) => ({ name: each, value: `${value}` }));
          const found = await rows(engine, statement(sql, { origin }));
          expect(found).toEqual(expected.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
        },
      );

      test('consumer statements combine no patterns', async () => {
        const likes = Array.from({ length: 12 }, (_, index) => `s LIKE '${'_'.repeat(20)}${index}'`);
        const sql = `EXPLAIN QUERY TREE SELECT count() FROM (SELECT toString(number) AS s FROM numbers(3)) WHERE ${likes.join(' OR ')}`;
        const explain = (origin: Statement['origin']): Promise<string> =>
          text(engine, statement(sql, { origin }));
        expect(await explain('saved')).toMatch(/function_name: multiMatchAny/);
        expect(await explain('consumer')).not.toMatch(/multi(?:Match|Search)/);
        const direct = "SELECT multiMatchAny(toString(number), ['[a-z]+x1', '[a-z]+x2']) FROM numbers(1)";
        const error = await failureOf(collect(engine, statement(direct, { origin: 'consumer' })));
        expect(error.engineCode).toBe(446);
      });

      test('limits and output settings', async () => {
        const sql = `SELECT toUInt64(getSetting('max_result_bytes')) AS bytes, toUInt64(getSetting('max_rows_to_read')) AS rows`;
        const run = async (index: number): Promise<void> => {
          const limits = { resultBytes: 10_000 + index, readRows: 20_000 + (index % 7) };
          const origin = index % 3 === 0 ? 'consumer' : 'saved';
          const int64 = index % 2 === 0 ? 'number' : 'string';
          const [row] = await rows(engine, statement(sql, { limits, origin, int64 }));
          const print = (n: number): number | string => (int64 === 'number' ? n : `${n}`);
          expect(row).toEqual({ bytes: print(limits.resultBytes), rows: print(limits.readRows) });
        };
        await Promise.all(Array.from({ length: 42 }, (_, index) => run(index)));
      });

      test('parameters', async () => {
        for (let round = 0; round < sizeOf(5, 20); round++) {
          const parameters = { tenant: `tenant ${round}` };
          const sql = 'SELECT {tenant:String} AS tenant';
          expect(await rows(engine, statement(sql, { parameters }))).toEqual([parameters]);
          const unset = await failureOf(collect(engine, statement(sql)));
          expect([unset.failure, unset.engineCode]).toEqual(['rejected', 456]);
        }
      });

      test('rows of a failed statement, in every format, in parallel', async () => {
        const total = sizeOf(1, 2) * 40; // each combination of a format, a kind of failure and an origin, once or twice
        const wanted = new Map<string, Buffer>();
        for (const { format } of FORMATS) {
          wanted.set(format, await collect(engine, follower(failsLate(0)), { format }));
        }
        const pair = async (index: number): Promise<void> => {
          const { format } = FORMATS[index % FORMATS.length] ?? FORMATS[0];
          const failing = index % 2 === 0 ? failsLate(index) : failsOnResult(index);
          const [failed, beside] = await Promise.all([
            failureOf(collect(engine, failing, { format })),
            collect(engine, follower(failing), { format }),
          ]);
          const after = await collect(engine, follower(failing), { format });
          expect(failed.failure).toBe(index % 2 === 0 ? 'rejected' : 'limit');
          expect([beside, after].map((bytes) => bytes.equals(wanted.get(format) ?? EMPTY))).toEqual([
            true,
            true,
          ]);
        };
        const worker = async (first: number): Promise<void> => {
          for (let index = first; index < total; index += SIZE.connections) await pair(index);
        };
        await Promise.all(Array.from({ length: SIZE.connections }, (_, first) => worker(first)));
      });
    });

    describe('cancelling', () => {
      test('an abort cancels the statement in the engine', async () => {
        const control = new AbortController();
        const run = failureOf(collect(engine, endless('aborted-one'), { signal: control.signal }));
        await seesRunning(engine, 'aborted-one', 1);
        control.abort();
        expect((await run).failure).toBe('aborted');
        await seesRunning(engine, 'aborted-one', 0);
      });

      test('a statement aborted before its start does not run', async () => {
        const error = await failureOf(collect(engine, endless('never'), { signal: AbortSignal.abort() }));
        expect(error.failure).toBe('aborted');
      });

      test('aborts leave no statement running and a complete pool', async () => {
        const one = async (index: number): Promise<void> => {
          const control = new AbortController();
          const run = failureOf(collect(engine, endless('many'), { signal: control.signal }));
          setTimeout(() => control.abort(), index % 12);
          expect((await run).failure).toBe('aborted');
        };
        const worker = async (first: number): Promise<void> => {
          for (let index = first; index < sizeOf(24, 100); index += 8) await one(index);
        };
        await Promise.all(Array.from({ length: 8 }, (_, first) => worker(first)));
        await seesRunning(engine, 'many', 0);
        await fillsPool(engine, SIZE.connections);
      });

      test('closing waits for running statements, and rejects new ones', async () => {
        const gate = await startGate();
        const done = rows(engine, statement(`SELECT passed FROM ${gate.table}`));
        await gate.reached(1);
        const closing = engine.close(100_000);
        expect((await failureOf(collect(engine, statement('SELECT 1')))).failure).toBe('unavailable');
        gate.open();
        expect(await done).toEqual([{ passed: 1 }]);
        await closing;
        await gate.close();
        await reopen();
      });

      test('closing cancels what runs for longer, and allows reopening', async () => {
        const runs = [1, 2, 3].map(() => failureOf(collect(engine, endless('closing'))));
        await engine.ping();
        const closing = engine.close(100);
        for (const run of runs) expect((await run).failure).toBe('unavailable');
        await closing;
        await reopen();
        expect(await rows(engine, statement('SELECT 1 AS n'))).toEqual([{ n: 1 }]);
      });
    });

    describe('columns', () => {
      test('of a statement, without running it', async () => {
        const sql =
          "SELECT {p:String} AS text, toInt64(1) AS n, now64(3, 'UTC') AS at FROM numbers(1000000000000)";
        expect(await engine.describe(statement(sql, { parameters: { p: 'x' } }))).toEqual([
          { name: 'text', type: 'String' },
          { name: 'n', type: 'Int64' },
          { name: 'at', type: "DateTime64(3, 'UTC')" },
        ]);
      });

      test('of a consumer statement', async () => {
        const what = statement('SELECT 1 AS n -- no more', { origin: 'consumer' });
        expect(await engine.describe(what)).toEqual([{ name: 'n', type: 'UInt8' }]);
      });

      test('of an unknown table', async () => {
        const error = await failureOf(engine.describe(statement('SELECT missing FROM numbers(1)')));
        expect([error.failure, error.engineCode]).toEqual(['rejected', 47]);
      });
    });

    test('commands of several statements run in order', async () => {
      await engine.execute(`
        DROP TABLE IF EXISTS kept.made; -- a comment; with a semicolon
        CREATE TABLE kept.made (s String) ENGINE = MergeTree ORDER BY s;
        INSERT INTO kept.made VALUES ('a;b'), ('c');
        INSERT INTO kept.made SELECT toString(number) FROM numbers(2);
      `);
      expect(await rows(engine, statement('SELECT s FROM kept.made ORDER BY s'))).toEqual(
        ['0', '1', 'a;b', 'c'].map((s) => ({ s })),
      );
      expect(
        (await failureOf(engine.execute('CREATE TABLE kept.made (s String) ENGINE = Memory'))).engineCode,
      ).toBe(57);
    });
  });

  describe(`${name} engine with one connection`, () => {
    let engine: Engine;
    afterEach(() => engine.close(0));

    test('waiting statements run in order', async () => {
      engine = await subject.open({ connections: 1, queue: 10 });
      const order: number[] = [];
      const run = async (index: number): Promise<void> => {
        await collect(engine, statement('SELECT sleep(0.01)'));
        order.push(index);
      };
      await Promise.all([0, 1, 2, 3, 4].map(run));
      expect(order).toEqual([0, 1, 2, 3, 4]);
    });

    test('a full queue rejects, and leaving it frees a slot', async () => {
      engine = await subject.open({ connections: 1, queue: 1 });
      const running = new AbortController();
      const waiting = new AbortController();
      const first = failureOf(collect(engine, endless('first'), { signal: running.signal }));
      const second = failureOf(collect(engine, statement('SELECT 1'), { signal: waiting.signal }));
      expect((await failureOf(collect(engine, statement('SELECT 1')))).failure).toBe('busy');
      waiting.abort();
      expect((await second).failure).toBe('aborted');
      const third = rows(engine, statement('SELECT 3 AS n'));
      await engine.ping();
      running.abort();
      expect((await first).failure).toBe('aborted');
      expect(await third).toEqual([{ n: 3 }]);
    });

    test('waiting is bounded', async () => {
      engine = await subject.open({ connections: 1, queue: 5, queueTimeoutMs: 30 });
      const running = new AbortController();
      const first = failureOf(collect(engine, endless('slow'), { signal: running.signal }));
      expect((await failureOf(collect(engine, statement('SELECT 1')))).failure).toBe('busy');
      running.abort();
      await first;
    });
  });
}

const EMPTY = Buffer.alloc(0);

/** Tenant B's statement, on connections that the failing one may have used: always the same answer. */
function follower(failing: Statement): Statement {
  return { ...failing, parameters: {}, sql: "SELECT number AS n, 'tenant B' AS who FROM numbers(3)" };
}

/** Tenant A's statements: rows come out, then it fails. */
function failsLate(index: number): Statement {
  const sql = `SELECT number AS n, {who:String} AS who, throwIf(number = 900) AS bad FROM (
    SELECT number FROM numbers(1000) SETTINGS max_block_size = 50)`;
  return statement(sql, { origin: originOf(index), parameters: { who: `canary of tenant A ${index}` } });
}

function failsOnResult(index: number): Statement {
  return statement('SELECT number AS n, materialize({who:String}) AS who FROM numbers(200000)', {
    origin: originOf(index),
    parameters: { who: `canary of tenant A ${index}` },
    limits: { resultBytes: 3_000_000 },
  });
}

/** Three of each kind of failure are a saved query's, the fourth a consumer's. */
function originOf(index: number): Statement['origin'] {
  return index % 8 < 6 ? 'saved' : 'consumer';
}

/** A statement that ends only when it is ended; `mark` finds it in the list of running ones. */
function endless(mark: string): Statement {
  return statement(`${ENDLESS} AND '${mark}' != ''`, { limits: { time: 60 } });
}

async function seesRunning(engine: Engine, mark: string, count: number): Promise<void> {
  const sql = `SELECT count() AS n FROM system.processes WHERE query LIKE '%AND ''${mark}'' %' AND query NOT LIKE '%system.proc%'`;
  await eventually(async () => expect(await rows(engine, statement(sql))).toEqual([{ n: count }]));
}

/** As many statements as there are connections do run at once. */
async function fillsPool(engine: Engine, connections: number): Promise<void> {
  const control = new AbortController();
  const runs = Array.from({ length: connections - 1 }, () =>
    failureOf(collect(engine, endless('filling'), { signal: control.signal })),
  );
  await seesRunning(engine, 'filling', connections - 1);
  control.abort();
  await Promise.all(runs);
}

/** Any Unicode scalar value, the troublesome ones often. */
const ANY_UNIT = fc.oneof(
  fc.constantFrom(
    '\0',
    "'",
    '"',
    '`',
    '\\',
    '\n',
    '\r',
    '\t',
    '\b',
    '\f',
    '\\N',
    '\\0',
    "\\'",
    '{',
    '}',
    ';',
    '--',
    '/*',
    '$$',
    '’',
    '\u2028',
    '\uFEFF',
    '😀',
  ),
  anyCharacter,
);

interface ParameterRow {
  readonly type: string;
  readonly value: string | null;
  readonly expected: unknown;
  readonly why: string;
}

const PARAMETERS: readonly ParameterRow[] = [
  { type: 'String', value: '', expected: '', why: 'empty is not NULL' },
  {
    type: 'String',
    value: 'it\'s a \\ "line"\n\t\r\0 end',
    expected: 'it\'s a \\ "line"\n\t\r\0 end',
    why: 'all escaped characters',
  },
  { type: 'String', value: '\\N', expected: '\\N', why: 'the spelling of NULL is a string' },
  {
    type: 'String',
    value: "'; DROP DATABASE kept; --",
    expected: "'; DROP DATABASE kept; --",
    why: 'an injection is a string',
  },
  { type: 'String', value: 'é😀\u2028', expected: 'é😀\u2028', why: 'non-ASCII' },
  { type: 'String', value: 'a\uD800b', expected: 'a\uFFFDb', why: 'a lone surrogate has no UTF-8' },
  { type: 'String', value: 'x'.repeat(300_000), expected: 'x'.repeat(300_000), why: 'long' },
  { type: 'Nullable(String)', value: null, expected: null, why: 'NULL' },
  { type: 'Nullable(UInt32)', value: null, expected: null, why: 'NULL number' },
  { type: 'LowCardinality(String)', value: 'low', expected: 'low', why: 'a wrapped type' },
  { type: 'Int8', value: '-128', expected: -128, why: 'smallest' },
  { type: 'UInt32', value: '4294967295', expected: 4294967295, why: 'largest' },
  { type: 'Int64', value: '-9007199254740991', expected: -9007199254740991, why: 'negative' },
  { type: 'Float64', value: '1.5e-7', expected: 1.5e-7, why: 'an exponent' },
  { type: 'Float64', value: 'nan', expected: null, why: 'non-finite is null in JSON' },
  { type: 'Decimal(18, 4)', value: '12345.6789', expected: 12345.6789, why: 'a decimal' },
  { type: 'Bool', value: 'true', expected: true, why: 'a boolean' },
  { type: 'Date', value: '2024-02-29', expected: '2024-02-29', why: 'a date' },
  {
    type: 'DateTime',
    value: '2024-02-29 12:30:00',
    expected: '2024-02-29T12:30:00Z',
    why: 'no zone means UTC',
  },
  {
    type: 'DateTime64(3)',
    value: '2024-02-29 12:30:00.123',
    expected: '2024-02-29T12:30:00.123Z',
    why: 'milliseconds',
  },
  {
    type: "DateTime('Europe/Berlin')",
    value: '2024-02-29 13:30:00',
    expected: '2024-02-29T12:30:00Z',
    why: 'printed in UTC',
  },
  {
    type: 'UUID',
    value: '61f0c404-5cb3-11e7-907b-a6006ad3dba0',
    expected: '61f0c404-5cb3-11e7-907b-a6006ad3dba0',
    why: 'a UUID',
  },
  { type: 'IPv4', value: '10.0.0.1', expected: '10.0.0.1', why: 'an address' },
  { type: "Enum8('a' = 1, 'b' = 2)", value: 'b', expected: 'b', why: 'an enum by name' },
  {
    type: 'Array(String)',
    value: "['a','b''c','d\\e','\n\t']",
    expected: ['a', "b'c", 'd\\e', '\n\t'],
    why: 'quotes doubled, nothing else escaped',
  },
  { type: 'Array(UInt8)', value: '[1,2,3]', expected: [1, 2, 3], why: 'numbers' },
  { type: 'Array(Nullable(String))', value: "['a',NULL]", expected: ['a', null], why: 'NULL inside' },
  { type: 'Map(String, UInt8)', value: "{'k':1}", expected: { k: 1 }, why: 'a map' },
  { type: 'Tuple(String, UInt8)', value: "('a',1)", expected: ['a', 1], why: 'a tuple' },
];

interface ValueRow {
  readonly sql: string;
  readonly int64?: 'number' | 'string';
  readonly expected: string;
  readonly why: string;
}

const VALUES: readonly ValueRow[] = [
  {
    sql: 'toUInt64(18446744073709551615)',
    int64: 'string',
    expected: '"18446744073709551615"',
    why: 'int64 as string',
  },
  {
    sql: 'toUInt64(18446744073709551615)',
    int64: 'number',
    expected: '18446744073709551615',
    why: 'int64 as number',
  },
  { sql: 'toInt32(5)', int64: 'string', expected: '5', why: 'smaller integers are numbers' },
  { sql: 'NULL', expected: 'null', why: 'NULL' },
  { sql: '[inf, -inf, nan]', expected: '[null,null,null]', why: 'non-finite floats' },
  {
    sql: "toDateTime('2024-01-02 03:04:05', 'Asia/Tokyo')",
    expected: '"2024-01-01T18:04:05Z"',
    why: 'DateTime, UTC with Z',
  },
  {
    sql: "toDateTime64('2024-01-02 03:04:05.678901', 6)",
    expected: '"2024-01-02T03:04:05.678901Z"',
    why: 'DateTime64, whole',
  },
  { sql: "toDate('2024-01-02')", expected: '"2024-01-02"', why: 'Date' },
  { sql: "'a/b'", expected: '"a/b"', why: 'slashes are not escaped' },
  {
    sql: "tuple(1, 'a')::Tuple(id UInt8, name String)",
    expected: '{"id":1,"name":"a"}',
    why: 'named tuples',
  },
  { sql: "map('a', [1, 2])", expected: '{"a":[1,2]}', why: 'maps' },
  {
    sql: `'{"a":{"b":[1,"x",null]},"c":1.5}'::JSON`,
    int64: 'number',
    expected: '{"a":{"b":[1,"x",null]},"c":1.5}',
    why: 'JSON nests',
  },
  { sql: "unhex('ff41')", expected: '"\uFFFDA"', why: 'text that is not UTF-8 is still JSON' },
  { sql: 'toDecimal64(1.25, 2)', expected: '1.25', why: 'decimals' },
];

interface FormatRow {
  readonly format: ResultFormat;
  readonly begins: string;
  readonly ends: string;
}

const FORMATS: readonly [FormatRow, ...FormatRow[]] = [
  { format: 'JSONEachRow', begins: '{"n":0,"z":null}\n', ends: '{"n":2,"z":null}\n' },
  { format: 'JSONCompactEachRow', begins: '[0, null]\n', ends: '[2, null]\n' },
  { format: 'CSVWithNames', begins: '"n","z"\n0,\n', ends: '2,\n' },
  { format: 'Parquet', begins: 'PAR1', ends: 'PAR1' },
  { format: 'Arrow', begins: 'ARROW1', ends: 'ARROW1' },
];

interface FailureRow {
  readonly sql: string;
  readonly limits?: Partial<Limits>;
  readonly failure: string;
  readonly code: number;
  readonly why: string;
}

const FAILURES: readonly FailureRow[] = [
  { sql: 'SELEC 1', failure: 'rejected', code: 62, why: 'a syntax error' },
  { sql: 'SELECT missing FROM numbers(1)', failure: 'rejected', code: 47, why: 'an unknown column' },
  { sql: 'SELECT * FROM missing.missing', failure: 'rejected', code: 81, why: 'an unknown database' },
  { sql: 'SELECT no_such_function(1)', failure: 'rejected', code: 46, why: 'an unknown function' },
  { sql: "SELECT 1 + 'a'", failure: 'rejected', code: 43, why: 'mismatched types' },
  { sql: "SELECT toInt32('a')", failure: 'rejected', code: 6, why: 'a value that cannot be parsed' },
  {
    sql: "SELECT match(toString(number), '(') FROM numbers(1)",
    failure: 'rejected',
    code: 427,
    why: 'a broken regex',
  },
  { sql: 'SELECT {p:String}', failure: 'rejected', code: 456, why: 'a parameter without a value' },
  { sql: ENDLESS, limits: { time: 0.2 }, failure: 'timeout', code: 159, why: 'too long' },
  {
    sql: 'SELECT groupArray(number) FROM numbers(100000000)',
    limits: { memory: 30_000_000 },
    failure: 'memory',
    code: 241,
    why: 'too much memory',
  },
  {
    sql: 'SELECT number FROM numbers(1000000)',
    limits: { resultBytes: 1000 },
    failure: 'limit',
    code: 396,
    why: 'too large a result',
  },
  {
    sql: 'SELECT sum(number) FROM numbers(1000000)',
    limits: { readRows: 1000 },
    failure: 'limit',
    code: 158,
    why: 'too many rows read',
  },
  { sql: 'SELECT 1 FORMAT CSV', failure: 'rejected', code: 62, why: 'a FORMAT clause' },
];

const LIFTS: readonly Pick<Required<FailureRow>, 'sql' | 'limits' | 'failure'>[] = [
  { sql: ENDLESS, limits: { time: 0.3 }, failure: 'timeout' },
  {
    sql: 'SELECT groupArray(number) FROM numbers(50000000)',
    limits: { memory: 20_000_000 },
    failure: 'memory',
  },
  { sql: 'SELECT sum(number) FROM numbers(1000)', limits: { readRows: 10 }, failure: 'limit' },
  { sql: 'SELECT number FROM numbers(100000)', limits: { resultBytes: 1000 }, failure: 'limit' },
];

const UNION_FORMS: readonly string[] = [
  'SELECT 1 UNION ALL SELECT number FROM numbers(100000)',
  '(SELECT number FROM numbers(100000)) UNION ALL (SELECT 1)',
  '(SELECT number FROM numbers(100000))',
  'WITH t AS (SELECT number FROM numbers(100000)) SELECT * FROM t',
  'FROM numbers(100000) SELECT number',
  'SELECT number FROM numbers(100000) EXCEPT SELECT 1',
  'SELECT number FROM numbers(100000) -- the end',
];

const SEVERAL: readonly string[] = [
  'SELECT 1; SELECT 2',
  'SELECT 1;',
  'SELECT 1; CREATE DATABASE taken; SELECT 2',
  'SELECT 1); CREATE DATABASE taken; SELECT (2',
  'SELECT 1; SET readonly = 0',
  "SELECT ';'; SELECT 1",
];
