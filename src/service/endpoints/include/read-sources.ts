// Reads the files that endpoint files include: each once while a folder is loaded, and not again while its stamp is the same.
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OUTSIDE } from '../../config/leads-outside.ts';
import { readSettled } from '../../config/read-settled.ts';
import { MAX_DOCUMENT_BYTES } from '../../config/yaml-document.ts';
import type { SourceFile, Sources } from './sources.ts';

/** As last read from a disk. */
export interface StampedSource extends SourceFile {
  readonly stamp: string;
}

/** The files of one folder, as they are while it is loaded. */
export interface SourceReader {
  /** Those that have been read. */
  readonly known: Sources;
  /** Reads one; never rejects. */
  readonly read: (name: string) => Promise<SourceFile>;
  /** Returns whether all of them are as they were. */
  readonly areSame: (files: readonly SourceFile[]) => Promise<boolean>;
}

/** Creates readers of folders; `before` are files as they were read last, `stampOf` is the stamp of a path, if it is settled. */
export function createSourceReaders(
  before: Iterable<SourceFile>,
  stampOfPath: (path: string) => Promise<string | undefined>,
  leadsOutside: (path: string) => boolean = () => false,
): (path: string) => SourceReader {
  const previous = new Map([...before].map((file) => [file.path, file as StampedSource])); // read by such a reader
  const readers = new Map<string, SourceReader>();
  return (path) => {
    const folder = dirname(path);
    const found = readers.get(folder) ?? createReader(folder, previous, { stampOfPath, leadsOutside });
    readers.set(folder, found);
    return found;
  };
}

interface Paths {
  readonly stampOfPath: (path: string) => Promise<string | undefined>;
  readonly leadsOutside: (path: string) => boolean;
}

function createReader(
  folder: string,
  previous: ReadonlyMap<string, StampedSource>,
  { stampOfPath, leadsOutside }: Paths,
): SourceReader {
  const known = new Map<string, SourceFile>();
  const reading = new Map<string, Promise<SourceFile>>();
  const start = async (name: string): Promise<SourceFile> => {
    const path = join(folder, name);
    const before = previous.get(path);
    const stamp = await stampOfPath(path);
    const file =
      before !== undefined && stamp !== undefined && before.stamp === stamp
        ? before
        : {
            ...(leadsOutside(path) ? outside(path, name) : await readSource(path, name)),
            stamp: stamp ?? '',
          };
    known.set(name, file);
    return file;
  };
  const read: SourceReader['read'] = (name) => {
    const found = reading.get(name) ?? start(name);
    reading.set(name, found);
    return found;
  };
  return {
    known: (name) => known.get(name),
    read,
    areSame: async (files) => {
      const now = await Promise.all(files.map(({ name }) => read(name)));
      return files.every(
        ({ text, problem }, index) => now[index]?.text === text && now[index]?.problem === problem,
      );
    },
  };
}

function outside(path: string, name: string): SourceFile {
  return { name, path, text: undefined, problem: OUTSIDE };
}

async function readSource(path: string, name: string): Promise<SourceFile> {
  try {
    await stat(path);
    const { bytes } = await readSettled(path, MAX_DOCUMENT_BYTES);
    return { name, path, text: bytes.toString('utf8') };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // of the file system, or without a code
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    return { name, path, text: undefined, problem: isMissing ? undefined : message };
  }
}
