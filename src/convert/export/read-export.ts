// Reads the queries of an export, of whichever tool.
import { readDocument, type ExportDocument } from './document.ts';
import type {
  ExportFile,
  ExportTool,
  ForeignQuery,
  ImportProblem,
  ReadExport,
  TableDefinition,
} from './foreign-query.ts';
import { isManifest, readDbt } from '../tools/dbt/export.ts';
import { isGrafana, readGrafana } from '../tools/grafana/export.ts';
import { isMetabase, readMetabase } from '../tools/metabase/export.ts';
import { isRedash, readRedash } from '../tools/redash/export.ts';
import { isSuperset, readSuperset } from '../tools/superset/export.ts';
import { readDatasource, readPipes } from '../tools/tinybird/export.ts';

interface Contents {
  readonly files: readonly ExportFile[];
  readonly documents: readonly ExportDocument[];
}

/** How to recognise and read the exports of each tool. */
const READERS: Readonly<
  Record<
    ExportTool,
    {
      readonly isOwn: (contents: Contents) => boolean;
      readonly read: (contents: Contents) => readonly ForeignQuery[];
    }
  >
> = {
  tinybird: {
    isOwn: ({ files }) => files.some(({ path }) => /\.(pipe|datasource)$/i.test(path)),
    read: ({ files }) => readPipes(files),
  },
  dbt: {
    isOwn: ({ files, documents }) =>
      files.some(({ path }) => /(^|\/)dbt_project\.yml$|(^|\/)models\/.*\.sql$/i.test(path)) ||
      documents.some(isManifest),
    read: ({ files, documents }) => readDbt(files, documents),
  },
  metabase: {
    isOwn: ({ documents }) => documents.some(isMetabase),
    read: ({ documents }) => readMetabase(documents),
  },
  grafana: {
    isOwn: ({ documents }) => documents.some(isGrafana),
    read: ({ documents }) => readGrafana(documents),
  },
  superset: {
    isOwn: ({ documents }) => documents.some(isSuperset),
    read: ({ documents }) => readSuperset(documents),
  },
  redash: {
    isOwn: ({ documents }) => documents.some(isRedash),
    read: ({ documents }) => readRedash(documents),
  },
};

/** All queries and tables; of one tool if `from` names it, otherwise of those whose files are there. */
export function readExport(files: readonly ExportFile[], from: ExportTool | undefined): ReadExport {
  const problems: ImportProblem[] = [];
  const documents: ExportDocument[] = [];
  for (const file of files) {
    const document = readDocument(file);
    if (document === undefined) continue;
    if ('message' in document) problems.push(document);
    else documents.push(document);
  }
  const contents = { files, documents };
  const queries: ForeignQuery[] = [];
  for (const [tool, { isOwn, read }] of Object.entries(READERS))
    if (from === undefined ? isOwn(contents) : from === tool) queries.push(...read(contents));
  const tables: TableDefinition[] = [];
  for (const file of from === undefined || from === 'tinybird' ? files : []) {
    if (!/\.datasource$/i.test(file.path)) continue;
    const table = readDatasource(file);
    if ('message' in table) problems.push(table);
    else tables.push(table);
  }
  return { queries, tables, problems };
}
