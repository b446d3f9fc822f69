// `millrace load`: files of rows into a table of the embedded engine, directly or through the service that has its data open.
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { Settings } from '../../../service/config/settings.ts';
import { engineFolder, ownerOf } from '../../../service/engine/embedded/open-error.ts';
import { createLoad, type LoadFormat, type LoadRequest } from '../../../service/loading/load.ts';
import type { LoadEvent } from '../../../service/loading/load-event.ts';
import { CommandError } from '../../kit/command-error.ts';
import type { OpenEngine } from '../../kit/dependencies.ts';
import { seed } from '../../kit/seed.ts';
import { openEngineOrExplain } from '../../kit/open-engine.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { openRejects, type Rejects } from './rejects.ts';
import { openSource, type LoadSource } from './source.ts';
import { adminOf, loadThroughService } from './through-service.ts';

export interface LoadOptions {
  readonly settings: Settings;
  readonly files: readonly string[];
  readonly table: string;
  readonly format: LoadFormat | undefined;
  /** Where bad rows go; undefined: the first one fails its file. */
  readonly rejects: string | undefined;
  readonly again: boolean;
}

export interface LoadCommandDeps {
  readonly openEngine: OpenEngine;
  readonly terminal: Terminal;
  readonly input: Readable;
  /** Milliseconds since 1970, and a monotonic clock. */
  readonly now: () => Date;
  readonly monotonic: () => number;
}

type Load = (request: LoadRequest) => AsyncGenerator<LoadEvent>;

/** Loads the files in order. Rejects with CommandError at the first one that fails: those before it are loaded. */
export async function load(options: LoadOptions, deps: LoadCommandDeps): Promise<void> {
  const { files, format } = options;
  if (files.filter((file) => file === '-').length > 1)
    throw new CommandError('Standard input (-) can be read once', { exitCode: 2 });
  const sources: LoadSource[] = [];
  for (const file of files) sources.push(await openSource(file, format, deps.input));
  if (options.rejects !== undefined && sources.some((source) => source.format === 'parquet'))
    throw new CommandError(
      'A Parquet file is loaded whole or not at all: its values have types, and no lines. Leave out --rejects, or convert it to NDJSON',
      { exitCode: 2 },
    );
  const rejects = options.rejects === undefined ? undefined : await openRejects(options.rejects);
  try {
    await withLoad(options, deps, async (run) => {
      for (const source of sources) await loadSource(source, run, { options, deps, rejects });
    });
  } finally {
    await rejects?.close();
  }
}

/** Through the service, if one has the data folder. */
async function withLoad(
  { settings }: LoadOptions,
  { openEngine, terminal, now }: LoadCommandDeps,
  use: (load: Load) => Promise<void>,
): Promise<void> {
  const owner = ownerOf(engineFolder(settings.data));
  if (owner !== undefined) {
    const admin = await adminOf(settings.data, owner);
    return use((request) => loadThroughService(admin, request));
  }
  const engine = await openEngineOrExplain(openEngine, settings, () => undefined);
  try {
    await seed(engine, settings, terminal);
    await use(createLoad({ engine, dataFolder: resolve(settings.data), now }));
  } finally {
    await engine.close(0);
  }
}

interface LoadRun {
  readonly options: LoadOptions;
  readonly deps: LoadCommandDeps;
  readonly rejects: Rejects | undefined;
}

async function loadSource(source: LoadSource, run: Load, { options, deps, rejects }: LoadRun): Promise<void> {
  const { terminal, monotonic } = deps;
  const started = monotonic();
  const { table, again } = options;
  const { name, format } = source;
  const request = { table, name, format, bytes: source.bytes(), keepsGoodRows: rejects !== undefined, again };
  for await (const event of run(request)) {
    switch (event.kind) {
      case 'note':
        terminal.note(event.text);
        break;
      case 'progress':
        terminal.progress(progressText(source, event));
        break;
      case 'bad_row':
        await rejects?.add(name, event);
        break;
      case 'failed':
        terminal.progress('');
        throw failed(name, event);
      case 'already_loaded':
        terminal.progress('');
        terminal.print(
          `${name} is in ${table} already: ${rowsOf(event.rows)}, loaded at ${event.at}. To load it again, add --again`,
        );
        break;
      case 'loaded': {
        terminal.progress('');
        const seconds = ((monotonic() - started) / 1000).toFixed(1);
        const bad =
          event.rejected === 0
            ? ''
            : `; ${rowsOf(event.rejected, 'bad ')} ${event.rejected === 1 ? 'is' : 'are'} in ${options.rejects ?? ''}`;
        terminal.print(`Loaded ${rowsOf(event.rows)} of ${name} into ${table} in ${seconds} s${bad}`);
      }
    }
  }
}

function rowsOf(count: number, kind = ''): string {
  return `${count} ${kind}${count === 1 ? 'row' : 'rows'}`;
}

function failed(name: string, { line, message, hint }: Extract<LoadEvent, { kind: 'failed' }>): CommandError {
  const place = line === undefined ? name : `${name}:${line}`;
  const details = [...(hint === undefined ? [] : [hint]), `Nothing of ${name} was loaded`];
  return new CommandError(`${place}: ${message}`, { details });
}

function progressText(
  { name, size, consumed }: LoadSource,
  { phase, rows }: Extract<LoadEvent, { kind: 'progress' }>,
): string {
  if (phase === 'adding') return `Loading ${name}: ${rows} rows added to the table`;
  const read = mebibytes(consumed());
  return `Loading ${name}: ${rows} rows read, ${size === undefined ? read : `${read} of ${mebibytes(size)}`} MiB`;
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}
