// `millrace types`: writes the TypeScript module of the endpoints, with row types from the engine.
import { readFile } from 'node:fs/promises';
import type { Catalog } from '../../../service/endpoints/catalog.ts';
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import { nearest, withSuggestion } from '../../../sql/base/nearest.ts';
import type { EngineSources } from '../../../sql/clickhouse/outside-sources.ts';
import { visibleJson, visibleLines } from '../../../service/observe/visible-text.ts';
import { CommandError } from '../../kit/command-error.ts';
import { readEndpoints } from '../../kit/endpoint-files.ts';
import { count } from '../../findings/findings.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { WithTables } from '../../kit/schema-engine.ts';
import { typesModule } from './module.ts';
import { write } from '../../kit/write-file.ts';
import { typedOf, toTyped } from './typed-endpoints.ts';

export interface TypesOptions {
  readonly folder: string;
  readonly engineSources: EngineSources;
  /** Names of endpoints; empty: all. */
  readonly names: readonly string[];
  readonly headerPrefix: string;
  /** Path of the module; undefined: standard output. */
  readonly out: string | undefined;
  /** Change nothing, and fail if the file is out of date. */
  readonly isCheck: boolean;
  /** Provides an engine that has the tables; undefined: rows are not typed. */
  readonly withEngine: WithTables | undefined;
}

/** Prints or writes the module; with `isCheck`, returns 1 if it is out of date. */
export async function types(options: TypesOptions, terminal: Terminal): Promise<0 | 1> {
  const { out, isCheck, withEngine, headerPrefix } = options;
  const catalog = await readEndpoints(options.folder, options.engineSources);
  const endpoints = endpointsOf(catalog, options);
  const typed =
    withEngine === undefined
      ? endpoints.map((endpoint) => toTyped(catalog, endpoint, undefined))
      : await withEngine((engine) => typedOf(engine, catalog, endpoints));
  const unknown = typed.filter(({ rows }) => rows === undefined).map(({ address }) => address);
  if (unknown.length > 0)
    terminal.note(`No row types for ${unknown.join(', ')}: their tables are unknown (see --schema)`);
  // The escapes are those of TypeScript.
  const text = visibleLines(visibleJson(typesModule(typed, headerPrefix)));
  if (out === undefined) {
    terminal.write(text);
    return 0;
  }
  const current = await readFile(out, 'utf8').catch(() => undefined);
  if (isCheck) {
    if (current === text) return 0;
    terminal.note(`${out} is out of date; run millrace types --out ${out}`);
    return 1;
  }
  if (current !== text) await write(out, text);
  terminal.note(`${current === text ? 'Unchanged' : 'Wrote'} ${out}: ${count(typed.length, 'endpoint')}`);
  return 0;
}

function endpointsOf({ all }: Catalog, { names }: TypesOptions): readonly Endpoint[] {
  const known = all.map(({ name }) => name);
  for (const name of names) {
    if (known.includes(name)) continue;
    throw new CommandError(withSuggestion(`There is no endpoint "${name}"`, nearest(name, known)), {
      exitCode: 2,
    });
  }
  return all.filter(({ name }) => names.length === 0 || names.includes(name));
}
