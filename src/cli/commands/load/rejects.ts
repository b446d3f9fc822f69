// The file of rows that were not loaded: one JSON object a line, with the file, the line, the reason and the row itself.
import { open, rm, type FileHandle } from 'node:fs/promises';
import type { ReportedRow } from '../../../service/loading/load-event.ts';
import { CommandError } from '../../kit/command-error.ts';

export interface Rejects {
  readonly add: (file: string, row: ReportedRow) => Promise<void>;
  /** Removes the file again if no row was added. */
  close(): Promise<void>;
}

/** Creates the file; an existing one is never overwritten. Rejects with CommandError, or with the error of the file system. */
export async function openRejects(path: string): Promise<Rejects> {
  const file: FileHandle = await open(path, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause;
    throw new CommandError(`${path} exists already; name another file with --rejects`, {
      exitCode: 2,
      cause,
    });
  });
  let isEmpty = true;
  return {
    add: async (name, { line, reason, row, row_base64 }) => {
      isEmpty = false;
      await file.appendFile(`${JSON.stringify({ file: name, line, reason, row, row_base64 })}\n`);
    },
    close: async () => {
      await file.close();
      if (isEmpty) await rm(path);
    },
  };
}
