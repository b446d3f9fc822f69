// Reads and prints the file of statistics: how many rows the tables of a server have, and how different their values are.
import type { StatisticsFile } from '../../service/config/generated/statistics.ts';
import { createSchemaCheck } from '../../service/config/schema.ts';
import { parseYaml } from '../../service/config/yaml-document.ts';
import type { Finding } from '../../sql/base/finding.ts';

/** It has sizes by `database.table`. */
export type Statistics = ReadonlyMap<string, TableStatistics>;

export interface TableStatistics {
  readonly rows: number;
  readonly columns: ReadonlyMap<string, ColumnStatistics>;
}

export interface ColumnStatistics {
  /** It is the compressed size on disk. */
  readonly bytes?: number | undefined;
  readonly distinct?: number | undefined;
  /** For times, it is the number of seconds from the first to the last one. */
  readonly seconds?: number | undefined;
}

/** Errors in the contents of the file are findings: this never throws for them. */
export function readStatistics(
  file: string,
  text: string,
): { readonly statistics: Statistics } | { readonly findings: readonly Finding[] } {
  const parsed = parseYaml(file, text);
  if ('diagnostics' in parsed) return { findings: parsed.diagnostics };
  const findings = createSchemaCheck('statistics')(parsed.document);
  if (findings.length > 0) return { findings };
  const { tables } = parsed.document.value as StatisticsFile; // it passed the schema
  const statistics = Object.entries(tables).map(
    ([name, { rows, columns = {} }]) => [name, { rows, columns: new Map(Object.entries(columns)) }] as const,
  );
  return { statistics: new Map(statistics) };
}

/** The file has this name in the folder of the schema. */
export const STATISTICS_FILE = 'statistics.yaml';

const HEADER = `# Sizes of the tables, written by \`millrace schema pull --statistics\`. \`millrace cost\` reads them.`;

/** Returns the text of the file, with the tables and columns in their order. */
export function printStatistics(statistics: Statistics): string {
  const lines = [...statistics].flatMap(([name, { rows, columns }]) => [
    `  ${JSON.stringify(name)}:`,
    `    rows: ${rows}`,
    ...(columns.size === 0 ? [] : ['    columns:']),
    ...[...columns].map(([column, sizes]) => `      ${JSON.stringify(column)}: ${printSizes(sizes)}`),
  ]);
  return `${[HEADER, lines.length === 0 ? 'tables: {}' : 'tables:', ...lines].join('\n')}\n`;
}

function printSizes(sizes: ColumnStatistics): string {
  const parts = Object.entries(sizes).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}: ${String(value)}`],
  );
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}
