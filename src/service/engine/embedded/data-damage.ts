// Damage of the data folder: parts that the engine sets aside when it opens, and tables whose definitions are gone. It serves what
// is left without an error.
import { existsSync } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Observe } from '../../../sql/base/observation.ts';
import type { ControlConnection } from './control-connection.ts';
import type { BrokenParts, DataDamage } from '../data-damage.ts';

export interface DataCheck {
  /** What was found last. */
  readonly latest: () => DataDamage;
  /** Looks, and reports damage that differs from what was reported last. Never rejects. */
  check(control: ControlConnection): Promise<void>;
}

/** Checks the data of an engine with the folder `path`. */
export function createDataCheck(path: string, observe: Observe): DataCheck {
  let latest: DataDamage = { broken: [], missing: [] };
  let reported = textOf(latest);
  /** A new folder has no damage, and checking it would take a tenth of the time of opening it. */
  let isNew = !existsSync(join(path, STORE));

  const report = ({ broken, missing, unchecked }: DataDamage): void => {
    if (unchecked !== undefined) observe({ kind: 'data.not_checked', cause: unchecked });
    if (broken.length > 0) observe({ kind: 'data.parts_broken', parts: partsOf({ broken }), tables: broken });
    if (missing.length > 0) observe({ kind: 'data.tables_missing', tables: missing });
  };
  return {
    latest: () => latest,
    check: async (control) => {
      if (isNew) {
        isNew = false;
        return;
      }
      latest = await findDamage(control, path).catch((cause: unknown) => ({ ...latest, unchecked: cause }));
      const text = textOf(latest);
      if (text !== reported) report(latest);
      reported = text;
    },
  };
}

/** The engine keeps its tables and databases in this folder. */
const STORE = 'store';

/** Number of broken parts. */
export function partsOf({ broken }: Pick<DataDamage, 'broken'>): number {
  return broken.reduce((sum, { parts }) => sum + parts, 0);
}

function textOf({ broken, missing, unchecked }: DataDamage): string {
  return JSON.stringify([broken, missing, unchecked !== undefined]);
}

/** Rejects with EngineError, or if the folder cannot be read. */
async function findDamage(control: ControlConnection, path: string): Promise<DataDamage> {
  return { broken: await brokenParts(control), missing: await missingTables(control, path) };
}

/** Parts that an operator detached, and copies that other parts contain, have other reasons. */
const BROKEN_PARTS = `
SELECT concat(database, '.', table) AS table, toUInt32(count()) AS parts, arraySort(groupArray(10)(name)) AS names,
  arraySort(groupUniqArray(assumeNotNull(reason))) AS reasons
FROM (SELECT * FROM system.detached_parts WHERE startsWith(reason, 'broken') ORDER BY name)
GROUP BY database, table ORDER BY database, table`;

async function brokenParts(control: ControlConnection): Promise<readonly BrokenParts[]> {
  return linesOf(await control.ask(BROKEN_PARTS, 'JSONEachRow')).map(
    (line) => JSON.parse(line) as BrokenParts, // the columns of the query above
  );
}

/** Known folders are those of loaded tables, and those named by the ids of dropped tables, which the engine removes later. */
const KNOWN_FOLDERS =
  'SELECT arrayJoin(data_paths) FROM system.tables UNION ALL SELECT toString(uuid) FROM system.dropped_tables';

/** Folders with data that belong to no table. */
async function missingTables(control: ControlConnection, path: string): Promise<readonly string[]> {
  const known = new Set(linesOf(await control.ask(KNOWN_FOLDERS, 'TSV')).map((path) => basename(path)));
  const folders = (await foldersOf(join(path, STORE))).filter((folder) => !known.has(basename(folder)));
  const found: string[] = [];
  const detached = new Set<string>();
  for (const folder of folders) {
    if (await hasData(folder)) found.push(basename(folder));
    for (const id of await detachedIn(folder)) detached.add(id);
  }
  const missing = found.filter((id) => !detached.has(id));
  if (missing.length === 0) return [];
  const names = await namesOf(join(path, 'data'));
  return missing.map((id) => names.get(id) ?? join(STORE, id.slice(0, 3), id)).toSorted();
}

/** The folders of tables and databases: `store/0a1/0a1b…`. */
async function foldersOf(store: string): Promise<readonly string[]> {
  const groups = await Promise.all(
    (await namesIn(store)).map(async (group) =>
      (await namesIn(join(store, group))).map((name) => join(store, group, name)),
    ),
  );
  return groups.flat();
}

/** What a table without rows has, or a write that did not end. */
const NOT_DATA = /^(?:detached|tmp.*|delete_tmp.*|moving)$/;

/** The engine takes all rights from folders that it does not know. */
async function hasData(folder: string): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(unlessDenied);
  if (entries === undefined) return true;
  return entries.some((entry) =>
    entry.isDirectory() ? !NOT_DATA.test(entry.name) : entry.name.endsWith('.bin'),
  );
}

/** The ids of tables of a database that an operator detached permanently. */
async function detachedIn(folder: string): Promise<readonly string[]> {
  const entries = (await readdir(folder).catch(unlessDenied)) ?? [];
  const marks = entries.filter((name) => name.endsWith('.sql.detached'));
  const ids = marks.map(async (mark) => {
    const definition = await readFile(join(folder, mark.replace(/\.detached$/, '')), 'utf8');
    return / UUID '([0-9a-f-]{36})'/.exec(definition)?.[1] ?? '';
  });
  return Promise.all(ids);
}

/** The names of tables by their ids: links in `data/DATABASE`, which remain when a definition is lost. */
async function namesOf(data: string): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const database of await namesIn(data))
    for (const table of await namesIn(join(data, database))) {
      const target = await readlink(join(data, database, table)).catch(() => undefined); // of an older engine: no link
      if (target !== undefined) names.set(basename(target), `${unescaped(database)}.${unescaped(table)}`);
    }
  return names;
}

/** In names of files, the bytes of other characters than letters, digits and `_` are `%2E`. */
function unescaped(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Names in a folder; none if there is no such folder. */
function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return [];
    throw cause;
  });
}

function unlessDenied(cause: NodeJS.ErrnoException): undefined {
  if (cause.code !== 'EACCES' && cause.code !== 'EPERM') throw cause;
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}
