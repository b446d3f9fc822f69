// The columns that `column(x)` can name: those of the one table that the query around it reads.
import { readRegions } from '../../placeholders/source-lexer.ts';
import type { Declaration } from '../../placeholders/template.ts';
import type { TableDefinition } from '../../export/foreign-query.ts';
import { tablesOf } from './nodes.ts';

/** Declares the columns of data sources by `columns:TABLE`. */
export function declaredColumns(tables: readonly TableDefinition[]): readonly Declaration[] {
  return tables.flatMap(({ name, columns }) =>
    columns === undefined ? [] : [{ name: `columns:${name}`, enum: columns }],
  );
}

/** Undefined if the query reads more than one table, or one that is not known. */
export function columnsAround(
  text: string,
  offset: number,
  declarations: readonly Declaration[],
): readonly string[] | undefined {
  if (declarations.length === 0) return undefined;
  const [name, ...others] = tablesOf(queryAround(text, offset));
  if (name === undefined || others.length > 0) return undefined;
  const columns = declarations.find((each) => each.name === `columns:${name}`)?.enum;
  return columns?.map(String);
}

const TAG = /\{\{[^]*?\}\}|\{%[^]*?%\}|\{#[^]*?#\}/g;

/** The text between the parentheses around an offset, without what is in parentheses inside. */
function queryAround(text: string, offset: number): string {
  const plain = text.replace(TAG, (tag) =>
    tag.startsWith('{{') ? `'${' '.repeat(tag.length - 2)}'` : ' '.repeat(tag.length),
  );
  const levels: { text: string }[] = [{ text: '' }];
  const add = (char: string): void => {
    const level = levels.at(-1);
    if (level !== undefined) level.text += char;
  };
  let found: { text: string } | undefined;
  for (const { kind, start, end } of readRegions(plain, 'clickhouse', () => undefined)) {
    for (let at = start; at < end; at++) {
      const char = kind === 'comment' ? ' ' : plain.charAt(at);
      if (at === offset) found = levels.at(-1);
      const isCode = kind === 'code';
      const isClosing = isCode && char === ')' && levels.length > 1;
      if (isClosing && levels.pop() === found && found !== undefined) return found.text;
      add(char);
      if (isCode && char === '(') levels.push({ text: '' });
    }
  }
  return found?.text ?? '';
}
