// What the log has of the engine's errors: every one that these statements reach, over both engines.
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loggedText } from '../../../src/service/observe/describe.ts';
import { EngineError, type Engine } from '../../../src/service/engine/engine.ts';
import { ERROR_NAMES } from '../../../src/service/engine/error-names.ts';
import { createHttpEngine } from '../../../src/service/engine/http/http-engine.ts';
import { openClickHouseFront, type ClickHouseFront } from '../../support/clickhouse-front/front.ts';
import { BIRDS, FAILING, plantedIn } from '../../support/failing-statements.ts';
import { REAL_TIME } from '../../support/real-time.ts';
import { openTestEngine } from '../../support/test-engine.ts';

const LIMITS = { time: 30, memory: 2 ** 27, readRows: 0, resultBytes: 2 ** 20 };
let front: ClickHouseFront;
const engines = new Map<string, Engine>();

beforeAll(async () => {
  front = await openClickHouseFront({
    path: mkdtempSync(join(tmpdir(), 'millrace-')),
    users: { reader: { password: '', profile: [] } },
  });
  const given = { ...REAL_TIME, connections: 4, queue: 1000, observe: () => undefined };
  const http = { urls: [front.url], user: 'reader', password: '', pingTimeoutMs: 60_000, ...given };
  engines.set('http', createHttpEngine(http));
  engines.set('embedded', await openTestEngine(4));
  for (const engine of engines.values()) for (const sql of BIRDS) await engine.execute(sql);
});
afterAll(async () => {
  for (const engine of engines.values()) await engine.close(0);
  await front.close();
});

async function failureOf(engine: Engine, sql: string, origin: 'saved' | 'consumer'): Promise<unknown> {
  const statement = {
    sql,
    parameters: { bird: 'Kanarienvogel' },
    limits: LIMITS,
    origin,
    int64: 'number',
  } as const;
  try {
    const { chunks } = await engine.run(statement, { format: 'JSONEachRow' });
    for await (const _ of chunks);
    return undefined;
  } catch (cause) {
    return cause;
  }
}

describe.each(['embedded', 'http'])('%s', (kind) => {
  test('no planted word is logged, and each code has its name', async () => {
    const engine = engines.get(kind);
    if (engine === undefined) throw new Error('it was opened');
    const codes = new Set<number>();
    let failed = 0;
    const found: string[] = [];
    for (const text of FAILING) {
      const cause = await failureOf(engine, text.replaceAll('{from}', 'aviary.birds'), 'saved');
      if (cause === undefined) continue;
      failed++;
      if (cause instanceof EngineError && cause.engineCode !== undefined) codes.add(cause.engineCode);
      const planted = plantedIn(loggedText(new Error('outer', { cause })));
      if (planted.length > 0) found.push(`${text}: ${loggedText(cause)}`);
    }
    expect(found).toEqual([]);
    expect(failed).toBeGreaterThan(FAILING.length / 2);
    expect(codes.size).toBeGreaterThan(35);
    expect(engine.kind).toBe(kind);
  });
});

test('the names of codes are those of the engine', async () => {
  const engine = engines.get('embedded');
  const sql = `SELECT toUInt32(number) AS code, errorCodeToName(code) AS name FROM numbers(1, 2000) WHERE name != ''`;
  const statement = { sql, parameters: {}, limits: LIMITS, origin: 'saved', int64: 'number' } as const;
  const result = await engine?.run(statement, { format: 'JSONCompactEachRow' });
  let text = '';
  for await (const chunk of result?.chunks ?? []) text += Buffer.from(chunk).toString();
  expect(ERROR_NAMES).toEqual(
    text
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line)),
  );
});

describe('own messages of EngineErrors, which are logged', () => {
  /** Numbers, and names in the settings. */
  const LOGGED = new Set([
    'number',
    'timeoutMs',
    'ms',
    'waiting',
    'fileSeconds',
    'path',
    'names',
    'cause.message',
  ]);
  const folder = join(import.meta.dirname, '../../../src');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );

  test('have no text of a statement or of a result', () => {
    const found = sources.flatMap((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      return [...text.matchAll(/new EngineError\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g)]
        .filter(([call]) => !/isForeign|engineCode/.test(call))
        .flatMap(([call]) => [...call.matchAll(/\$\{([^}]*)\}/g)].map(([, value = '']) => value))
        .filter((value) => !LOGGED.has(value))
        .map((value) => `${file}: ${value}`);
    });
    expect(sources.length).toBeGreaterThan(100);
    expect(found).toEqual([]);
  });
});
