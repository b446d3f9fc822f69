// The analysis cache: what checks found about files, by what that depends on. A pack of it that cannot be read is as one that is missing.
import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Candidate } from '../../../service/endpoints/catalog.ts';
import type { EndpointHead } from '../../../service/endpoints/endpoint.ts';
import type { SourceFile } from '../../../service/endpoints/include/sources.ts';
import type { LoadedFile } from '../../../service/endpoints/load.ts';
import { writeAside } from '../../../service/config/replace-file.ts';
import { recordOf, restore } from './head.ts';
import type { PairRecord } from './pair.ts';
import {
  decodePack,
  encodePack,
  MAX_PACK_BYTES,
  type FileRecord,
  type Pack,
  type SchemaRecord,
} from './pack.ts';

type Loaded = LoadedFile<EndpointHead>;

/** The checks that a file needs: those without an engine, and those of one. */
export type FindingsOf = 'own' | 'ofEngine';

/** A run found this about a file. */
export interface Kept extends Pick<FileRecord, FindingsOf> {
  /** Undefined: what was known of it. */
  readonly candidate?: Candidate | undefined;
}

export interface AnalysisCache {
  /** `loadFiles` asks this for the results of files whose findings of these kinds are known. */
  readonly recall: (needed: readonly FindingsOf[]) => (path: string, hash: string) => readonly Loaded[];
  readonly find: (file: Loaded) => FileRecord | undefined;
  /** Adds to what is known of the file. */
  readonly keep: (file: Loaded, kept: Kept) => void;
  /** There is one for each state of the tables; the list is empty if none is known. */
  readonly schemas: () => readonly SchemaRecord[];
  readonly keepSchemas: (schemas: readonly SchemaRecord[]) => void;
  readonly findPair: (key: string) => PairRecord | undefined;
  readonly keepPair: (pair: Omit<PairRecord, 'used'>) => void;
  /** Writes what was kept, and removes what was not used for a month. Never rejects: what cannot be written is found again. */
  readonly save: () => Promise<void>;
  /** It is true if there was a pack that is not whole. */
  readonly isInvalid: boolean;
}

const DAY_MS = 86_400_000;
const UNUSED_DAYS = 30;
const ENDING = '.analysis';

/** `folder` exists, and only this user can write it; undefined: nothing is kept. `epoch` gives milliseconds since 1970. */
export async function openAnalysisCache(
  folder: string | undefined,
  key: string,
  epoch: () => number,
): Promise<AnalysisCache> {
  const path = folder === undefined ? undefined : join(folder, `${key}${ENDING}`);
  const text = path === undefined ? undefined : await readPack(path);
  const pack = text === undefined ? undefined : decodePack(key, text);
  const today = Math.floor(epoch() / DAY_MS);
  const records = createRecords(pack ?? EMPTY, today);
  return {
    ...records,
    isInvalid: text !== undefined && pack === undefined,
    save: async () => {
      if (folder === undefined || path === undefined || !records.isChanged()) return;
      const saved = encodePack(key, records.pack());
      if (Buffer.byteLength(saved) <= MAX_PACK_BYTES) await writeAside(path, saved).catch(ignore);
      await removeUnused(folder, epoch() - UNUSED_DAYS * DAY_MS);
    },
  };
}

const EMPTY: Pack = { schemas: [], sources: [], files: [], pairs: [] };

/** Undefined: there is none; '' if it is not a plain file of a fitting size. */
async function readPack(path: string): Promise<string | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined) return undefined;
  if (!stats.isFile() || stats.size > MAX_PACK_BYTES) return '';
  return readFile(path, 'utf8').catch(() => '');
}

async function removeUnused(folder: string, before: number): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => each.includes(ENDING))) {
    const stats = await lstat(join(folder, name)).catch(() => undefined);
    if (stats !== undefined && stats.mtimeMs < before)
      await rm(join(folder, name), { force: true }).catch(ignore);
  }
}

interface Records extends Omit<AnalysisCache, 'save' | 'isInvalid'> {
  readonly isChanged: () => boolean;
  readonly pack: () => Pack;
}

