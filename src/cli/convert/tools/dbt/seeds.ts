// dbt's seeds: files of CSV as tables with their rows. Source: https://docs.getdbt.com/docs/build/seeds
import type { ExportFile } from '../../export/document.ts';
import type { TableDefinition } from '../../export/foreign-query.ts';

/** A table with the types that all values of a column have; undefined if the file has no names of columns. */
export function readSeed(file: ExportFile, schema: string | undefined): TableDefinition | undefined {
  const name = /([^/]+)\.csv$/i.exec(file.path)?.[1] ?? '';
  const [header = [], ...rows] = recordsOf(file.text);
  if (
    !/^[A-Za-z_]\w*$/.test(name) ||
    header.length === 0 ||
    !header.every((each) => /^[A-Za-z_]\w*$/.test(each))
  )
    return undefined;
  const columns = header.map((column, at) => `  ${column} ${typeOf(rows.map((row) => row[at] ?? ''))}`);
  return {
    tool: 'dbt',
    kind: 'seed',
    title: name,
    name,
    ...(schema === undefined ? {} : { database: schema }),
    file: file.shown,
    place: { line: 1, column: 1 },
    sql: (database) =>
      `CREATE TABLE ${database}.${name} (\n${columns.join(',\n')}\n) ENGINE = MergeTree\nORDER BY tuple();\n`,
    rows: { format: 'csv', text: file.text, file: file.shown },
  };
}

const TYPES: readonly (readonly [RegExp, string])[] = [
  [/^-?\d{1,18}$/, 'Int64'],
  [/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/, 'Float64'],
  [/^\d{4}-\d\d-\d\d$/, 'Date32'],
  [/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?Z?$/, 'DateTime64(3)'],
];

function typeOf(values: readonly string[]): string {
  const given = values.filter((value) => value !== '');
  const type = TYPES.find(
    ([pattern]) => given.length > 0 && given.every((value) => pattern.test(value)),
  )?.[1];
  if (type === undefined) return 'String';
  return given.length < values.length ? `Nullable(${type})` : type;
}

/** RFC 4180. Linear. */
function recordsOf(text: string): readonly (readonly string[])[] {
  const records: string[][] = [];
  let record: string[] = [];
  for (const [, quoted, plain = '', end = ''] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g,
  )) {
    record.push((quoted?.replaceAll('""', '"') ?? plain).trim());
    if (end === ',') continue;
    if (record.length > 1 || record[0] !== '') records.push(record);
    record = [];
    if (end === '') break;
  }
  return records;
}
