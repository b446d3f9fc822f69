// The confinement of the engine process: what statements cannot do with it, what they can do without it, what the engine needs, and
// systems that lack a layer.
import { spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Observation } from '../../../src/sql/base/observation.ts';
import { writeConfigFile } from '../../../src/service/engine/embedded/config-file.ts';
import {
  DEFAULT_CONFINEMENT,
  type ConfinementOptions,
} from '../../../src/service/engine/embedded/confinement/confinement.ts';
import type { Connection } from '../../../src/service/engine/embedded/connection.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import {
  startEngineProcess,
  type EngineProcess,
} from '../../../src/service/engine/embedded/engine-process.ts';
import { AUTHOR_PROFILE } from '../../../src/service/engine/embedded/profile.ts';
import { EngineError, type Engine } from '../../../src/service/engine/engine.ts';
import { failureOf, rows, statement } from '../../support/engine-statements.ts';
import { eventually } from '../../support/eventually.ts';
import { compiledProgram, PROGRAMS } from '../../support/program-file.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const OFF: ConfinementOptions = { ...DEFAULT_CONFINEMENT, mode: 'off' };

let folder: string;
/** The data folder. */
let data: string;
/** A folder that the engine has nothing to do with, with a file. */
let outside: string;
let server: Server;
let port: number;
let connected = 0;

