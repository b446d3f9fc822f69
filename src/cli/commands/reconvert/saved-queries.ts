// Reads endpoint files with a query, and the source that it was converted from.
import { declaresEndpoint } from '../../../service/endpoints/file-kinds.ts';
import type { Converted } from '../../../service/config/generated/endpoint.ts';
import { leadsOutside, OUTSIDE } from '../../../service/config/leads-outside.ts';
import { readText } from '../../../service/config/read-text.ts';
import { createValueCheck } from '../../../service/config/schema.ts';
import { MAX_DOCUMENT_BYTES, parseYaml, type YamlDocument } from '../../../service/config/yaml-document.ts';
import { CommandError } from '../../kit/command-error.ts';
import { expandPaths } from '../../kit/endpoint-files.ts';
import { listOf, member, textOf } from '../../convert/export/document.ts';

export interface SavedQuery {
  readonly document: YamlDocument;
  readonly query: string;
  readonly converted: Converted | undefined;
}

/** Endpoint files with a query. Rejects with CommandError (exit 2) for a file that is no YAML, or a link to another folder. */
export async function readSaved(paths: readonly string[]): Promise<readonly SavedQuery[]> {
  const files = (await expandPaths(paths)).filter(declaresEndpoint);
  const saved = await Promise.all(
    files.map(async (path) => {
      if (leadsOutside(path)) throw new CommandError(`${path}: ${OUTSIDE}`, { exitCode: 2 });
      const parsed = parseYaml(path, await readText(path, MAX_DOCUMENT_BYTES));
      if (!('document' in parsed))
        throw new CommandError(`${path} is not valid YAML; run millrace validate`, { exitCode: 2 });
      const { document } = parsed;
      const query = textOf(document.value, 'query');
      return query === undefined ? [] : [{ document, query, converted: convertedOf(document) }];
    }),
  );
  return saved.flat();
}

const checkConverted = createValueCheck('Converted');

/** Throws CommandError (exit 2) if it is not as converters write it. */
function convertedOf({ file, value }: YamlDocument): Converted | undefined {
  const converted = member(value, 'converted');
  if (converted === undefined) return undefined;
  const [fault] = checkConverted(converted);
  if (fault !== undefined)
    throw new CommandError(
      `${file}: converted ${fault.path.join('.')}: ${fault.message}; run millrace validate`,
      {
        exitCode: 2,
      },
    );
  return converted as Converted; // by the check above
}

export function keysOfPages({ value }: YamlDocument): readonly string[] {
  return listOf(member(value, 'page'), 'by').map(String);
}
