// Names that completion offers: tables, their columns and JSON paths, and aliases in the query.
import type { Column, Sandbox, Table } from '../service/listing.ts';
import { WHITE_SPACE } from './white-space.ts';

export interface Named {
  readonly name: string;
  readonly type: string;
}

/** Columns, and the typed paths of JSON columns: `metadata.request.path`. */
export function namesOf({ columns }: Table): readonly Named[] {
  return columns.flatMap((column) => [
    { name: column.name, type: shortType(column.type) },
    ...pathsOf(column).map(({ name, type }) => ({ name: `${column.name}.${name}`, type: shortType(type) })),
  ]);
}

export function pathsOf({ paths }: Column): readonly Column[] {
  return paths ?? [];
}

/** A JSON type lists every path; its first word is enough for display. */
export function shortType(type: string): string {
  const [head = type] = type.split('(');
  if (head === 'JSON' || head === 'Tuple') return head;
  return type
    .replace(/^LowCardinality\((.*)\)$/, '$1')
    .replace(/, 'UTC'|'UTC'/, '')
    .replace('()', '');
}

/** The tables that an SQL query reads, by their names in the query; the default table if it reads none yet. */
export function tablesRead(text: string, sandbox: Sandbox): ReadonlyMap<string, Table> {
  const tables = sandbox.tables ?? [];
  const read = new Map<string, Table>();
  for (const [, name, alias] of text.matchAll(SOURCE)) {
    const table = tables.find((each) => each.name === name);
    if (table === undefined) continue;
    read.set(alias === undefined || NO_ALIAS.test(alias) ? table.name : alias, table);
  }
  if (read.size === 0) addDefault(read, sandbox);
  return read;
}

/** A table after FROM, JOIN or a comma, and its alias. */
const SOURCE = new RegExp(
  String.raw`\b(?:from|join|,)[${WHITE_SPACE}]+(\w+)(?:[${WHITE_SPACE}]+(?:as[${WHITE_SPACE}]+)?(\w+))?`,
  'gi',
);

const NO_ALIAS =
  /^(?:where|prewhere|group|order|limit|having|join|inner|left|right|full|cross|any|asof|semi|anti|global|array|on|using|union|except|intersect|final|sample|settings|window|qualify|offset)$/i;

const QUOTED = /'(?:[^'\\]|\\.)*'|--[^\n]*|\/\*[^]*?\*\//g;
const DEFINED = new RegExp(
  String.raw`\bas[${WHITE_SPACE}]+([a-z_]\w*)|\b([a-z_]\w*)[${WHITE_SPACE}]+as[${WHITE_SPACE}]*\(`,
  'gi',
);

/** The names that an SQL query defines with AS: columns, tables and elements of WITH. */
export function aliasesIn(text: string): readonly string[] {
  const names = [...text.replace(QUOTED, ' ').matchAll(DEFINED)].map(
    ([, after, before]) => after ?? before ?? '',
  );
  return [...new Set(names.filter((name) => !NO_ALIAS.test(name) && !TYPE.test(name)))];
}

/** In `CAST(x AS String)`, AS introduces a type. */
const TYPE =
  /^(?:String|FixedString|U?Int\d+|Float\d+|Decimal\d*|Bool|Date(?:32|Time|Time64)?|UUID|IPv[46]|Array|Map|Tuple|JSON|Nullable|LowCardinality|Enum\d*)$/;

/** The table that an LQL query reads. */
export function tableOfLql(text: string, sandbox: Sandbox): Table | undefined {
  const name = /(?:^|\s)f:(\w+)/.exec(text)?.[1];
  const named = sandbox.tables?.find((each) => each.name === name);
  if (named !== undefined) return named;
  const read = new Map<string, Table>();
  addDefault(read, sandbox);
  return [...read.values()][0];
}

function addDefault(read: Map<string, Table>, { tables, default_table: name }: Sandbox): void {
  const table = tables?.find((each) => each.name === name) ?? tables?.[0];
  if (table !== undefined) read.set(table.name, table);
}
