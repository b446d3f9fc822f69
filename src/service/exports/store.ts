// The folder of exports: a file of each with its state, and beside it its result, which has its name once it is whole.
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAside } from '../config/replace-file.ts';
import { PROBLEMS } from '../../sql/base/problems.ts';
import { EXTENSIONS, isActive, type ExportRecord } from './record.ts';

export interface ExportStore {
  /** What was in the folder when it was opened. */
  readonly found: readonly ExportRecord[];
  readonly save: (record: ExportRecord) => Promise<void>;
  /** Where a result is while it is written. */
  readonly partOf: (record: ExportRecord) => string;
  readonly resultOf: (record: ExportRecord) => string;
  /** Gives a result that is whole its name. */
  readonly publish: (record: ExportRecord) => Promise<void>;
  /** Removes what an export that ended without a result has left. */
  readonly discard: (record: ExportRecord) => Promise<void>;
  readonly remove: (record: ExportRecord) => Promise<void>;
}

/** Rejects if the folder cannot be read or written. Exports that had not ended have failed; nothing is left of their results. */
export async function openExportStore(folder: string, now: () => number): Promise<ExportStore> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const pathOf = (id: string, extension: string): string => join(folder, `${id}.${extension}`);
  const resultOf = ({ id, format }: ExportRecord): string => pathOf(id, EXTENSIONS[format]);
  const partOf = ({ id }: ExportRecord): string => pathOf(id, 'part');
  const save: ExportStore['save'] = (record) =>
    writeAside(pathOf(record.id, 'json'), `${JSON.stringify(record)}\n`);
  const discard = async (record: ExportRecord): Promise<void> => {
    await Promise.all([partOf(record), resultOf(record)].map((path) => rm(path, { force: true })));
  };
  const found: ExportRecord[] = [];
  for (const record of await readRecords(folder)) {
    const kept = isActive(record) ? interrupted(record, now()) : await whole(record, resultOf(record), now());
    found.push(kept);
    if (kept === record) continue;
    await discard(record);
    await save(kept);
  }
  await removeOthers(folder, found);
  return {
    found,
    save,
    partOf,
    resultOf,
    publish: (record) => rename(partOf(record), resultOf(record)),
    discard,
    remove: async (record) => {
      await discard(record);
      await rm(pathOf(record.id, 'json'), { force: true });
    },
  };
}

async function readRecords(folder: string): Promise<readonly ExportRecord[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const read = names.map(async (name) => {
    const text = await readFile(join(folder, name), 'utf8');
    const record = parse(text);
    return record?.id === name.slice(0, -'.json'.length) ? [record] : [];
  });
  return (await Promise.all(read)).flat();
}

/** Undefined if the file is damaged: its export is unknown then. */
function parse(text: string): ExportRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'state' in value
      ? (value as ExportRecord)
      : undefined; // written above
  } catch {
    return undefined;
  }
}

function interrupted(record: ExportRecord, now: number): ExportRecord {
  const { title: detail, hint } = PROBLEMS['export.interrupted'];
  return { ...record, state: 'failed', finished: now, failure: { code: 'export.interrupted', detail, hint } };
}

/** A result of another size than it had is not the result. */
async function whole(record: ExportRecord, path: string, now: number): Promise<ExportRecord> {
  if (record.state !== 'finished' || record.place !== 'download') return record;
  const size = await stat(path).then(
    (found) => found.size,
    () => undefined,
  );
  return size === record.bytes ? record : interrupted(record, now);
}

/** Removes files that belong to no export, such as those of writes that were interrupted. */
async function removeOthers(folder: string, records: readonly ExportRecord[]): Promise<void> {
  const known = new Set(
    records.flatMap(({ id, state, format }) => [
      `${id}.json`,
      ...(state === 'finished' ? [`${id}.${EXTENSIONS[format]}`] : []),
    ]),
  );
  for (const name of await readdir(folder))
    if (!known.has(name)) await rm(join(folder, name), { recursive: true, force: true });
}
