// `millrace schema pull`: writes the definitions of a server's tables into the schema folder, or compares them.
import { visible } from '../../../service/observe/visible-text.ts';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../../service/config/replace-file.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { definitionFile } from '../../schema/definition-file.ts';
import { keyOf } from '../../../sql/definition/qualified-name.ts';
import { count } from '../../findings/findings.ts';
import { measure, type MeasureOptions } from './measure.ts';
import { reachedFrom, readServerSchema, type Reached, type ServerSchema } from './server-schema.ts';
import { queriesIn } from './endpoint-queries.ts';
import { type PullDeps, writtenFiles, printDifference } from './written-files.ts';

export interface PullOptions {
  readonly endpoints: string;
  /** The folder that is written. */
  readonly out: string;
  /** Change nothing, and report differences. */
  readonly isCheck: boolean;
  /** Everything, rather than what endpoints read: of this database, or of all. */
  readonly all: { readonly database: string | undefined } | undefined;
  /** The sizes of the tables are measured with this; undefined means that they are not. */
  readonly measured: Pick<MeasureOptions, 'tenancy'> | undefined;
}

/** Resolves to 1 if a table that an endpoint names is missing or, with `isCheck`, if anything differs. */
export async function pull(engine: Engine, options: PullOptions, deps: PullDeps): Promise<0 | 1> {
  const { out, isCheck } = options;
  const { terminal } = deps;
  const schema = await readServerSchema(engine);
  const { definitions, missing } = await wanted(engine, schema, options);
  for (const name of missing)
    terminal.note(visible(`${name} is read by an endpoint, and is not on the server`));
  const files = definitions.map(definitionFile);
  const present = await writtenFiles(out);
  const changed = files.filter(({ path, text }) => present.get(path) !== text);
  const names = new Set(files.map(({ path }) => path));
  const removed = [...present].filter(([path]) => !names.has(path)).map(([path]) => path);
  if (isCheck) {
    const texts = [...changed, ...removed.map((path) => ({ path, text: '' }))];
    for (const file of texts) await printDifference(file, present.get(file.path) ?? '', { out, ...deps });
    terminal.note(`${count(files.length, 'definition')}, ${texts.length} different on the server`);
    return texts.length > 0 || missing.length > 0 ? 1 : 0;
  }
  for (const { path, text } of changed) {
    await mkdir(dirname(join(out, path)), { recursive: true });
    await replaceFile(join(out, path), text, 0o644);
    terminal.print(`${present.has(path) ? 'changed' : 'added'} ${join(out, path)}`);
  }
  for (const path of removed) {
    await rm(join(out, path));
    terminal.print(`removed ${join(out, path)}: it is not on the server, or not read by an endpoint`);
  }
  terminal.note(`${count(files.length, 'definition')}, ${changed.length} written, ${removed.length} removed`);
  if (options.measured !== undefined) {
    const { endpoints } = options;
    const tables = new Set(definitions.map(keyOf));
    await measure(engine, { ...options.measured, endpoints, out, tables }, terminal);
  }
  return missing.length > 0 ? 1 : 0;
}

async function wanted(
  engine: Engine,
  schema: ServerSchema,
  { all, endpoints }: PullOptions,
): Promise<Reached> {
  if (all === undefined) return reachedFrom(engine, schema, await queriesIn(endpoints));
  const { database } = all;
  const definitions = [...schema.tables.values(), ...schema.functions.values()];
  const isWanted = (of: string): boolean => database === undefined || of === database;
  return { definitions: definitions.filter((each) => isWanted(each.database)), missing: [] };
}
