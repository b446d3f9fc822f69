// `millrace exposure`: prints what endpoints expose, for those who write and review them.
import { jsonText } from '../../../service/observe/visible-text.ts';
import { createReadTokens } from '../../../service/auth/tokens-file.ts';
import { createInspect, type CompileFile, type InspectedFile } from '../../../service/endpoints/compile.ts';
import { keysFor, readExposure, type ListedExposure } from '../../compare/exposure.ts';
import { isBroken, loadFiles } from '../../../service/endpoints/load.ts';
import type { TenancySetting } from '../../../service/endpoints/tenancy.ts';
import type { Token } from '../../../service/config/generated/tokens.ts';
import type { EngineSources } from '../../../sql/clickhouse/outside-sources.ts';
import { CommandError } from '../../kit/command-error.ts';
import { ANY_KEY, expandPaths } from '../../kit/endpoint-files.ts';
import { count } from '../../findings/findings.ts';
import { LOADING } from '../../kit/real-time.ts';
import type { WithTables } from '../../kit/schema-engine.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { linesOf } from './print.ts';

export interface ExposureOptions {
  /** Files and folders. */
  readonly paths: readonly string[];
  readonly format: 'human' | 'json';
  /** The tokens file, if one is set. */
  readonly tokens: string | undefined;
  readonly tenancy: TenancySetting;
  readonly engineSources: EngineSources;
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

async function inspectAll({
  paths,
  tenancy,
  engineSources,
}: ExposureOptions): Promise<readonly InspectedFile[]> {
  const inspect = createInspect({ piiHashKey: ANY_KEY, tenancy, engineSources });
  const inspected: InspectedFile[] = [];
  const compile: CompileFile = (path, text, sources) => {
    const { inspected: file, ...rest } = inspect(path, text, sources);
    if (file !== undefined) inspected.push(file);
    return { candidate: file?.candidate, ...rest };
  };
  const { files } = await loadFiles(await expandPaths(paths), new Map(), { compile, ...LOADING });
  const broken = [...files.values()].filter(isBroken);
  if (broken.length > 0)
    throw new CommandError(`Errors in ${broken.map(({ file }) => file).join(', ')}; run millrace validate`);
  return inspected.toSorted((a, b) => (a.candidate.endpoint.name < b.candidate.endpoint.name ? -1 : 1));
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
