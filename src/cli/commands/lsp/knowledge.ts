// What is known about a file when an editor asks: its parameters, the tables that its SQL can name, and the parts that it includes.
import { createDescribe } from '../../../service/endpoints/describe.ts';
import type { InspectedFile } from '../../../service/endpoints/compile.ts';
import type { SourceFile } from '../../../service/endpoints/include/sources.ts';
import { parseYaml, type YamlDocument } from '../../../service/config/yaml-document.ts';
import type { Column } from '../../../service/engine/engine.ts';
import { NO_NAMES, type Names } from './names.ts';
import { entriesOf, memberOf } from './query-place.ts';
import type { OpenTables } from './session.ts';
import type { TablesByName } from './sql-context.ts';

export interface Knowledge {
  readonly document: YamlDocument;
  /** The files that the document includes, those that can be parsed. */
  readonly parts: readonly YamlDocument[];
  /** By name, with what the files say of them; those of the document first. */
  readonly parameters: ReadonlyMap<string, unknown>;
  readonly names: Names;
  /** `database.table`, and the tables of WITH; those whose columns are not known have none. */
  readonly tables: TablesByName;
}

interface KnowledgeOptions {
  readonly document: YamlDocument;
  readonly parts: readonly SourceFile[];
  /** As last analysed without errors. */
  readonly file: InspectedFile | undefined;
  readonly tables: OpenTables | undefined;
}

/** Never rejects: what the engine does not say is left out. */
export async function readKnowledge({ document, parts, file, tables }: KnowledgeOptions): Promise<Knowledge> {
  const { names = NO_NAMES } = tables ?? {};
  const parsed = parts.flatMap(({ path, text }) => parsedOf(path, text) ?? []);
  const documents = [document, ...parsed];
  const parameters = new Map<string, unknown>();
  for (const { value } of documents)
    for (const [name, spec] of entriesOf(memberOf(value, 'parameters')))
      if (!parameters.has(name)) parameters.set(name, spec);
  const inner = new Map<string, readonly Column[]>(
    documents.flatMap(({ value }) =>
      entriesOf(memberOf(value, 'tables')).map(([name]) => [name, []] as const),
    ),
  );
  for (const { name } of file?.candidate.endpoint.outline.elements ?? []) inner.set(name, []);
  if (tables !== undefined && file !== undefined)
    for (const { name, columns } of await columnsOf(tables, file)) inner.set(name, columns);
  return { document, parts: parsed, parameters, names, tables: new Map([...names.tables, ...inner]) };
}

function parsedOf(path: string, text: string | undefined): YamlDocument | undefined {
  const parsed = text === undefined ? undefined : parseYaml(path, text);
  return parsed !== undefined && 'document' in parsed ? parsed.document : undefined;
}

/** The tables of the WITH clause, as the engine describes them. */
async function columnsOf(
  { engine }: OpenTables,
  { candidate: { endpoint } }: InspectedFile,
): Promise<readonly { readonly name: string; readonly columns: readonly Column[] }[]> {
  return (await createDescribe(engine).tables(endpoint)) ?? [];
}

/** `DateTime64(3), required: the start`, as the file declares a parameter. */
export function parameterText(spec: unknown): string {
  const choices = entriesOf(memberOf(spec, 'choices')).map(([name]) => name);
  const type = memberOf(spec, 'type');
  const plain = typeof type === 'string' ? type : 'parameter';
  const what = choices.length > 0 ? `one of ${choices.join(', ')}` : plain;
  const description = memberOf(spec, 'description');
  return typeof description === 'string' ? `${what}: ${description}` : what;
}
