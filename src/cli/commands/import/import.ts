// `millrace import`: queries of another tool's export as endpoint files, proved on the engine before they are written.
import { MAX_QUERIES, type ReadExport } from '../../convert/export/foreign-query.ts';
import { readExport } from '../../convert/export/read-export.ts';
import { CommandError } from '../../kit/command-error.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { readExportFiles } from './export-files.ts';
import { make } from './make.ts';
import { reportOf } from './made.ts';
import type { ImportOptions } from './options.ts';
import { isComplete } from './report.ts';

/** Resolves to the exit code: 1 if an item is not converted completely. Rejects with CommandError (exit 2) if there is none. */
export async function importExport(options: ImportOptions, terminal: Terminal): Promise<number> {
  const { files, problems } = await readExportFiles(options.path);
  const read = readExport(files, options.from);
  const found = { ...read, problems: [...problems, ...read.problems] };
  if (found.queries.length + found.tables.length + found.others.length === 0)
    throw nothingFound(options, found);
  if (found.queries.length > MAX_QUERIES)
    throw new CommandError(
      `The export has ${found.queries.length} queries, more than ${MAX_QUERIES}: import parts of it`,
    );
  const report = await options.withEngine(async (on) => {
    const made = await make(found, { options, on, terminal });
    return reportOf(found, made, options, terminal);
  });
  await options.print(report, terminal);
  return isComplete(report) ? 0 : 1;
}

function nothingFound({ path, from }: ImportOptions, { problems }: ReadExport): CommandError {
  const [first] = problems;
  const reason = first === undefined ? '' : `. ${first.file}:${first.line}: ${first.message}`;
  const what = from === undefined ? 'an export of a supported tool' : `an export of ${from}`;
  return new CommandError(`No queries found in ${path}: this is not ${what}${reason}`, { exitCode: 2 });
}
