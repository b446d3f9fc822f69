// What the attack tests of all interfaces have in common: the corpus, and two databases that differ only in other tenants' rows.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileOf, fill, TABLE_KINDS, type TableKind } from '../sandbox/tenants.ts';
import { startService, type TestService, type TestServiceOptions } from './service.ts';

/** Of one length, so that texts that name them are as well. */
export const DATABASES = ['aaaaaaa', 'hostile'] as const;
export const SEED = Number(process.env['FUZZ_SEED'] ?? 20_240_101);
/** Names that only the engine knows: stored tables, and those of other tenants. */
export const SECRETS = /CANARY|_secret|users_|\b(?:default|app)\.\w|DB::Exception|node_modules/;

/** The secrets in what a caller was shown, besides those that its query has itself: a message may quote it. */
export function secretsIn(shown: string, sql: string): readonly string[] {
  const found = shown.replaceAll(sql, '').matchAll(new RegExp(SECRETS, 'g'));
  return [...found].map(([match]) => match).filter((match) => !sql.includes(match));
}

export function rotated<T>(values: readonly T[], index: number): T {
  const value = values[index % values.length];
  if (value === undefined) throw new Error('no values');
  return value;
}

/** Of the cases, all with `npm run fuzz`, and otherwise every so many. */
export function some<T>(cases: readonly T[], each: number): readonly T[] {
  return cases.filter((_, index) => process.env['FUZZ_CASES'] !== undefined || index % each === 0);
}

export const kindsNamed = (...names: readonly string[]): readonly TableKind[] =>
  TABLE_KINDS.filter(({ name }) => names.includes(name));

export interface AttackWorldOptions extends Pick<TestServiceOptions, 'settings' | 'tokens'> {
  readonly kinds: readonly TableKind[];
  /** Added to every endpoint file. */
  readonly more?: string;
}

/** A service with the endpoint `corpus`, and one for each kind of table and database, such as `compact.hostile`. */
export async function startAttackWorld({
  kinds,
  more = '',
  ...options
}: AttackWorldOptions): Promise<TestService> {
  const corpus = join(import.meta.dirname, '../corpus');
  const folder = await mkdtemp(join(tmpdir(), 'millrace-endpoints-'));
  await writeFile(
    join(folder, 'corpus.yaml'),
    `${await readFile(join(corpus, 'corpus.yaml'), 'utf8')}${more}`,
  );
  for (const database of DATABASES)
    for (const kind of kinds)
      await writeFile(join(folder, `${kind.name}.${database}.yaml`), `${fileOf(kind, database)}\n${more}`);
  const seeds = await readFile(join(corpus, 'seeds.sql'), 'utf8');
  const sql = seeds.split(/;\s*\n/).filter((each) => each.trim() !== '');
  const service = await startService({ ...options, endpoints: folder, sql });
  for (const database of DATABASES) await fill(service.engine, database, kinds);
  await service.service.reload();
  return {
    ...service,
    stop: async () => {
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
