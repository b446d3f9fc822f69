// `millrace new`: creates an endpoint file, from a template or an existing query.
import { withSuggestion } from '../../../sql/base/nearest.ts';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { createCompile } from '../../../service/endpoints/compile.ts';
import { listFiles, loadFiles } from '../../../service/endpoints/load.ts';
import { formatYaml } from '../../../service/config/format-yaml.ts';
import type { Converted } from '../../../service/config/generated/endpoint.ts';
import { readText } from '../../../service/config/read-text.ts';
import { MAX_DOCUMENT_BYTES } from '../../../service/config/yaml-document.ts';
import { writeYaml } from '../../../service/config/yaml-edit.ts';
import { significantTokens } from '../../../sql/clickhouse/cursor.ts';
import { outlineQuery } from '../../../sql/clickhouse/outline.ts';
import { CommandError } from '../../kit/command-error.ts';
import { convertedKey, type ConvertedSource } from '../converted-source.ts';
import { ANY_KEY } from '../../kit/endpoint-files.ts';
import { packagePath } from '../../../service/config/package-files.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { NewFile } from '../check-written.ts';
import { liftLiterals, type Lifted } from './lift.ts';
import { LOADING } from '../../kit/real-time.ts';
import { write } from '../../kit/write-file.ts';
import { pagedQuery, type PagedQuery } from './page.ts';

export interface NewOptions {
  readonly name: string;
  readonly folder: string;
  /** The query to start from, with its parameters; undefined: a placeholder. */
  readonly lifted: Lifted | undefined;
  /** The text that the query was converted from. */
  readonly source?: ConvertedSource | undefined;
  /** Divide the rows into pages by these keys; true: by the order of the query. Undefined: no pages. */
  readonly page?: string | true | undefined;
  /** Print the file instead of writing it. */
  readonly isPrinted: boolean;
}

const NAME = /^[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)*$/;
const PLACEHOLDER: Lifted = {
  query: 'SELECT\n  now() AS timestamp,\n  @project AS project',
  parameters: { project: { type: 'String', required: true, description: 'The project to query.' } },
  example: { project: 'abc' },
};

const PAGED_PLACEHOLDER: Lifted = {
  ...PLACEHOLDER,
  query: 'SELECT\n  number AS id,\n  @project AS project\nFROM numbers(1000)\nORDER BY id DESC',
};

/** Writes or prints the file, and returns it. Rejects with CommandError if the name is invalid or in use. */
export async function newEndpoint(options: NewOptions, terminal: Terminal): Promise<NewFile> {
  const { name, folder, isPrinted } = options;
  requireName(name);
  const { lifted, paged } = contentOf(options);
  const { source } = options;
  const converted = source && convertedKey(source, options.lifted?.query ?? '');
  const written = fileText(name, lifted, { ...(paged && { by: paged.by }), ...(converted && { converted }) });
  const text = formatYaml(schemaLine(folder) + written, 'endpoint');
  const path = join(folder, `${name}.yaml`);
  if (isPrinted) {
    terminal.write(text);
    return { path, text };
  }
  await requireFree(name, folder, path);
  await write(path, text, 'wx');
  terminal.note(`Wrote ${path}`);
  for (const [parameter, value] of Object.entries(options.lifted?.example ?? {}))
    terminal.note(
      `  @${parameter}: ${lifted.parameters[parameter]?.type ?? ''}, was ${JSON.stringify(value)}`,
    );
  terminal.note(
    `Next: npx --no-install millrace validate ${path}; npx --no-install millrace query ${name} ${pairs(lifted.example)}`.trimEnd(),
  );
  return { path, text };
}

/** Throws CommandError (exit 2) if there are no keys. */
function contentOf({ lifted, page }: NewOptions): { readonly lifted: Lifted; readonly paged?: PagedQuery } {
  if (page === undefined) return { lifted: lifted ?? PLACEHOLDER };
  const from = lifted ?? PAGED_PLACEHOLDER;
  const paged = pagedQuery(from.query, lifted === undefined ? true : page);
  return { lifted: { ...from, query: paged.query }, paged };
}

