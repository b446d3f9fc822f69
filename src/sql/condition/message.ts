// Texts with values of a row in braces, such as `{errors} errors in {project}`.
import type { NamedColumn, JsonRow } from './condition.ts';

/** A text and the columns in it. */
export interface Template {
  readonly text: string;
  readonly columns: readonly NamedColumn[];
  /** The text with the values of a row, one line of plain text. */
  readonly textFor: (row: JsonRow) => string;
}

const COLUMN = /\{([A-Za-z_][A-Za-z0-9_.]{0,127})\}/g;
const MAX_VALUE = 200;

export function readTemplate(text: string): Template {
  const columns = Array.from(text.matchAll(COLUMN), ({ 1: name = '', index }) => ({
    name,
    start: index + 1,
  }));
  return {
    text,
    columns,
    textFor: (row) =>
      plainLine(
        text.replaceAll(COLUMN, (_, name: string) => plainValue(Object.hasOwn(row, name) ? row[name] : null)),
      ),
  };
}

/** A value as one line of plain text of at most 200 characters. */
function plainValue(value: unknown): string {
  const text = plainLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null'));
  const characters = Array.from(text);
  return characters.length > MAX_VALUE ? `${characters.slice(0, MAX_VALUE).join('')}…` : text;
}

/** Control characters, line breaks, and characters that change the direction of text become spaces. */
export function plainLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim();
}
