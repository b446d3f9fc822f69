// The embedded engine: the conformance suite, and tests specific to an engine over a data directory.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Observation, ReadSummary } from '../../../src/sql/base/observation.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine, Limits } from '../../../src/service/engine/engine.ts';
import { ERROR_CODES } from '../../../src/service/engine/failures.ts';
import type { After } from '../../../src/sql/base/clock.ts';
import { collect, failureOf, rows, statement } from '../../support/engine-statements.ts';
import { eventually } from '../../support/eventually.ts';
import { REACHING_GATES, startGate } from '../../support/gate.ts';
import { patientAfter } from '../../support/patient-timer.ts';
import type { EngineSize } from './conformance.ts';
import { describeEngine } from './conformance.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const folder = await mkdtemp(join(tmpdir(), 'millrace-engine-'));
const data = join(folder, 'data');
const observed: Observation[] = [];
const MEMORY = 2 ** 29;

function open(size: EngineSize & { readonly after?: After }, path = data): Promise<Engine> {
  return createEmbeddedEngine({
    ...REAL_TIME,
    path,
    memory: MEMORY,
    ...REACHING_GATES,
    observe: (o) => void observed.push(o),
    ...size,
  });
}

beforeAll(async () => {
  const engine = await open({ connections: 1, queue: 1 });
  await engine.execute('CREATE DATABASE IF NOT EXISTS kept');
  await engine.close(0);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describeEngine('embedded', { open: (size) => open({ ...size, after: patientAfter }) });

const READ_SO_FAR = 'SELECT max(read_rows) AS rows FROM system.processes';

describe('an engine over a data directory', () => {
  let engine: Engine;
  /** False before the first test, and after one that closed the engine. */
  let isOpen = false;
  beforeEach(async () => {
    if (!isOpen) {
      await engine?.close(0);
      engine = await open({ connections: 3, queue: 100 });
    }
    isOpen = true;
    observed.length = 0;
  });
  afterAll(() => engine.close(0));

  test('no statement blocks the event loop, not even during planning', async () => {
    const gate = await startGate(); // in this process: a statement that blocks it would wait for ever
    const sql = `WITH (SELECT passed FROM ${gate.table}) AS passed SELECT passed`;
    const [collected, described] = [collect(engine, statement(sql)), engine.describe(statement(sql))];
    await gate.reached(2);
    gate.open();
    const [bytes, columns] = await Promise.all([collected, described]);
    expect([bytes.toString(), columns]).toEqual([
      '{"passed":1}\n',
      [expect.objectContaining({ name: 'passed' })],
    ]);
    await gate.close();
  });

  test('what a cancelled statement has read is reported', async () => {
    const gate = await startGate(); // it waits there after it has read something
    const control = new AbortController();
    const reads: ReadSummary[] = [];
    const sql = `SELECT sum(number) AS n FROM (SELECT number FROM numbers(100000) UNION ALL SELECT passed FROM ${gate.table})`;
    const run = engine.run(statement(sql), {
      format: 'JSONEachRow',
      signal: control.signal,
      onRead: (each) => void reads.push(each),
    });
    await gate.reached(1);
    await eventually(async () =>
      expect((await rows(engine, statement(READ_SO_FAR)))[0]).toMatchObject({ rows: 100_000 }),
    );
    control.abort(new Error('left'));
    await failureOf(run.then(() => undefined));
    await eventually(() => expect(reads[0]?.rows).toBe(100_000));
    await gate.close();
  });

  test.each([
    { why: 'succeeds in another format', format: 'Parquet', column: 'passed' },
    { why: 'fails', format: 'JSONEachRow', column: "throwIf(passed = 1, 'late')" },
  ] as const)(
    'what a statement has read that $why is reported, as it was seen',
    async ({ format, column }) => {
      let looks = 0;
      const held: (() => void)[] = [];
      let isHeld = false;
      const own = await open(
        {
          connections: 2,
          queue: 9,
          after: (ms, run) => {
            if (ms < 5 || ms > 400) return REAL_TIME.after(ms, run);
            looks++;
            return REAL_TIME.after(ms, () => (isHeld ? void held.push(run) : run()));
          },
        },
        join(folder, `watched ${format}`),
      );
      const gate = await startGate();
      const reads: ReadSummary[] = [];
      const sql = `SELECT sum(n) AS n FROM (SELECT number AS n FROM numbers(100000) UNION ALL SELECT ${column} AS n FROM ${gate.table})`;
      const run = collect(own, statement(sql), { format, onRead: (each) => void reads.push(each) });
      const ended = run.catch((error: unknown) => error);
      await gate.reached(1);
      await eventually(async () =>
        expect((await rows(own, statement(READ_SO_FAR)))[0]).toMatchObject({ rows: 100_000 }),
      );
      const before = looks;
      await eventually(() => expect(looks).toBeGreaterThan(before + 1)); // one that began after it
      expect(reads).toEqual([]);
      isHeld = true; // a look after the gate was opened could see its row, too
      await eventually(() => expect(held).not.toEqual([]));
      gate.open();
      await ended;
      expect(reads).toEqual([{ rows: 100_000, bytes: 800_000 }]);
      await Promise.all([gate.close(), own.close(0)]);
    },
  );

  test.each([
    { sql: `SELECT * FROM '${import.meta.filename}'`, why: 'a file of the host' },
    { sql: `SELECT * FROM \`${import.meta.filename}\``, why: 'the same as an identifier' },
    { sql: 'SELECT * FROM made', why: 'a table without its database' },
    { sql: 'SELECT * FROM one', why: 'a system table without its database' },
  ])('unqualified names do not resolve: $why', async ({ sql }) => {
    for (const origin of ['saved', 'consumer'] as const) {
      const error = await failureOf(collect(engine, statement(sql, { origin })));
      expect([error.failure, error.engineCode]).toEqual(['rejected', 60]);
    }
  });

  test('exceeding the engine’s memory fails that statement only', async () => {
    const sql = 'SELECT length(groupArray(number)) FROM numbers(1000000000)';
    const error = await failureOf(collect(engine, statement(sql, { limits: { memory: 2 ** 40 } })));
    expect(error.failure).toBe('memory');
    expect(await rows(engine, statement('SELECT 1 AS n'))).toEqual([{ n: 1 }]);
  });

  test('memory bombs fail one by one, and the engine survives', async () => {
    const bombs = [
      "SELECT length(repeat('x', 900000000))",
      'SELECT length(groupArray(number)) FROM numbers(100000000)',
      'SELECT count() FROM numbers(1000000) AS a CROSS JOIN numbers(1000000) AS b',
      'SELECT number FROM numbers(100000000)',
      `WITH ${doubling(24)} SELECT count() FROM t24`,
    ];
    const limits: Partial<Limits> = { time: 0.2, memory: 50_000_000, resultBytes: 10_000_000 };
    const ends = bombs.flatMap((sql) =>
      (['saved', 'consumer'] as const).map((origin) =>
        failureOf(collect(engine, statement(sql, { limits, origin }))),
      ),
    );
    for (const end of await Promise.all(ends)) {
      expect(['rejected', 'memory', 'limit', 'timeout']).toContain(end.failure);
    }
    expect(await rows(engine, statement('SELECT 1 AS n'))).toEqual([{ n: 1 }]);
  });

  test('the description of a consumer statement counts against the share of its key', async () => {
    await engine.close(0);
    isOpen = false;
    engine = await createEmbeddedEngine({
      ...REAL_TIME,
      path: data,
      memory: MEMORY,
      observe: () => undefined,
      connections: 3,
      shares: { consumers: 2, perKey: 1 },
      queue: 10,
    });
    const control = new AbortController();
    const endless = 'SELECT count() AS n FROM numbers(1000000000000) WHERE sipHash64(number) = 1';
    const consumer = (sql: string, key: string) => statement(sql, { origin: 'consumer', key });
    const held = failureOf(collect(engine, consumer(endless, 'a'), { signal: control.signal }));
    const waiting = engine.describe(consumer('SELECT 1 AS n', 'a'));
    expect(await engine.describe(consumer('SELECT 1 AS n', 'b'))).toHaveLength(1);
    expect(engine.load()).toEqual({ running: 1, waiting: 1 });
    control.abort();
    expect((await held).failure).toBe('aborted');
    expect(await waiting).toHaveLength(1);
  });

  test('rows of redacted tables are read in larger blocks', async () => {
    const sql = "SELECT toUInt64(getSetting('preferred_block_size_bytes')) AS size";
    const sizes = [false, true].map(async (isRedacted) =>
      rows(engine, statement(sql, { origin: 'consumer', isRedacted })),
    );
    expect(await Promise.all(sizes)).toEqual([[{ size: 1_000_000 }], [{ size: 4_000_000 }]]);
  });

  test('every failure drops the connection, and success keeps it', async () => {
    await Promise.all([1, 2, 3].map(() => collect(engine, statement('SELECT 1'))));
    expect(observed).toEqual([]);
    await failureOf(collect(engine, statement('SELECT missing')));
    await failureOf(collect(engine, statement('SELECT sleep(3)'), { signal: AbortSignal.timeout(20) }));
    await engine.close(5000);
    isOpen = false;
    expect(observed).toEqual([
      { kind: 'engine.connection_dropped', reason: 'rejected' },
      { kind: 'engine.connection_dropped', reason: 'aborted' },
    ]);
  });

  test('our own timer stops what the engine’s limit cannot', async () => {
    // sleep() looks at no limit before it is over.
    const error = await failureOf(collect(engine, statement('SELECT sleep(3)', { limits: { time: 0.1 } })));
    expect([error.failure, error.engineCode]).toEqual(['timeout', undefined]);
  });

  test('the table of error codes matches the engine’s names', async () => {
    const codes = ERROR_CODES.map(([code]) => code).join(', ');
    const sql = `SELECT arrayMap(code -> errorCodeToName(code), [${codes}]) AS names`;
    expect(await rows(engine, statement(sql))).toEqual([{ names: ERROR_CODES.map(([, name]) => name) }]);
  });
});

describe('the data directory', () => {
  test('in use by another process: reports it, and opens when it is free', async () => {
    const script = `const { Session } = require('chdb'); new Session(process.argv[1]).query('SELECT 1');
      console.log('open'); setInterval(() => {}, 1000);`;
    const other = spawn(process.execPath, ['-e', script, data], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(other.stdout, 'data');
    const failed = failureOf(open({ connections: 1, queue: 1 }));
    const error = await failed.finally(() => other.kill('SIGKILL'));
    await once(other, 'exit');
    expect(error.failure).toBe('unavailable');
    expect(error.message).toContain(`${data} is in use by process ${other.pid}`);
    const engine = await open({ connections: 1, queue: 1 });
    expect(await rows(engine, statement('SELECT 1 AS n'))).toEqual([{ n: 1 }]);
    await engine.close(0);
  });

  test('that cannot be made is unavailable', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    expect((await failureOf(open({ connections: 1, queue: 1 }, join(file, 'data')))).failure).toBe(
      'unavailable',
    );
  });

  test('a different one can be opened after the first is closed', async () => {
    const engine = await open({ connections: 2, queue: 1 }, join(folder, 'second'));
    const sql = "SELECT count() AS n FROM system.databases WHERE name = 'kept'";
    expect(await rows(engine, statement(sql))).toEqual([{ n: 0 }]);
    await engine.close(0);
  });

  test('the working directory’s config.xml is not read', async () => {
    const place = join(folder, 'place');
    await mkdir(place);
    await writeFile(join(place, 'config.xml'), 'this is no XML');
    const before = process.cwd();
    process.chdir(place);
    try {
      const engine = await open({ connections: 1, queue: 1 });
      const sql = "SELECT value FROM system.server_settings WHERE name = 'max_server_memory_usage'";
      expect(await rows(engine, statement(sql))).toEqual([{ value: `${MEMORY}` }]);
      await engine.close(0);
    } finally {
      process.chdir(before);
    }
    expect(await readFile(join(data, 'millrace.xml'), 'utf8')).toContain(`${MEMORY}`);
  });
});

/** CTEs that each read the one before twice: 2^depth readings in a few lines. */
function doubling(depth: number): string {
  const steps = Array.from({ length: depth }, (_, index) => {
    return `t${index + 1} AS (SELECT * FROM t${index} UNION ALL SELECT * FROM t${index})`;
  });
  return ['t0 AS (SELECT 1 AS n)', ...steps].join(', ');
}
