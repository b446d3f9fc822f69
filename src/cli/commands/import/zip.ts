// Reads zip archives in memory, with bounds on the number, size and compression of their entries.
import { fromBuffer, type Entry, type ZipFile } from 'yauzl';
import { type Budget, isExportFile, MAX_FILE_BYTES, spend } from './bounds.ts';

export interface ZipEntry {
  readonly path: string;
  readonly bytes: Buffer;
}

export interface Archive {
  readonly entries: readonly ZipEntry[];
  readonly problems: readonly string[];
}

/** Exports of text compress to a tenth; an archive that expands more than this is an attack. */
const MAX_RATIO = 200;
const MIN_BOMB_BYTES = 1_048_576;

/** The entries with a known extension, in the order of the archive. Archives inside it are not opened. */
export async function readZip(bytes: Buffer, budget: Budget): Promise<Archive> {
  const entries: ZipEntry[] = [];
  const problems: string[] = [];
  const zip = await open(bytes).catch((error: unknown) => `this is not a zip archive: ${messageOf(error)}`);
  if (typeof zip === 'string') return { entries, problems: [zip] };
  try {
    for (let entry = await next(zip); entry !== undefined; entry = await next(zip)) {
      if (--budget.files < 0) return { entries, problems: [...problems, 'the archive has too many entries'] };
      if (!isExportFile(entry.fileName)) continue;
      if (/\.zip$/i.test(entry.fileName)) {
        problems.push(`${entry.fileName}: an archive in the archive is not opened`);
        continue;
      }
      const problem = obstacleOf(entry);
      if (problem !== undefined) {
        problems.push(`${entry.fileName}: ${problem}`);
        continue;
      }
      spend(budget, entry.uncompressedSize);
      entries.push({ path: entry.fileName, bytes: await contentOf(zip, entry) });
    }
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'CommandError') throw error;
    problems.push(`the archive is malformed: ${error.message}`);
  } finally {
    zip.close();
  }
  return { entries, problems };
}

function obstacleOf({ uncompressedSize, compressedSize, generalPurposeBitFlag }: Entry): string | undefined {
  if ((generalPurposeBitFlag & 1) === 1) return 'the entry is encrypted';
  if (uncompressedSize > MAX_FILE_BYTES) return `the entry is larger than ${MAX_FILE_BYTES / 1_048_576} MiB`;
  const isBomb = uncompressedSize > MIN_BOMB_BYTES && uncompressedSize > compressedSize * MAX_RATIO;
  return isBomb ? `the entry expands more than ${MAX_RATIO} times` : undefined;
}

/** Names with `..`, absolute names and backslashes are errors of the archive. */
function open(bytes: Buffer): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true, strictFileNames: true, validateEntrySizes: true }, (error, zip) =>
      error === null ? resolve(zip) : reject(error),
    );
  });
}

/** The next entry; undefined at the end. */
function next(zip: ZipFile): Promise<Entry | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      zip.removeAllListeners('entry').removeAllListeners('end').removeAllListeners('error');
      end();
    };
    zip.once('entry', (entry: Entry) => settle(() => resolve(entry)));
    zip.once('end', () => settle(() => resolve(undefined)));
    zip.once('error', (error: Error) => settle(() => reject(error)));
    zip.readEntry();
  });
}

/** The library ends the stream with an error if it has more bytes than the entry declares. */
function contentOf(zip: ZipFile, entry: Entry): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => {
      if (error !== null) return reject(error);
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', reject);
      stream.on('end', () => resolve(Buffer.concat(chunks)));
    });
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
