// `millrace new`: creates an endpoint file, from a template or an existing query.
import { join } from 'node:path';
import { formatYaml } from '../../yaml/format-yaml.ts';
import { convertedKey, type ConvertedSource } from '../converted-source.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { NewFile } from '../check-written.ts';
import type { Lifted } from './lift.ts';
import { write } from '../../kit/write-file.ts';
import { pagedQuery, type PagedQuery } from './page.ts';
import { fileText, schemaLine } from './file-text.ts';
import { requireName, requireFree } from './name.ts';

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

function pairs(example: Lifted['example']): string {
  return Object.entries(example)
    .map(
      ([name, value]) =>
        `${name}=${JSON.stringify(typeof value === 'object' ? JSON.stringify(value) : String(value))}`,
    )
    .join(' ');
}