/** Throws CommandError for an invalid name of an endpoint. */
export function requireName(name: string): void {
  if (NAME.test(name) && name.length <= 100) return;
  const guess = name
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .replace(/\.+$/, '')
    .replace(/\.{2,}/g, '.')
    .slice(0, 100);
  throw new CommandError(
    withSuggestion(
      `Invalid endpoint name "${name}": use lowercase letters, digits, "_" or "-", in dot-separated segments, starting with a letter, at most 100 characters`,
      NAME.test(guess) ? guess : undefined,
    ),
    { exitCode: 2 },
  );
}

async function requireFree(name: string, folder: string, path: string): Promise<void> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere) throw new CommandError(`${path} already exists; choose another name or edit that file`);
  const paths = await listFiles(folder).catch(() => []);
  const { files } = await loadFiles(paths, new Map(), {
    compile: createCompile({ piiHashKey: ANY_KEY, engineSources: 'any' }),
    ...LOADING,
  });
  const taken = [...files.values()].find(({ candidate }) => candidate?.endpoint.name === name);
  if (taken !== undefined)
    throw new CommandError(`${taken.file} already has the name ${name}; choose another name`);
}

/** A query in ClickHouse SQL with parameters in place of its literals. Throws CommandError if the text is not one SELECT. */
export function liftQuery(sql: string): Lifted {
  const tokens = significantTokens(sql);
  const semicolon = tokens.findIndex(({ kind }) => kind === ';');
  if (semicolon !== -1 && semicolon < tokens.length - 1)
    throw new CommandError('The file contains several statements; an endpoint has one SELECT', {
      exitCode: 2,
    });
  const end = tokens.at(semicolon === -1 ? -1 : semicolon - 1)?.end ?? 0;
  if (end === 0) throw new CommandError('The file contains no query', { exitCode: 2 });
  const text = sql.slice(0, end);
  if (outlineQuery(text).findings.some(({ code }) => code.endsWith('not_select')))
    throw new CommandError(
      'The file does not contain a query: an endpoint is one SELECT, with or without a WITH clause',
      { exitCode: 2 },
    );
  const last = significantTokens(text);
  const [format, kind] = last.slice(-2);
  const isFormat =
    format !== undefined && /^format$/i.test(text.slice(format.start, format.end)) && kind?.kind === 'word';
  return liftLiterals((isFormat ? text.slice(0, format.start) : text).trim());
}

interface FileExtras {
  /** The keys of pages. */
  readonly by?: readonly string[];
  readonly converted?: Converted;
}

function fileText(
  name: string,
  { query, parameters, example }: Lifted,
  { by, converted }: FileExtras,
): string {
  const hasParameters = Object.keys(parameters).length > 0;
  const isCallable = Object.entries(parameters).every(([each, { required }]) => !required || each in example);
  return writeYaml({
    id: randomUUID(),
    name,
    description: `What ${name} returns, in one sentence for its consumers.`,
    query: `${query.replace(/[ \t]+$/gm, '')}\n`,
    ...(hasParameters ? { parameters } : {}),
    max_rows: 1000,
    ...(by === undefined ? {} : { page: { by: [...by], size: 100, max: 1000 } }),
    cache: 'disabled',
    sandbox: { enabled: false },
    ...(isCallable
      ? { examples: [{ name: 'a first call', ...(hasParameters ? { parameters: example } : {}) }] }
      : {}),
    ...(converted === undefined ? {} : { converted }),
  });
}

/** For editors: the repository's copy of the schema, otherwise the package's if that is inside this folder. */
function schemaLine(folder: string): string {
  const candidates = ['schemas', packagePath('schemas')];
  const found = candidates.find((path) => existsSync(path) && !relative('.', path).startsWith('..'));
  const path = relative(folder, found ?? 'schemas');
  return `# yaml-language-server: $schema=${path}/endpoint.schema.json\n`;
}

function pairs(example: Lifted['example']): string {
  return Object.entries(example)
    .map(
      ([name, value]) =>
        `${name}=${JSON.stringify(typeof value === 'object' ? JSON.stringify(value) : String(value))}`,
    )
    .join(' ');
}

/** The query in a file, or on standard input for `-`. */
export async function readSql(file: string): Promise<string> {
  const text = file === '-' ? readFile('/dev/stdin', 'utf8') : readText(file, MAX_DOCUMENT_BYTES);
  return text.catch((cause: unknown) => {
    throw new CommandError(`Cannot read ${relative('.', file)}`, { exitCode: 2, cause });
  });
}
