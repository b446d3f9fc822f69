// Runs BigQuery queries end to end on the real engine: translated, checked by the sandbox, wrapped, run over the sample rows.
import { readFileSync } from 'node:fs';
import { translate, type SourceTable } from '../../../src/sql/dialects/bigquery/translate.ts';
import { createFunctionPolicy } from '../../../src/guard/sandbox/functions/policy.ts';
import type { Explained } from '../../../src/guard/sandbox/explain.ts';
import { createSandbox, createVerdictCache } from '../../../src/guard/sandbox/sandbox.ts';
import { outlineOf, codeOf } from '../../guard/sandbox/fixture.ts';
import { openOracle } from '../clickhouse/oracle.ts';

/** What identifies the rows of a project, by table. */
const PROJECTS: Readonly<Record<string, string>> = {
  edge_logs: 'project',
  auth_logs: 'project',
  database_logs: 'project',
  function_logs: 'metadata.project_ref',
  storage_logs: 'metadata.project',
};

/** The saved query: each table shows the rows of one project. */
const SAVED = `WITH ${Object.entries(PROJECTS)
  .map(
    ([table, project]) =>
      `${table} AS (SELECT timestamp, id, event_message, metadata FROM logs.${table} WHERE ${project} = 'mine')`,
  )
  .join(', ')} SELECT id FROM edge_logs`;

export interface Lab {
  readonly tables: readonly SourceTable[];
  /** The ClickHouse SQL of a text. Throws Problem. */
  readonly translate: (text: string) => string;
  /** The statement that the sandbox makes of a text. Rejects with Problem. */
  readonly check: (text: string) => Promise<string>;
  /** The rows of a text. */
  readonly rows: (text: string) => Promise<readonly unknown[]>;
  readonly close: () => void;
}

/** What a lab reads: the statements that fill its database, the saved query, and the names of its tables. */
export interface LabData {
  /** Files beside this one. */
  readonly files: readonly string[];
  readonly saved: string;
  readonly tables: readonly string[];
}

const LOGS: LabData = {
  files: ['../../../seeds/01_tables.sql', 'sample.sql'],
  saved: SAVED,
  tables: Object.keys(PROJECTS),
};

export async function openLab({ files, saved, tables: names }: LabData = LOGS): Promise<Lab> {
  // Otherwise JSON has null for NaN and infinity.
  const oracle = openOracle(['--output_format_json_quote_denormals=1']);
  for (const file of files) await oracle.ask(readFileSync(new URL(file, import.meta.url), 'utf8'));
  const outline = outlineOf(saved);
  const tables = await Promise.all(
    names.map(async (name) => {
      const described = await oracle.ask(
        `DESCRIBE (${saved.slice(0, outline.withEnd)} SELECT * FROM ${name})`,
        'JSONEachRow',
      );
      return { name, columns: parseLines(described) as SourceTable['columns'] }; // as DESCRIBE answers
    }),
  );
  const explain = async (sql: string): Promise<Explained> => {
    try {
      return { kind: 'tree', text: await oracle.ask(sql, 'TSVRaw') };
    } catch (error) {
      return { kind: 'rejected', engineCode: codeOf(error), message: String(error) };
    }
  };
  const sandbox = createSandbox({
    boundSql: saved,
    outline,
    revision: 'r1',
    functions: createFunctionPolicy({ allow: [], deny: [] }),
    cache: createVerdictCache(1_000_000),
    explain,
    columns: new Map(tables.map(({ name, columns }) => [name, columns])),
  });
  const toSql = (text: string) => translate(text, { tables, taken: outline.identifiers }).sql;
  const check = async (text: string) => sandbox.assemble(await sandbox.check(toSql(text)), 1000).sql;
  return {
    tables,
    translate: toSql,
    check,
    rows: async (text) => parseLines(await oracle.ask(await check(text), 'JSONEachRow')),
    close: () => oracle.close(),
  };
}

function parseLines(text: string): readonly unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));
}