/** `today` in days since 1970. */
function createRecords(before: Pack, today: number): Records {
  let [schemas, isChanged] = [before.schemas, false];
  const { sources, positionOf } = createSources(before.sources);
  const files = new Map(before.files.map((record) => [keyOf(record), record]));
  const byText = new Map<string, FileRecord[]>();
  for (const record of before.files) {
    const key = textKey(record.path, record.hash);
    byText.set(key, [...(byText.get(key) ?? []), record]);
  }
  const put = (record: FileRecord): void => {
    files.set(keyOf(record), record);
    isChanged = true;
  };
  const pairs = new Map(before.pairs.map((pair) => [pair.key, pair]));
  const putPair = (pair: PairRecord): void => {
    pairs.set(pair.key, pair);
    isChanged = true;
  };
  const find = (file: Loaded): FileRecord | undefined => {
    const record = files.get(keyOf({ ...located(file), sources: file.dependencies.map(positionOf) }));
    if (record === undefined || record.used === today) return record;
    put({ ...record, used: today });
    return record;
  };
  return {
    find,
    recall: (needed) => (path, hash) =>
      (byText.get(textKey(path, hash)) ?? [])
        .filter((record) => isKnown(record, needed))
        .map((record) => asLoaded(record, sources)),
    keep: (file, { candidate, ...found }) => {
      if (file.rollups !== undefined && file.rollups.length > 0) return; // the engine is asked about them each time
      const record = find(file);
      const known = candidate === undefined ? record?.candidate : recordOf(candidate);
      const own = { ...located(file), sources: file.dependencies.map(positionOf), used: today };
      put({ ...record, ...found, ...own, compiled: file.diagnostics, candidate: known });
    },
    schemas: () => schemas,
    keepSchemas: (found) => {
      [schemas, isChanged] = [found, true];
    },
    findPair: (key) => {
      const pair = pairs.get(key);
      if (pair !== undefined && pair.used !== today) putPair({ ...pair, used: today });
      return pair;
    },
    keepPair: (pair) => putPair({ ...pair, used: today }),
    isChanged: () => isChanged,
    pack: () =>
      compact(
        { schemas, sources, files: [...files.values()], pairs: [...pairs.values()] },
        today - UNUSED_DAYS,
      ),
  };
}

function located({ file, hash }: Loaded): Pick<FileRecord, 'path' | 'hash'> {
  return { path: file, hash };
}

function textKey(path: string, hash: string): string {
  return `${hash} ${path}`;
}

function keyOf({ path, hash, sources }: Pick<FileRecord, 'path' | 'hash' | 'sources'>): string {
  return `${sources.join(',')} ${textKey(path, hash)}`;
}

function isKnown(record: FileRecord, needed: readonly FindingsOf[]): boolean {
  return record.candidate === undefined || needed.every((each) => record[each] !== undefined);
}

function asLoaded(
  { path, hash, sources: positions, compiled, candidate }: FileRecord,
  sources: readonly SourceFile[],
): Loaded {
  return {
    file: path,
    stamp: '',
    hash,
    candidate: candidate && restore(candidate),
    diagnostics: compiled,
    dependencies: positions.flatMap((at) => sources[at] ?? []),
  };
}

/** Gives equal sources one position: many files include the same ones. */
function createSources(before: readonly SourceFile[]): {
  readonly sources: readonly SourceFile[];
  readonly positionOf: (source: SourceFile) => number;
} {
  const sources = [...before];
  const known = new Map(sources.map((source, position) => [identity(source), position]));
  return {
    sources,
    positionOf: (source) => {
      const key = identity(source);
      const position = known.get(key) ?? sources.push(source) - 1;
      known.set(key, position);
      return position;
    },
  };
}

function identity({ name, path, text, problem }: SourceFile): string {
  return JSON.stringify([name, path, text, problem]);
}

/** Leaves out what was last used before a day, and sources that none of the other files includes. */
function compact({ schemas, sources, files, pairs }: Pack, since: number): Pack {
  const used = files.filter((file) => file.used >= since);
  const positions = [...new Set(used.flatMap((file) => file.sources))];
  const moved = new Map(positions.map((at, position) => [at, position]));
  return {
    schemas,
    pairs: pairs.filter((pair) => pair.used >= since),
    sources: positions
      .flatMap((at) => sources[at] ?? [])
      .map(({ name, path, text, problem }) => ({ name, path, text, problem })),
    files: used.map((file) => ({ ...file, sources: file.sources.flatMap((at) => moved.get(at) ?? []) })),
  };
}

function ignore(): void {}
