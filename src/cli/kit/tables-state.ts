// What the tables of a data folder were made from, so that a change of it is noticed.
import { readFile } from 'node:fs/promises';
import { existsSync, readdirSync } from 'node:fs';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { writeAside } from '../../service/config/replace-file.ts';
import type { Settings } from '../../service/config/settings.ts';
import { signatureOf } from './folder-changes.ts';
import { existingSchema } from './schema-options.ts';

export interface TablesState {
  /** The signature of the files that the tables were made from. */
  readonly signature: string;
  /** It is true if all tables and rows could be created. */
  readonly isWhole: boolean;
}

/** The folders that the tables are made from: the seeds, or else the schema and the rows of fixtures. */
export function sourcesOf(settings: Settings): readonly string[] {
  if (hasSeeds(settings)) return [settings.seeds];
  const schema = existingSchema({}, settings, { env: {} });
  return schema === undefined ? [] : [schema.path, fixturesOf(settings)];
}

export function hasSeeds({ seeds }: Pick<Settings, 'seeds'>): boolean {
  return existsSync(seeds) && readdirSync(seeds).some((name) => name.endsWith('.sql'));
}

export function fixturesOf({ endpoints }: Pick<Settings, 'endpoints'>): string {
  return join(endpoints, 'fixtures');
}

export async function signatureOfSources(settings: Settings): Promise<string> {
  return hash('sha256', await signatureOf(sourcesOf(settings)));
}

export const STATE_FILE = 'tables-state.json';

export function writeTablesState({ data }: Pick<Settings, 'data'>, state: TablesState): Promise<void> {
  return writeAside(join(data, STATE_FILE), `${JSON.stringify(state)}\n`);
}

/** Undefined if there is none: nothing was created, or an earlier release did it. */
export async function readTablesState({ data }: Pick<Settings, 'data'>): Promise<TablesState | undefined> {
  const text = await readFile(join(data, STATE_FILE), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as TablesState); // written above
}

/** Returns whether the files have changed since the tables were made from them. */
export async function isOutdated(settings: Settings): Promise<boolean> {
  const state = await readTablesState(settings);
  return state !== undefined && state.signature !== (await signatureOfSources(settings));
}
