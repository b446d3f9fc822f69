// The WITH clause of a saved query, taken apart: which of its elements a table needs, and their source with edits applied.
import type { Cursor } from './cursor.ts';
import type { Outline } from './outline.ts';
import type { WithElement } from './with-clause.ts';

/** Replaces the source between two offsets of the saved query. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface ClauseElement extends WithElement {
  /** Names in its source, in lower case: one entry for each occurrence. */
  readonly mentions: readonly string[];
}

export interface Clause {
  /** At least the tokens of the clause. */
  readonly cursor: Cursor;
  readonly isRecursive: boolean;
  readonly elements: readonly ClauseElement[];
  /** The elements that the table `name` needs, itself included, in their order. */
  readonly needed: (name: string) => readonly ClauseElement[];
  /** Number of significant tokens from one offset up to, but excluding, another. */
  readonly tokensBetween: (start: number, end: number) => number;
}

/** `cursor` holds the tokens of the query that `outline` was read from, or those of its WITH clause. */
export function readClause(cursor: Cursor, outline: Outline): Clause {
  const elements = outline.elements.map((element): ClauseElement => ({
    ...element,
    mentions: mentionsIn(cursor, element),
  }));
  return {
    cursor,
    isRecursive: outline.recursive,
    elements,
    needed: (name) => (outline.recursive ? elements : neededBy(elements, (element) => element.name === name)),
    tokensBetween: (start, end) =>
      cursor.tokens.filter((token) => token.start >= start && token.end <= end).length,
  };
}

/**
 * The saved query without the elements of its WITH clause that it does not read: the engine parses and analyses each of
 * them in every call.
 */
export function withoutUnused(cursor: Cursor, outline: Outline): string {
  const { sql } = cursor;
  const clause = readClause(cursor, outline);
  if (clause.isRecursive || clause.elements.length === 0) return sql;
  const mentioned = new Set(mentionsIn(cursor, { start: outline.mainStart, end: sql.length }));
  const kept = neededBy(clause.elements, ({ name }) => mentioned.has(name.toLowerCase()));
  if (kept.length === clause.elements.length) return sql;
  const head = kept.length === 0 ? '' : `${withClause(clause, kept)}\n`;
  return head + sql.slice(outline.mainStart);
}

function mentionsIn(cursor: Cursor, { start, end }: Pick<WithElement, 'start' | 'end'>): string[] {
  return cursor.tokens.flatMap((token, index) =>
    token.start >= start && token.end <= end ? (cursor.name(index)?.toLowerCase() ?? []) : [],
  );
}

/** The WITH clause of some elements, `needed` in their order, with edits. */
export function withClause(
  { cursor, isRecursive }: Clause,
  needed: Clause['elements'],
  edits: readonly Edit[] = [],
): string {
  const elements = needed.map((element) => editedSource(cursor.sql, element, edits));
  return `WITH ${isRecursive ? 'RECURSIVE ' : ''}${elements.join(',\n')}`;
}

/**
 * Any element that contains a name, in any case and meaning, needs the element of that name. Expressions are needed by all: a
 * lambda can have the name of a function that an operator denotes.
 */
function neededBy(
  elements: readonly ClauseElement[],
  isRead: (element: ClauseElement) => boolean,
): readonly ClauseElement[] {
  const needed = new Set(elements.filter((each) => each.kind === 'expression' || isRead(each)));
  for (const { mentions } of needed) {
    const mentioned = new Set(mentions);
    for (const other of elements) if (mentioned.has(other.name.toLowerCase())) needed.add(other); // visited later
  }
  return elements.filter((each) => needed.has(each));
}

/** The source from `start` to `end` with the edits that are within it applied; an edit inside another is dropped. */
function editedSource(
  sql: string,
  { start, end }: Pick<Edit, 'start' | 'end'>,
  edits: readonly Edit[],
): string {
  const within = edits.filter((edit) => edit.start >= start && edit.end <= end);
  let source = '';
  let at = start;
  for (const edit of within.toSorted((a, b) => a.start - b.start)) {
    if (edit.start < at) continue; // within one that removes its surroundings
    source += sql.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return source + sql.slice(at, end);
}
