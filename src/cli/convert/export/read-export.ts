// Reads the queries of an export, of whichever tool.
import { DBT } from '../tools/dbt/export.ts';
import { GRAFANA } from '../tools/grafana/export.ts';
import { METABASE } from '../tools/metabase/export.ts';
import { REDASH } from '../tools/redash/export.ts';
import { SUPERSET } from '../tools/superset/export.ts';
import { TINYBIRD } from '../tools/tinybird/export.ts';
import { readDocument, type ExportDocument, type ExportFile, type ImportProblem } from './document.ts';
import type { ExportTool, ReadExport, ToolReader } from './foreign-query.ts';

const READERS: Readonly<Record<ExportTool, ToolReader>> = {
  tinybird: TINYBIRD,
  dbt: DBT,
  metabase: METABASE,
  grafana: GRAFANA,
  superset: SUPERSET,
  redash: REDASH,
};

/** All queries, tables and other items; of one tool if `from` names it, otherwise of those whose files are there. */
export function readExport(files: readonly ExportFile[], from: ExportTool | undefined): ReadExport {
  const unread: ImportProblem[] = [];
  const documents: ExportDocument[] = [];
  for (const file of files) {
    const document = readDocument(file);
    if (document === undefined) continue;
    if ('message' in document) unread.push(document);
    else documents.push(document);
  }
  const contents = { files, documents };
  const found = Object.entries(READERS)
    .filter(([tool, { isOwn }]) => (from === undefined ? isOwn(contents) : from === tool))
    .map(([, { read }]) => read(contents));
  return {
    queries: found.flatMap(({ queries = [] }) => queries),
    tables: found.flatMap(({ tables = [] }) => tables),
    others: found.flatMap(({ others = [] }) => others),
    problems: [...unread, ...found.flatMap(({ problems = [] }) => problems)],
  };
}
