// `millrace exposure`: prints what endpoints expose, for those who write and review them.
import { jsonText } from '../../../service/observe/visible-text.ts';
import { createReadTokens } from '../../../service/auth/tokens-file.ts';
import { keysFor, readExposure, type ListedExposure } from '../../compare/exposure.ts';
import type { Token } from '../../../service/config/generated/tokens.ts';
import { CommandError } from '../../kit/command-error.ts';
import { count } from '../../findings/findings.ts';
import type { WithTables } from '../../kit/schema-engine.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { linesOf } from './print.ts';
import { inspectAll, type InspectedPaths } from './inspect-files.ts';

export interface ExposureOptions extends InspectedPaths {
  readonly format: 'human' | 'json';
  /** The tokens file, if one is set. */
  readonly tokens: string | undefined;
  readonly withTables: WithTables;
}

/** Prints the endpoints by name. Rejects with CommandError if a file has errors. */
export async function exposure(options: ExposureOptions, terminal: Terminal): Promise<void> {
  const files = await inspectAll(options);
  const tokens = await readKeys(options.tokens);
  const listed = await options.withTables(async (engine) => {
    const all: ListedExposure[] = [];
    for (const file of files) {
      terminal.progress(`Analysing ${all.length + 1} of ${count(files.length, 'endpoint')}`);
      const keys = tokens && keysFor(file.candidate.endpoint, tokens);
      all.push({ ...(await readExposure(engine, file, options.tenancy)), keys });
    }
    return all;
  });
  terminal.progress('');
  if (options.format === 'json') return terminal.write(jsonText({ endpoints: listed.map(exposureJson) }));
  for (const [index, each] of listed.entries()) {
    if (index > 0) terminal.print('');
    for (const line of linesOf(each, terminal.paint)) terminal.print(line);
  }
}

/** The keys of the tokens file; undefined: there is none. Rejects with CommandError. */
export async function readKeys(path: string | undefined): Promise<readonly Token[] | undefined> {
  if (path === undefined) return undefined;
  const read = await createReadTokens()(path);
  if (read.kind === 'read') return read.tokens;
  if (read.kind === 'missing') return undefined;
  throw new CommandError(`The tokens file ${path} has errors; run millrace validate`);
}

/** As JSON has it: without ids of the engine's tree. */
export function exposureJson({ queries, ...rest }: ListedExposure): unknown {
  return {
    ...rest,
    queries: queries.map((query) => ({
      ...query,
      columns: query.columns.map(({ from, ...column }) => ({
        ...column,
        from: from.map(({ table, column: stored, kind }) => ({ table, column: stored, kind })),
      })),
    })),
  };
}
