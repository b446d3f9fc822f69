// Data folders with tables whose files tests damage while no engine is open.
import { mkdtempSync } from 'node:fs';
import { cp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Observation } from '../../src/sql/base/observation.ts';
import { createEmbeddedEngine } from '../../src/service/engine/embedded/embedded-engine.ts';
import { engineFolder } from '../../src/service/engine/embedded/open-error.ts';
import type { Engine } from '../../src/service/engine/engine.ts';
import { REAL_TIME } from './real-time.ts';

export function openEngineAt(path: string, observed: Observation[] = []): Promise<Engine> {
  const limits = { connections: 1, queue: 100, memory: 2 ** 30 };
  return createEmbeddedEngine({
    ...REAL_TIME,
    path,
    ...limits,
    observe: (each) => void observed.push(each),
  });
}

/** Rows of a part. */
export const PART_ROWS = 100;

/** `app.compact` and `app.wide`, in the form of their parts, and `app.logged` without any; three parts of each. */
const STATEMENTS = [
  'CREATE DATABASE app ENGINE = Atomic',
  ...['compact', 'wide'].flatMap((name) => [
    `CREATE TABLE app.${name} (id UInt64, text String) ENGINE = MergeTree ORDER BY id SETTINGS min_bytes_for_wide_part = ${name === 'wide' ? 0 : 10_000_000}, max_suspicious_broken_parts = 10`,
    `SYSTEM STOP MERGES app.${name}`,
  ]),
  'CREATE TABLE app.logged (id UInt64, text String) ENGINE = Log',
  ...['compact', 'wide', 'logged'].flatMap((name) =>
    [0, 1, 2].map(
      (part) =>
        `INSERT INTO app.${name} SELECT number + ${part * PART_ROWS}, toString(cityHash64(number)) FROM numbers(${PART_ROWS})`,
    ),
  ),
];

export interface FilledData {
  /** The data folder of the settings, and the engine's in it. */
  readonly data: string;
  readonly path: string;
  /** The folder of a table in `app`; of a part if one is given. */
  readonly folder: (table: string, part?: string) => string;
  /** The definition of a table in `app`, or of the database. */
  readonly definition: (table?: string) => string;
}

const filled = new Map<string, Promise<string>>();

/** A data folder that the file's tests do not change, filled before the first of them. */
function filledFolder(): Promise<string> {
  const made = filled.get(tmpdir()) ?? fill(mkdtempSync(join(tmpdir(), 'millrace-filled-')), STATEMENTS);
  filled.set(tmpdir(), made);
  return made;
}

async function fill(data: string, statements: readonly string[]): Promise<string> {
  const engine = await openEngineAt(engineFolder(data));
  for (const sql of statements) await engine.execute(sql);
  await engine.close(0);
  return data;
}

/** A data folder that no engine has open; `more` runs after the tables have been filled. */
export async function fillData(more: readonly string[] = []): Promise<FilledData> {
  const data = mkdtempSync(join(tmpdir(), 'millrace-damaged-'));
  await cp(await filledFolder(), data, { recursive: true, verbatimSymlinks: true });
  if (more.length > 0) await fill(data, more);
  const path = engineFolder(data);
  const definition = (table?: string): string =>
    join(path, 'metadata', table === undefined ? 'app.sql' : `app/${table}.sql`);
  return {
    data,
    path,
    folder: (table, part = '') => join(path, 'data/app', table, part),
    definition,
  };
}

/** The id of a table, which names its folder. */
export async function idOf({ definition }: FilledData, table: string): Promise<string> {
  return / UUID '([0-9a-f-]+)'/.exec(await readFile(definition(table), 'utf8'))?.[1] ?? '';
}
