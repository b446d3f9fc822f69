// Writes converted queries as endpoint files, and tables as definitions. Nothing is overwritten unless that is asked for.
import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConvertedParameter } from '../../dialects/conversion.ts';
import { formatYaml } from '../../config/format-yaml.ts';
import { readTextSync } from '../../config/read-text.ts';
import { MAX_DOCUMENT_BYTES, parseYaml } from '../../config/yaml-document.ts';
import { writeYaml } from '../../config/yaml-edit.ts';
import { CommandError } from '../command-error.ts';
import { convertedKey } from '../converted-source.ts';
import type { ConvertedQuery } from './convert-query.ts';
import { member, textOf } from '../../convert/export/document.ts';
import type { TableDefinition } from '../../convert/export/foreign-query.ts';
import { printable } from './printable.ts';

export interface WriteSettings {
  readonly endpoints: string;
  readonly schema: string;
  /** The database of tables that queries name without one. */
  readonly database: string | undefined;
  /** Overwrite files that exist. */
  readonly isForced: boolean;
  /** The first line, for editors. */
  readonly schemaLine: string;
}

export type Written = 'written' | 'overwritten' | 'skipped';

/** Writes one file. `skipped` if it exists and is not to be overwritten. */
export async function writeEndpoint(
  name: string,
  { query, dialect, sql, parameters }: ConvertedQuery & { readonly sql: string },
  { endpoints, isForced, schemaLine, database }: WriteSettings,
): Promise<Written> {
  const path = join(endpoints, `${name}.yaml`);
  const id = isForced ? (idOf(path) ?? randomUUID()) : randomUUID();
  const description = (query.description ?? query.title).replace(/\r\n?/g, '\n').trim().slice(0, 4000);
  const declared = Object.fromEntries(
    parameters.map((parameter) => [parameter.name, declarationOf(parameter)]),
  );
  const values = parameters.flatMap(({ name: each, example, required, default: fallback }) => {
    const value = example ?? (required ? undefined : fallback);
    return value === undefined || (Array.isArray(value) && value.length === 0)
      ? []
      : [[each, value] as const];
  });
  const { tool: exported, template, declarations } = query;
  const tool = template ?? exported;
  const source =
    dialect === undefined || dialect === 'clickhouse'
      ? undefined
      : { dialect, sql: query.sql, tool, database, declarations };
  const isCallable = parameters.every((each) => !each.required || each.example !== undefined);
  const document = {
    id,
    name,
    description,
    query: `${printable(sql)}\n`,
    ...(parameters.length === 0 ? {} : { parameters: declared }),
    max_rows: 10_000,
    cache: 'disabled',
    sandbox: { enabled: false },
    ...(isCallable
      ? {
          examples: [
            {
              name: 'a first call',
              ...(values.length === 0 ? {} : { parameters: Object.fromEntries(values) }),
            },
          ],
        }
      : {}),
    ...(source === undefined ? {} : { converted: convertedKey(source, printable(sql)) }),
  };
  return writeNew(path, formatYaml(schemaLine + writeYaml(document), 'endpoint'), isForced);
}

function declarationOf(parameter: ConvertedParameter): object {
  const { name: _, isTypeGuessed: __, example: ___, required, ...rest } = parameter;
  return required ? { ...rest, required } : rest;
}

/** The identifier of an endpoint file, which stays if the file is overwritten. */
function idOf(path: string): string | undefined {
  const text = readTextSync(path, MAX_DOCUMENT_BYTES);
  const parsed = text === undefined ? undefined : parseYaml(path, text);
  return parsed !== undefined && 'document' in parsed ? textOf(parsed.document.value, 'id') : undefined;
}

export function writeTable(
  { name, sql }: TableDefinition,
  { schema, isForced }: WriteSettings,
): Promise<Written> {
  return writeNew(join(schema, `${name}.sql`), sql, isForced);
}

async function writeNew(path: string, text: string, isForced: boolean): Promise<Written> {
  await mkdir(join(path, '..'), { recursive: true });
  try {
    await writeFile(path, text, { flag: 'wx' });
    return 'written';
  } catch (error) {
    if (member(error, 'code') !== 'EEXIST') throw new CommandError(`Cannot write ${path}`, { cause: error });
    if (!isForced) return 'skipped';
    await writeFile(path, text).catch((cause: unknown) => {
      throw new CommandError(`Cannot write ${path}`, { cause });
    });
    return 'overwritten';
  }
}
