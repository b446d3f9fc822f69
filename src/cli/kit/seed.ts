// Fills an embedded engine that has no tables: with the seeds or, without seeds, with the tables of the schema folder.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { leadsOutside } from '../../service/config/leads-outside.ts';
import type { Settings } from '../../service/config/settings.ts';
import { loadSeeds, SeedError } from '../../service/engine/seeds.ts';
import { recoverLoads } from '../../service/loading/journal.ts';
import { visible } from '../../service/observe/visible-text.ts';
import { CommandError } from './command-error.ts';
import { existingSchema } from './schema-options.ts';
import type { Terminal } from './terminal.ts';
import { createSchemaTables } from './schema-tables.ts';
import { isOutdated, signatureOfSources, writeTablesState } from './tables-state.ts';

/** Loads the seeds if the database is empty, showing the current file; without seeds, the tables of the schema folder. */
export async function seed(
  engine: Parameters<typeof loadSeeds>[0],
  settings: Settings,
  terminal: Terminal,
  again = false,
): Promise<void> {
  await recoverLoads(engine, settings.data);
  const started = performance.now();
  const outcome = await loadSeeds(engine, {
    folder: settings.seeds,
    dataFolder: settings.data,
    engineSources: settings.engineSources,
    again,
    onProgress: ({ file, index, count }) =>
      terminal.progress(`Loading sample data ${index + 1}/${count}: ${file}`),
    onChanged: (files) =>
      terminal.note(
        `${files.map((file) => join(settings.seeds, file)).join(', ')}: new or changed since the data in ${settings.data}/ was loaded. To load all seeds again, run: millrace seed`,
      ),
  }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return 'no_files' as const;
    terminal.progress('');
    throw seedFailure(cause, settings);
  });
  terminal.progress('');
  if (outcome === 'loaded') await noteUnread(settings.seeds, terminal);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (outcome === 'loaded') {
    terminal.note(`Loaded the seeds from ${settings.seeds}/ into ${settings.data}/ in ${seconds} s`);
    const schema = existingSchema({}, settings, { env: {} })?.path;
    if (schema !== undefined && schema !== settings.seeds)
      terminal.note(
        `The tables of ${schema}/ were not created: those of ${settings.seeds}/ are used. To use ${schema}/, remove ${settings.seeds}/ and run: millrace seed`,
      );
  }
  if (outcome === 'unfinished')
    terminal.note(
      'The last millrace seed did not end: tables may be incomplete. To load all seeds again, run: millrace seed',
    );
  const isWhole =
    outcome === 'no_files'
      ? await createSchemaTables(engine, settings, terminal)
      : outcome === 'loaded' || undefined;
  if (isWhole !== undefined)
    await writeTablesState(settings, { signature: await signatureOfSources(settings), isWhole });
  else if (outcome === 'no_files' && (await isOutdated(settings)))
    terminal.note(
      `The schema or the fixtures have changed since the tables in ${settings.data}/ were created. To create them again, run: millrace seed`,
    );
}

/** Prints which files of the folder hold rows or statements that are not read. */
async function noteUnread(folder: string, terminal: Terminal): Promise<void> {
  const names = await readdir(folder);
  const unread = names.filter((name) => /\.(?:csv|tsv|json|jsonl|ndjson|parquet|ddl|gz|zst)$/i.test(name));
  if (unread.length === 0) return;
  const paths = unread.toSorted().map((name) => join(folder, name));
  terminal.note(
    visible(`Not read, since seeds are *.sql files: ${paths.join(', ')}. To load rows, run: millrace load`),
  );
}

/** Characters of a failed statement and of the engine's message that are shown. */
const MAX_SHOWN = 300;

export function seedFailure(cause: Error, { seeds, data }: Settings): CommandError {
  if (!(cause instanceof SeedError)) {
    return new CommandError(`Cannot load the seeds in ${seeds}: ${cause.message}`, { cause });
  }
  const { file, line, statement, isUndone } = cause;
  const place = join(seeds, file) + (line === 0 ? '' : `:${line}`);
  const reason = cause.message.replace(/^(?:(?:Code: \d+\. )?DB::Exception: )+/, '');
  const isQuoted = !leadsOutside(join(seeds, file)); // the engine's message quotes the statement as well
  const shown = isQuoted
    ? oneLine(reason)
    : 'an error that is not quoted, since the link leads out of its folder';
  const details = [
    ...(statement === '' || !isQuoted ? [] : [`statement: ${oneLine(statement)}`]),
    isUndone
      ? `Nothing was loaded into ${data}/. Correct the file and start again`
      : `Tables in ${data}/ may be incomplete. Correct the file and run: millrace seed`,
  ];
  return new CommandError(`Cannot load the seeds: ${place}: ${shown}`, { cause, details });
}

function oneLine(text: string): string {
  const line = visible(text.replace(/\s+/g, ' ').trim());
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1)}…` : line;
}
