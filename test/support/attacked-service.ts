// A service over the tables of the attack corpus, and over the same tables twice: beside harmless and beside hostile tenants.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Token } from '../../src/service/config/generated/tokens.ts';
import type { Engine } from '../../src/service/engine/engine.ts';
import { fileOf, fill, TABLE_KINDS } from '../guard/sandbox/tenants.ts';
import { startService, type TestService, type TestServiceOptions } from './service.ts';

/** Of one length, so that texts that name them are as well. */
export const DATABASES = ['aaaaaaa', 'hostile'] as const;
const CORPUS = join(import.meta.dirname, '../corpus');

interface AttackedOptions {
  /** Names of the kinds of tables of tenants, each an endpoint per database. */
  readonly kinds: readonly string[];
  /** Lines that are added to each endpoint file. */
  readonly lines?: string;
  /** Further files of the folder by their names. A file of rollups makes the service create them. */
  readonly files?: Readonly<Record<string, string>>;
  /** Statements after those of the corpus. */
  readonly sql?: readonly string[];
  readonly tokens?: readonly Token[];
  readonly settings?: TestServiceOptions['settings'];
}

/** The endpoints are `corpus`, and `{kind}.{database}` with the parameter `project` and the table `t`. */
export async function startAttacked({
  kinds,
  lines = '',
  files = {},
  sql: added = [],
  tokens = [],
  settings = {},
}: AttackedOptions): Promise<TestService> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-endpoints-'));
  const read = (name: string): Promise<string> => readFile(join(CORPUS, name), 'utf8');
  const chosen = TABLE_KINDS.filter(({ name }) => kinds.includes(name));
  await writeFile(join(folder, 'corpus.yaml'), (await read('corpus.yaml')) + lines);
  for (const database of DATABASES)
    for (const kind of chosen)
      await writeFile(join(folder, `${kind.name}.${database}.yaml`), fileOf(kind, database) + lines);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const isDevelopment = Object.keys(files).some((name) => name.endsWith('.rollup.yaml'));
  const seeds = (await read('seeds.sql')).split(/;\s*\n/).filter((each) => each.trim() !== '');
  const sql = [...seeds, ...added];
  const fillAll = async (engine: Engine): Promise<void> => {
    for (const database of DATABASES) await fill(engine, database, chosen);
  };
  const service = await startService({
    endpoints: folder,
    sql,
    fill: fillAll,
    isDevelopment,
    tokens,
    settings,
  });
  await rm(folder, { recursive: true });
  return service;
}

export function rotated<T>(values: readonly T[], index: number): T {
  const value = values[index % values.length];
  if (value === undefined) throw new Error('no values');
  return value;
}
