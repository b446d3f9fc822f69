// Completion in SQL: parameters after `@`, columns after an alias or a table, otherwise columns, tables and functions.
import { CompletionItemKind, type CompletionItem, type CompletionList } from 'vscode-languageserver/node';
import type { Column } from '../../../service/engine/engine.ts';
import { parameterText, type Knowledge } from './knowledge.ts';
import type { QueryPlace } from './query-place.ts';
import { tablesRead, wordAt } from './sql-context.ts';

/** An editor filters the items while a word is typed, and asks again if there are more. */
const MAX_ITEMS = 500;

export function complete({ sql, offset }: QueryPlace, knowledge: Knowledge): CompletionList {
  const word = wordAt(sql, offset);
  // Between words there is everything; in a string or comment, nothing.
  if (word === undefined && !/[\s(,=<>+*/|-]$/.test(sql.slice(0, offset))) return listOf([], '');
  const typed = sql.slice(word?.start ?? offset, offset);
  if (word?.isParameter === true) return listOf(parameterItems(knowledge), typed);
  const read = tablesRead(sql, knowledge.tables);
  const dot = typed.lastIndexOf('.');
  if (dot >= 0) return listOf(memberItems(knowledge, read, typed.slice(0, dot)), typed.slice(dot + 1));
  const items = [
    ...[...read].flatMap(([table, columns]) => columnItems(columns, table)),
    ...[...read.keys()].map((name) => ({ label: name, kind: CompletionItemKind.Variable })),
    ...[...knowledge.tables.keys()].map((name) => ({ label: name, kind: CompletionItemKind.Class })),
    ...[...knowledge.names.functions].map(([label, { syntax }]) => ({
      label,
      kind: CompletionItemKind.Function,
      ...(syntax === '' ? {} : { detail: syntax }),
    })),
  ];
  return listOf(items, typed);
}

/** Once each: a column of several tables has the type of the first one. */
function listOf(items: readonly CompletionItem[], typed: string): CompletionList {
  const prefix = typed.toLowerCase();
  const byLabel = new Map<string, CompletionItem>();
  for (const item of items)
    if (item.label.toLowerCase().startsWith(prefix) && !byLabel.has(item.label))
      byLabel.set(item.label, item);
  const found = [...byLabel.values()];
  return { isIncomplete: found.length > MAX_ITEMS, items: found.slice(0, MAX_ITEMS) };
}

function parameterItems({ parameters }: Knowledge): readonly CompletionItem[] {
  return [...parameters].map(([name, spec]) => ({
    label: `@${name}`,
    kind: CompletionItemKind.Variable,
    detail: parameterText(spec),
  }));
}

/** After a dot: tables of a database, columns of a table or alias, and parts of a column. */
function memberItems(
  { tables }: Knowledge,
  read: ReadonlyMap<string, readonly Column[]>,
  owner: string,
): readonly CompletionItem[] {
  const inDatabase = [...tables.keys()].filter((name) => name.startsWith(`${owner}.`));
  const parts = [...read.values()].flat().filter(({ name }) => name.startsWith(`${owner}.`));
  return [
    ...inDatabase.map((name) => ({ label: name.slice(owner.length + 1), kind: CompletionItemKind.Class })),
    ...columnItems(read.get(owner) ?? tables.get(owner) ?? [], owner),
    ...columnItems(
      parts.map(({ name, type }) => ({ name: name.slice(owner.length + 1), type })),
      owner,
    ),
  ];
}

function columnItems(columns: readonly Column[], table: string): readonly CompletionItem[] {
  return columns.map(({ name, type }) => ({
    label: name,
    kind: CompletionItemKind.Field,
    detail: type,
    labelDetails: { description: table },
  }));
}
