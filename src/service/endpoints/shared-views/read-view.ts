// Reads a file of a shared view: YAML, schema, and its LQL.
import type { Finding, PathFinding } from '../../../sql/base/finding.ts';
import { parse } from '../../../sql/lql/parse.ts';
import type { ViewFile } from '../../config/generated/view.ts';
import { locateAll } from '../../config/locate-finding.ts';
import { createSchemaCheck } from '../../config/schema.ts';
import { parseYaml, type Path, type YamlDocument } from '../../config/yaml-document.ts';
import { isViewFile } from '../file-kinds.ts';

/** A shared view as its file declares it. Not guaranteed: that its endpoint exists. */
export interface ViewDeclaration {
  readonly view: ViewFile;
  readonly document: YamlDocument;
}

export interface ViewFileResult {
  /** Undefined if any finding is an error. */
  readonly view: ViewDeclaration | undefined;
  readonly diagnostics: readonly Finding[];
}

/** Undefined if the name of the file is that of another kind. Never throws for the contents of the file. */
export function readViewFile(path: string, text: string): ViewFileResult | undefined {
  if (!isViewFile(path)) return undefined;
  const parsed = parseYaml(path, text);
  if ('diagnostics' in parsed) return { view: undefined, diagnostics: parsed.diagnostics };
  const { document } = parsed;
  const invalid = createSchemaCheck('view')(document);
  if (invalid.length > 0) return { view: undefined, diagnostics: invalid };
  const view = document.value as ViewFile; // it passed the schema
  const found = [
    ...twoQueries(view),
    ...lqlFindings(view.logs?.filter, ['logs', 'filter']),
    ...lqlFindings(view.lql, ['lql']),
  ];
  const diagnostics = locateAll(document, found);
  return { view: found.length > 0 ? undefined : { view, document }, diagnostics };
}

function twoQueries(view: ViewFile): readonly PathFinding[] {
  const [first, second] = (['logs', 'lql', 'sql'] as const).filter((key) => view[key] !== undefined);
  if (second === undefined) return [];
  return [{ code: 'shared_view.two_queries', path: [second], message: `it has ${first} already` }];
}

function lqlFindings(text: string | undefined, path: Path): readonly PathFinding[] {
  const parsed = parse(text ?? '');
  if ('tree' in parsed) return [];
  return parsed.findings.map(({ start: offset, message, hint }) => ({
    code: 'shared_view.lql',
    path,
    offset,
    message,
    ...(hint === undefined ? {} : { hint }),
  }));
}