beforeAll(async () => {
  server = createServer((socket) => {
    connected++;
    socket
      .on('error', () => undefined)
      .end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n7\n');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  port = typeof address === 'object' ? (address?.port ?? 0) : 0;
});
afterAll(() => {
  server.close();
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-confinement-'));
  data = join(folder, 'data');
  outside = join(folder, 'outside');
  await mkdir(outside);
  await writeFile(join(outside, 'secret'), '7\n');
  connected = 0;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Opened {
  readonly process: EngineProcess;
  /** Its rows as text. */
  readonly run: (sql: string, format?: string) => Promise<string>;
}

/** Runs statements with an author's rights, past all checks of the service. */
async function withProcess<T>(
  confinement: ConfinementOptions,
  use: (opened: Opened) => Promise<T>,
): Promise<T> {
  const configFile = await writeConfigFile({ path: data, memory: 2 ** 30 });
  const process = startEngineProcess({ path: data, configFile, connections: 2, confinement });
  try {
    const connection: Connection = await process.open(AUTHOR_PROFILE);
    const run = async (sql: string, format = 'TSV'): Promise<string> =>
      Buffer.from((await connection.call(sql, format)).bytes).toString();
    return await use({ process, run });
  } finally {
    process.kill();
    await process.ended;
  }
}

/** Of `run`: its rows, or the engine's code of the error. */
async function outcomeOf(run: Promise<string>): Promise<string | number | undefined> {
  return run.catch((cause: unknown) => {
    if (cause instanceof EngineError && cause.engineCode !== undefined) return cause.engineCode;
    throw cause;
  });
}

const CANNOT_OPEN = 76;

interface Attack {
  readonly sql: () => string;
  /** Of the engine, if the process is confined. */
  readonly code: number;
  /** The rows, if it is not. */
  readonly rows: RegExp;
}

const secret = (): string => join(outside, 'secret');

const ATTACKS: Readonly<Record<string, Attack>> = {
  'a file by function': { sql: () => `SELECT file('${secret()}')`, code: CANNOT_OPEN, rows: /^7/ },
  'a file by table function': {
    sql: () => `SELECT * FROM file('${secret()}', 'TSV', 'a String')`,
    code: CANNOT_OPEN,
    rows: /^7/,
  },
  'a file by a link in the data folder': {
    sql: () => `SELECT file('${join(data, 'link')}')`,
    code: CANNOT_OPEN,
    rows: /^7/,
  },
  'a file of the system': { sql: () => `SELECT file('/etc/passwd')`, code: CANNOT_OPEN, rows: /root/ },
  'the environment of the service': {
    sql: () => `SELECT file('/proc/${process.pid}/environ')`,
    code: CANNOT_OPEN,
    rows: /PATH/,
  },
  'the environment of the service by way of its own process': {
    sql: () => `SELECT file('/proc/self/root/proc/${process.pid}/environ')`,
    code: CANNOT_OPEN,
    rows: /PATH/,
  },
  'the source of the service': {
    sql: () => `SELECT file('${join(import.meta.dirname, '../../../package.json')}')`,
    code: CANNOT_OPEN,
    rows: /millrace/,
  },
  'writing a file': {
    sql: () => `SELECT 1 INTO OUTFILE '${join(outside, 'written')}'`,
    code: CANNOT_OPEN,
    rows: /^$/,
  },
  'appending to a file': {
    sql: () => `SELECT 1 INTO OUTFILE '${secret()}' APPEND`,
    code: CANNOT_OPEN,
    rows: /^$/,
  },
  'writing by table function': {
    sql: () => `INSERT INTO FUNCTION file('${join(outside, 'written')}', 'TSV', 'a UInt8') VALUES (1)`,
    code: CANNOT_OPEN,
    rows: /^$/,
  },
  'a database of SQLite': {
    sql: () => `SELECT * FROM sqlite('${join(outside, 'database')}', 'sqlite_master')`,
    code: 481,
    rows: /^$/,
  },
};

/** A statement that only the confinement can stop. */
const linkOut = async (): Promise<void> => {
  await mkdir(data, { recursive: true });
  await symlink(secret(), join(data, 'link'));
};

describe('files outside the data folder', () => {
  beforeEach(linkOut);

  test('are neither read nor written', async () => {
    await withProcess(DEFAULT_CONFINEMENT, async ({ run }) => {
      for (const [name, { sql, code }] of Object.entries(ATTACKS))
        expect([name, await outcomeOf(run(sql()))]).toEqual([name, code]);
    });
    expect(await readdir(outside)).toEqual(['secret']);
    expect(await readFile(secret(), 'utf8')).toBe('7\n');
  });

  test('are, without confinement', async () => {
    await withProcess(OFF, async ({ run }) => {
      for (const [name, { sql, rows: expected }] of Object.entries(ATTACKS)) {
        if (name === 'a database of SQLite') continue; // what it reads must exist
        expect([name, await run(sql())]).toEqual([name, expect.stringMatching(expected)]);
      }
    });
    expect(await readdir(outside)).toContain('written');
  });

  test('are, as far as they are named', async () => {
    const read = { ...DEFAULT_CONFINEMENT, read: [outside] };
    await withProcess(read, async ({ run }) => {
      expect(await run(`SELECT * FROM file('${join(outside, '*')}', 'TSV', 'a String')`)).toBe('7\n');
      expect(await outcomeOf(run(`SELECT 1 INTO OUTFILE '${join(outside, 'written')}'`))).toBe(CANNOT_OPEN);
    });
    await withProcess({ ...DEFAULT_CONFINEMENT, write: [outside] }, async ({ run }) => {
      expect(await run(`SELECT 1 INTO OUTFILE '${join(outside, 'written')}'`)).toBe('');
    });
    expect(await readdir(outside)).toContain('written');
  });
});

describe('the network', () => {
  const CONNECTING: Readonly<Record<string, (address: string) => string>> = {
    url: (address) => `SELECT * FROM url('http://${address}/', 'TSV', 'a String')`,
    'url, written': (address) =>
      `INSERT INTO FUNCTION url('http://${address}/', 'TSV', 'a String') VALUES ('x')`,
    'url, by name': () => "SELECT * FROM url('http://millrace.invalid/', 'TSV', 'a String')",
    s3: (address) => `SELECT * FROM s3('http://${address}/bucket/key', NOSIGN, 'TSV', 'a String')`,
    's3, listed': (address) => `SELECT * FROM s3('http://${address}/bucket/*', NOSIGN, 'TSV', 'a String')`,
    iceberg: (address) => `SELECT * FROM iceberg('http://${address}/bucket/', 'key', 'secret')`,
    azureBlobStorage: (address) =>
      `SELECT * FROM azureBlobStorage('DefaultEndpointsProtocol=http;AccountName=a;AccountKey=YWJj;BlobEndpoint=http://${address}/a;', 'c', 'd', 'CSV', 'auto', 'e String')`,
    remote: (address) => `SELECT * FROM remote('${address}', system.one)`,
    mysql: (address) => `SELECT * FROM mysql('${address}', 'a', 'b', 'c', 'd')`,
    postgresql: (address) => `SELECT * FROM postgresql('${address}', 'a', 'b', 'c', 'd')`,
    mongodb: (address) => `SELECT * FROM mongodb('${address}', 'a', 'b', 'c', 'd', 'e String')`,
    redis: (address) => `SELECT * FROM redis('${address}', 'k', 'k String, v String')`,
  };

  test('is closed: no connection is made', async () => {
    await withProcess(DEFAULT_CONFINEMENT, async ({ run }) => {
      for (const [name, sql] of Object.entries(CONNECTING))
        expect([name, typeof (await outcomeOf(run(sql(`127.0.0.1:${port}`))))]).toEqual([name, 'number']);
    });
    expect(connected).toBe(0);
  });

  test.each([
    ['by its name', { ...DEFAULT_CONFINEMENT, network: true }],
    ['without confinement', OFF],
  ])('is open %s', async (_, confinement) => {
    await withProcess(confinement, async ({ run }) => {
      expect(await run(CONNECTING['url']?.(`127.0.0.1:${port}`) ?? '')).toBe('7\n');
      if (confinement.network)
        expect(await outcomeOf(run(ATTACKS['a file of the system']?.sql() ?? ''))).toBe(76);
    });
    expect(connected).toBeGreaterThan(0);
  });
});

describe('a program', () => {
  const SCRIPT = "SELECT * FROM executable('script.sh', 'TSV', 'a String')";

  beforeEach(async () => {
    const script = join(data, 'user_scripts', 'script.sh');
    await mkdir(dirname(script), { recursive: true });
    await writeFile(script, `#!/bin/sh\necho ran > ${join(data, 'ran')}\necho 7\n`);
    await chmod(script, 0o755);
  });

  test('is not started', async () => {
    await withProcess(DEFAULT_CONFINEMENT, async ({ run }) => {
      expect(await outcomeOf(run(SCRIPT))).toBeTypeOf('number');
    });
    expect(await readdir(data)).not.toContain('ran');
  });

  test('is, without confinement', async () => {
    await withProcess(OFF, async ({ run }) => {
      expect(await run(SCRIPT)).toBe('7\n');
    });
    expect(await readdir(data)).toContain('ran');
  });
});

describe('what the engine does by itself works', () => {
  const STATEMENTS: readonly (readonly [sql: string, expected?: string])[] = [
    ['CREATE DATABASE app'],
    ["CREATE TABLE app.t (a UInt64, s String, t DateTime('Europe/Berlin')) ENGINE = MergeTree ORDER BY a"],
    ["INSERT INTO app.t SELECT number, toString(number), '2024-07-01 12:00:00' FROM numbers(500000)"],
    ['SELECT count(), max(t) FROM app.t', '500000\t2024-07-01 12:00:00\n'],
    // More than fits: the rows are sorted by way of the disk.
    [
      'SELECT cityHash64(groupArray(s)) > 0 FROM (SELECT s FROM app.t ORDER BY s DESC LIMIT 499999) SETTINGS max_bytes_before_external_sort = 1000000, max_bytes_ratio_before_external_sort = 0',
      '1\n',
    ],
    ["SELECT value > 0 FROM system.events WHERE event = 'ExternalSortWritePart'", '1\n'],
    [
      "CREATE DICTIONARY app.d (a UInt64, s String) PRIMARY KEY a SOURCE(CLICKHOUSE(TABLE 't' DB 'app')) LAYOUT(HASHED()) LIFETIME(0)",
    ],
    ["SELECT dictGet('app.d', 's', toUInt64(5))", '5\n'],
    // Compiled to machine code, which is memory that is written and then run.
    [
      'SELECT sum(a * 3 + a * 5 - a) FROM app.t WHERE a * 7 > 5 SETTINGS compile_expressions = 1, min_count_to_compile_expression = 0, compile_aggregate_expressions = 1, min_count_to_compile_aggregate_expression = 0',
      '874998250000\n',
    ],
    ["SELECT value > 0 FROM system.events WHERE event = 'CompileFunction'", '1\n'],
    ['ALTER TABLE app.t DELETE WHERE a >= 100 SETTINGS mutations_sync = 1'],
    ['OPTIMIZE TABLE app.t FINAL'],
    ['CREATE MATERIALIZED VIEW app.v ENGINE = MergeTree ORDER BY a AS SELECT a FROM app.t'],
    ["INSERT INTO app.t VALUES (1000, 'new', 0)"],
    ['SELECT a FROM app.v', '1000\n'],
    ['RENAME TABLE app.v TO app.w'],
    ['ALTER TABLE app.t DETACH PARTITION tuple()'],
    ['ALTER TABLE app.t ATTACH PARTITION tuple()'],
    ['SELECT count() FROM app.t', '101\n'],
    ['DROP TABLE app.w SYNC'],
    ['DROP DICTIONARY app.d SYNC'],
    ['DROP DATABASE app SYNC'],
    ['SELECT count() > 0 FROM system.metrics', '1\n'],
    ["SELECT toString(toDateTime(0, 'America/New_York'))", '1969-12-31 19:00:00\n'],
    [
      "SELECT match('abc', 'a.c'), cutToFirstSignificantSubdomain('https://a.example.co.uk/')",
      '1\texample.co.uk\n',
    ],
  ];

  test('tables, views, dictionaries, files of its own, compiled code, sorting on disk', async () => {
    await withProcess({ ...DEFAULT_CONFINEMENT, mode: 'required' }, async ({ run }) => {
      for (const [sql, expected = ''] of STATEMENTS) {
        expect([sql, await outcomeOf(run(sql))]).toEqual([sql, expected]);
      }
      for (const format of ['Parquet', 'Arrow', 'Native', 'Avro'])
        expect((await run('SELECT 1 AS a, toString(2) AS b', format)).length).toBeGreaterThan(0);
    });
  });
});

const onLinux = process.platform === 'linux';

describe.runIf(onLinux)('the process', () => {
  test('has the filter in all of its threads, once', async () => {
    await withProcess(DEFAULT_CONFINEMENT, async ({ process: { pid }, run }) => {
      await run('SELECT count() FROM numbers_mt(10000000)');
      const threads = await readdir(`/proc/${pid}/task`);
      expect(threads.length).toBeGreaterThan(10);
      for (const thread of threads) {
        const status = await readFile(`/proc/${pid}/task/${thread}/status`, 'utf8').catch(() => '');
        if (status === '') continue; // it has ended
        expect(status).toMatch(/^NoNewPrivs:\s1$/m);
        expect(status).toMatch(/^Seccomp:\s2$/m);
        expect(status).toMatch(/^Seccomp_filters:\s1$/m);
      }
    });
  });

  const DENIED = {
    outside: 'EACCES',
    outsideInPool: 'EACCES',
    outsideInWorker: 'EACCES',
    writeOutside: 'EACCES',
    parentEnvironment: 'EACCES',
    child: 'EPERM',
    connect: 'EACCES',
    listen: 'EACCES',
    signalParent: 'EPERM',
    ptrace: 'EPERM',
    process_vm_readv: 'EPERM',
    pidfd_open: 'EPERM',
    fork: 'EPERM',
    clone3: 'ENOSYS',
    execve: 'EPERM',
    unshare: 'EPERM',
    setns: 'EPERM',
    mount: 'EPERM',
    bpf: 'EPERM',
    keyctl: 'EPERM',
    perf_event_open: 'EPERM',
    io_uring_setup: 'ENOSYS',
    userfaultfd: 'EPERM',
    init_module: 'EPERM',
    chown: 'EPERM',
    unixSocket: 'EACCES',
    packetSocket: 'EACCES',
  };
  const ALLOWED = { read: 'ok', write: 'ok', writeInPool: 'ok', statistics: 'ok', signalSelf: 'ok' };

  async function probe(programs: string, user?: number): Promise<unknown> {
    await mkdir(data);
    await chmod(data, 0o777);
    const confined = [
      '--disable-warning=ExperimentalWarning',
      '--require',
      join(programs, 'confined-process.mjs'),
    ];
    const args = [
      ...confined,
      join(programs, 'confined-probe.mjs'),
      data,
      '',
      JSON.stringify(DEFAULT_CONFINEMENT),
    ];
    const options = user === undefined ? {} : { uid: user, gid: user };
    const env = { ...process.env, PROBE_PORT: String(port) };
    return JSON.parse((await runProgram(args, { env, ...options })).trim());
  }

  test('cannot do by system calls what statements have no words for', async () => {
    const result = await probe(dirname(compiledProgram('confined-probe')));
    expect(result).toEqual({ user: process.getuid?.(), ...ALLOWED, ...DENIED });
    expect(connected).toBe(0);
  });

  test.runIf(process.getuid?.() === 0)('nor can that of another user than root', async () => {
    const NOBODY = 65534;
    const programs = await copyPrograms(['koffi', '@koromix']);
    // Temporary folders belong to their user alone.
    for (let path = folder; path !== dirname(run); path = dirname(path)) await chmod(path, 0o711);
    expect(await probe(programs, NOBODY)).toEqual({ user: NOBODY, ...ALLOWED, ...DENIED });
  });

  test('is confined again after it was replaced', async () => {
    const observed: Observation[] = [];
    const options = { path: data, connections: 2, queue: 10, memory: 2 ** 30 };
    const observe = (each: Observation): void => void observed.push(each);
    const engine: Engine = await createEmbeddedEngine({ ...REAL_TIME, ...options, observe });
    try {
      const status = await readFile(join(data, 'status'), 'utf8');
      process.kill(Number(/^PID: (\d+)$/m.exec(status)?.[1]), 'SIGKILL');
      const confined = (): Observation[] => observed.filter(({ kind }) => kind === 'engine.confined');
      await eventually(() => expect(confined()).toHaveLength(2));
      const layers = [{ name: 'landlock' }, { name: 'seccomp' }];
      for (const each of confined())
        expect(each).toMatchObject({ mode: 'preferred', network: false, layers });
      const failure = await failureOf(rows(engine, statement(ATTACKS['a file by function']?.sql() ?? '')));
      expect(failure.engineCode).toBe(CANNOT_OPEN);
    } finally {
      await engine.close(0);
    }
  });
});

/** Where the test run has its temporary files. */
const run = process.env['TEST_RUN_FOLDER'] ?? tmpdir();

/** The compiled programs in a folder of their own, with some of their libraries. */
async function copyPrograms(libraries: readonly string[]): Promise<string> {
  const programs = join(folder, PROGRAMS);
  await cp(dirname(compiledProgram('confined-parent')), programs, {
    recursive: true,
    filter: (path) => !path.endsWith('node_modules'),
  });
  const modules = join(import.meta.dirname, '../../../node_modules');
  for (const name of libraries)
    await cp(join(modules, name), join(programs, 'node_modules', name), { recursive: true });
  return programs;
}

async function runProgram(args: readonly string[], options: SpawnOptions = {}): Promise<string> {
  const child = spawn(process.execPath, [...args], { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  await once(child, 'close');
  return output;
}

describe.runIf(onLinux)('a system without a layer', () => {
  const open = async (
    mode: string,
    hidden: readonly string[],
    program = compiledProgram('confined-parent'),
    env = process.env,
  ) => JSON.parse(await runProgram([program, data, mode, ...hidden], { env })) as unknown;

  /** The layers that are missing, by the system calls that do not exist. */
  const SYSTEMS = [
    { hidden: [], landlock: true, seccomp: true },
    { hidden: ['landlock_create_ruleset'], landlock: false, seccomp: true },
    { hidden: ['landlock_restrict_self'], landlock: false, seccomp: true },
    { hidden: ['seccomp'], landlock: true, seccomp: false },
    { hidden: ['landlock_create_ruleset', 'seccomp'], landlock: false, seccomp: false },
    // Neither needs namespaces.
    { hidden: ['unshare', 'setns', 'mount', 'pivot_root'], landlock: true, seccomp: true },
  ];

  test.each(SYSTEMS)('$hidden: uses what there is', async ({ hidden, landlock, seccomp }) => {
    const layer = (isThere: boolean) => (isThere ? {} : { missing: expect.any(String) as unknown });
    const layers = [
      { name: 'landlock', ...layer(landlock) },
      { name: 'seccomp', ...layer(seccomp) },
    ];
    const confinement = { mode: 'preferred', network: false, layers };
    expect(await open('preferred', hidden)).toEqual({
      confinement,
      files: landlock ? CANNOT_OPEN : [{ n: 1 }],
      observed: [{ kind: 'engine.confined', ...confinement }],
    });
  });

  test.each(SYSTEMS)('$hidden: does not start if all are required', async ({ hidden, landlock, seccomp }) => {
    const opened = await open('required', hidden);
    if (landlock && seccomp) return expect(opened).toMatchObject({ files: CANNOT_OPEN });
    const { failure, message } = opened as { failure: unknown; message: string }; // printed by the program
    expect(failure).toBe('unavailable');
    const missing = [...(landlock ? [] : ['landlock']), ...(seccomp ? [] : ['seccomp'])];
    expect([...message.matchAll(/by (\w+) \(/g)].map(([, name]) => name)).toEqual(missing);
  });

  test('off: asks for none', async () => {
    const confinement = { mode: 'off', network: false, layers: [] };
    expect(await open('off', [])).toEqual({
      confinement,
      files: [{ n: 1 }],
      observed: [{ kind: 'engine.confined', ...confinement }],
    });
  });

  test('because a package is not installed', async () => {
    const programs = await copyPrograms([]);
    await mkdir(join(programs, 'node_modules'));
    for (const name of ['chdb', '@chdb'])
      await symlink(
        join(import.meta.dirname, '../../../node_modules', name),
        join(programs, 'node_modules', name),
      );
    const env = { ...process.env, TEST_RUN_FOLDER: folder };
    const program = join(programs, 'confined-parent.mjs');
    const missing = expect.stringContaining('koffi') as unknown;
    expect(await open('preferred', [], program, env)).toMatchObject({
      confinement: { layers: [{ missing }, { missing }] },
      files: [{ n: 1 }],
    });
    expect(await open('required', [], program, env)).toMatchObject({
      failure: 'unavailable',
      message: missing,
    });
  });
});
