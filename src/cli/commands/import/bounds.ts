// How much of an export is read.
import { extname } from 'node:path';
import { CommandError } from '../../kit/command-error.ts';

export const MAX_FILES = 20_000;
export const MAX_FILE_BYTES = 32 * 1024 * 1024;
export const MAX_TOTAL_BYTES = 256 * 1024 * 1024;

const EXTENSIONS: ReadonlySet<string> = new Set([
  '.yaml',
  '.yml',
  '.json',
  '.sql',
  '.pipe',
  '.datasource',
  '.zip',
]);

/** What may still be read. */
export interface Budget {
  bytes: number;
  files: number;
}

/** Throws CommandError if the export is larger than is read. */
export function spend(budget: Budget, bytes: number): void {
  budget.bytes -= bytes;
  if (budget.bytes < 0)
    throw new CommandError(
      `The export is larger than ${MAX_TOTAL_BYTES / 1_048_576} MiB: import parts of it`,
    );
}

/** Rows and calls of tests: such files elsewhere are data. */
const OF_TESTS =
  /(^|[\\/])(?:fixtures|tests|(?:seeds|data)(?:[\\/].*)?)[\\/][^\\/]+\.(?:ndjson|csv|test|test\.result)$/i;

/** Returns whether a file can be part of an export, by its extension, or by its folder. */
export function isExportFile(path: string): boolean {
  return EXTENSIONS.has(extname(path).toLowerCase()) || OF_TESTS.test(path);
}
