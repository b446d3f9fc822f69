// Keeps which changes are proven, by the content that this depends on: queries, values, tables with their rows and sizes, and the program.
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAside } from '../../../service/config/replace-file.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { readRows } from '../../../service/engine/rows.ts';
import { quoteIdentifier } from '../../../sql/clickhouse/literal.ts';
import { DIFFERENT, type ChangedCall, type VerifiedChange } from '../../cost/changes/verify.ts';
import type { Statistics } from '../../cost/statistics.ts';
import { contentKey } from '../analysis/keys.ts';

export interface OutcomeStore {
  /** Resolves to one for each of the calls; undefined if they are not known. */
  readonly find: (key: string, calls: number) => Promise<readonly VerifiedChange[] | undefined>;
  /** Never rejects: what cannot be written is found again. */
  readonly keep: (key: string, outcomes: readonly VerifiedChange[]) => Promise<void>;
}

/** Files of the analysis cache have this ending, and are removed after a month without use. */
const ENDING = '.changes.analysis';
const MAX_BYTES = 2 ** 20;

/** `folder` exists, and only this user can write it; undefined: nothing is kept. */
export function createOutcomeStore(folder: string | undefined): OutcomeStore {
  if (folder === undefined) return { find: async () => undefined, keep: async () => undefined };
  const pathOf = (key: string): string => join(folder, `${key}${ENDING}`);
  return {
    find: async (key, calls) => {
      const path = pathOf(key);
      const stats = await lstat(path).catch(() => undefined);
      if (stats?.isFile() !== true || stats.size > MAX_BYTES) return undefined;
      const outcomes = decode(await readFile(path, 'utf8').catch(() => ''));
      return outcomes?.length === calls ? outcomes : undefined;
    },
    keep: async (key, outcomes) => {
      const text = JSON.stringify(outcomes.map((each) => each ?? null));
      await writeAside(pathOf(key), text).catch(() => undefined);
    },
  };
}

function decode(text: string): readonly VerifiedChange[] | undefined {
  try {
    const values: unknown = JSON.parse(text);
    if (!Array.isArray(values) || !values.every(isOutcome)) return undefined;
    return values.map((each) => each ?? undefined);
  } catch {
    return undefined;
  }
}

function isOutcome(value: unknown): value is Exclude<VerifiedChange, undefined> | null {
  if (value === null || value === DIFFERENT) return true;
  const { before, after } = Object(value) as Readonly<Record<string, unknown>>; // only read by name
  return [before, after].every((each) => {
    const { rows, bytes } = Object(each) as Readonly<Record<string, unknown>>; // likewise
    return Number.isSafeInteger(rows) && Number.isSafeInteger(bytes);
  });
}

/** Resolves to the definitions of the tables of fixtures, and a digest of their rows. Rejects with EngineError. */
export async function fixtureContent(engine: Engine, names: Iterable<string>): Promise<readonly unknown[]> {
  const content: unknown[] = [];
  for (const name of [...names].toSorted()) {
    const [database = '', ...table] = name.split('.');
    const own = { database, table: table.join('.') };
    const definition = await readRows(engine, DEFINITION, { parameters: own });
    const source = `${quoteIdentifier(database)}.${quoteIdentifier(own.table)}`;
    const rows = await readRows(
      engine,
      `SELECT toString(sum(cityHash64(formatRow('JSONEachRow', *)))) FROM ${source}`,
    );
    content.push([name, definition, rows]);
  }
  return content;
}

const DEFINITION =
  'SELECT create_table_query FROM system.tables WHERE database = {database:String} AND name = {table:String}';

interface OutcomeContent {
  readonly calls: readonly ChangedCall[];
  readonly texts: readonly string[];
  readonly newest: number;
  readonly sizes: Statistics;
  readonly tables: readonly unknown[];
}

export function outcomeKey({ calls, texts, newest, sizes, tables }: OutcomeContent): string {
  const plain = calls.map(({ before, after, part, rollup }) => [before, after, part ?? null, rollup ?? null]);
  const statistics = Array.from(sizes, ([name, { rows, columns }]) => [name, rows, [...columns]]);
  return contentKey([plain, texts, newest, statistics, tables]);
}
