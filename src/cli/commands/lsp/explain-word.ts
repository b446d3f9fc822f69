// Hover texts and places of definitions: of parameters, columns, tables and functions in SQL, and of what `include` names.
import type { YamlDocument } from '../../../service/config/yaml-document.ts';
import type { Position } from '../../../sql/base/position.ts';
import { parameterText, type Knowledge } from './knowledge.ts';
import { entriesOf, memberOf, type QueryPlace } from './query-place.ts';
import { tablesRead, wordAt, type Word } from './sql-context.ts';

const MAX_TEXT = 4000;
const MAX_COLUMNS = 100;

/** In Markdown, with the offsets of the word; undefined: nothing is known about it. */
export function explainWord(
  { sql, offset }: QueryPlace,
  knowledge: Knowledge,
): { readonly text: string; readonly word: Word } | undefined {
  const word = wordAt(sql, offset);
  if (word === undefined) return undefined;
  const text = textOf(word, sql, knowledge);
  return text === undefined ? undefined : { text: text.slice(0, MAX_TEXT), word };
}

function textOf(word: Word, sql: string, { parameters, tables, names }: Knowledge): string | undefined {
  const { text } = word;
  if (word.isParameter) {
    const name = text.slice(1).split('.')[0] ?? '';
    return parameters.has(name) ? `${code(`@${name}`)} ${parameterText(parameters.get(name))}` : undefined;
  }
  const read = tablesRead(sql, tables);
  const known = names.functions.get(text) ?? names.functions.get(text.toLowerCase());
  if (word.isCall && known !== undefined)
    return `${code(known.syntax === '' ? text : known.syntax)}\n\n${known.description.trim()}`;
  const columns = [...read].flatMap(([table, all]) =>
    all
      .filter(({ name }) => name === text || `${table}.${name}` === text)
      .map(({ type }) => ({ table, type })),
  );
  const [column] = columns;
  if (column !== undefined) return `${code(`${text} ${column.type}`)} of ${code(column.table)}`;
  const table = read.get(text) ?? tables.get(text);
  if (table === undefined) return undefined;
  const listed = table.slice(0, MAX_COLUMNS).map(({ name, type }) => `- ${code(`${name} ${type}`)}`);
  const more = table.length > MAX_COLUMNS ? [`- ${table.length - MAX_COLUMNS} more`] : [];
  return [code(text), '', ...listed, ...more].join('\n');
}

/** Names of columns may contain backticks. */
function code(text: string): string {
  const fence = '`'.repeat(1 + Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)));
  const pad = fence.length > 1 ? ' ' : '';
  return `${fence}${pad}${text.replaceAll('\n', ' ')}${pad}${fence}`;
}

/** A place in a file. */
export interface Target {
  readonly file: string;
  readonly at: Position;
}

/** Where a parameter or an included table is declared. */
export function definitionOf({ sql, offset }: QueryPlace, knowledge: Knowledge): Target | undefined {
  const word = wordAt(sql, offset);
  if (word === undefined) return undefined;
  const [key, name] = word.isParameter ? ['parameters', word.text.slice(1)] : ['tables', word.text];
  const owner = [knowledge.document, ...knowledge.parts].find(
    ({ value }) => memberOf(memberOf(value, key), name) !== undefined,
  );
  return owner && { file: owner.file, at: owner.locateKey([key, name]) };
}

/** What a value of `include` at a position names: a file, or a table, a parameter or a policy of it. */
export function includedAt({ document, parts }: Knowledge, at: Position): Target | undefined {
  const include = memberOf(document.value, 'include');
  if (!Array.isArray(include)) return undefined;
  for (const [index, entry] of include.entries()) {
    const part = partOf(entry, parts);
    if (part === undefined) continue;
    const isAt = (path: readonly (string | number)[], text: unknown): boolean =>
      typeof text === 'string' && isInside(document, { path: ['include', index, ...path], text }, at);
    for (const key of ['from', 'endpoint'])
      if (isAt([key], memberOf(entry, key))) return { file: part.file, at: { line: 1, column: 1 } };
    for (const key of ['tables', 'policies']) {
      const listed: unknown = memberOf(entry, key);
      if (!Array.isArray(listed)) continue;
      const found: unknown = listed.find((name, position) => isAt([key, position], name));
      if (typeof found === 'string') return { file: part.file, at: part.locateKey([key, found]) };
    }
  }
  return undefined;
}

function partOf(entry: unknown, parts: readonly YamlDocument[]): YamlDocument | undefined {
  const names = entriesOf(entry).filter(([key]) => key === 'from' || key === 'endpoint');
  return parts.find(({ file }) =>
    names.some(
      ([key, name]) =>
        file.replace(/^.*[\\/]/, '').replace(key === 'from' ? /\.shared\.ya?ml$/ : /\.ya?ml$/, '') === name,
    ),
  );
}

function isInside(
  document: YamlDocument,
  { path, text }: { readonly path: readonly (string | number)[]; readonly text: string },
  at: Position,
): boolean {
  const { line, column } = document.locate(path);
  return line === at.line && column <= at.column && at.column <= column + text.length + 1;
}
