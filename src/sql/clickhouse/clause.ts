// The WITH clause of a saved query, taken apart: which of its elements a table needs, and their source with edits applied.
import { isTable, type Outline, type WithElement } from './outline.ts';
import { isDatabase, nameTokens, tokenAt, tokensBetween } from './tree/tokens.ts';
import type { TreeTokens } from './tree/visit.ts';

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
  readonly cursor: TreeTokens['cursor'];
  readonly isRecursive: boolean;
  readonly elements: readonly ClauseElement[];
  /** It is true if an element is an expression: every table then needs it. */
  readonly hasExpressions: boolean;
  /** The table of this name, in this case; one that is hidden as well. */
  readonly table: (name: string) => ClauseElement | undefined;
  /** The elements that the table `name` needs, itself included, in their order. */
  readonly needed: (name: string) => readonly ClauseElement[];
  /** The elements that the source from `start` to `end` needs, in their order. */
  readonly neededIn: (start: number, end: number) => readonly ClauseElement[];
  /** Number of significant tokens from one offset up to, but excluding, another. */
  readonly tokensBetween: (start: number, end: number) => number;
}

/** `tree` holds the tokens of the query that `outline` was read from, or those of its WITH clause. */
export function readClause(tree: TreeTokens, outline: Outline): Clause {
  const elements = outline.elements.map((element): ClauseElement => ({
    ...element,
    mentions: mentionsIn(tree, element),
  }));
  const groups = groupElements(elements);
  return {
    cursor: tree.cursor,
    isRecursive: outline.recursive,
    elements,
    hasExpressions: groups.expressions.length > 0,
    table: (name) =>
      groups.byName.get(name.toLowerCase())?.find((each) => isTable(each) && each.name === name),
    needed: (name) => (outline.recursive ? elements : neededBy(groups, [name])),
    neededIn: (start, end) =>
      outline.recursive ? elements : neededBy(groups, mentionsIn(tree, { start, end })),
    tokensBetween: (start, end) => tokenAt(tree, end) - tokenAt(tree, start),
  };
}

/**
 * The saved query without the elements of its WITH clause that it does not read: the engine parses and analyses each of
 * them in every call.
 */
export function withoutUnused(tree: TreeTokens, outline: Outline): string {
  const { sql } = tree.cursor;
  const clause = readClause(tree, outline);
  if (clause.isRecursive || clause.elements.length === 0) return sql;
  const kept = clause.neededIn(outline.mainStart, sql.length);
  if (kept.length === clause.elements.length) return sql;
  const head = kept.length === 0 ? '' : `${withClause(clause, kept)}\n`;
  return head + sql.slice(outline.mainStart);
}

function mentionsIn(tree: TreeTokens, range: Pick<WithElement, 'start' | 'end'>): string[] {
  // In `FROM a.b`, `a` is a database: an element has no other elements inside, and its columns need it in a FROM of their own.
  return nameTokens(tree, tokensBetween(tree, range)).flatMap(({ name, at }) =>
    isDatabase(tree, at) ? [] : [name.toLowerCase()],
  );
}

interface Groups {
  readonly expressions: readonly ClauseElement[];
  /** By name in lower case. */
  readonly byName: ReadonlyMap<string, readonly ClauseElement[]>;
}

function groupElements(elements: readonly ClauseElement[]): Groups {
  const byName = new Map<string, ClauseElement[]>();
  for (const element of elements) {
    const name = element.name.toLowerCase();
    const group = byName.get(name);
    if (group === undefined) byName.set(name, [element]);
    else group.push(element);
  }
  return { expressions: elements.filter(({ kind }) => kind === 'expression'), byName };
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
function neededBy({ expressions, byName }: Groups, names: readonly string[]): readonly ClauseElement[] {
  const read = names.flatMap((name) => byName.get(name.toLowerCase()) ?? []);
  const needed = new Set([...expressions, ...read]);
  for (const { mentions } of needed) {
    for (const name of mentions) for (const other of byName.get(name) ?? []) needed.add(other); // visited later
  }
  return [...needed].toSorted((a, b) => a.start - b.start);
}

/** The source from `start` to `end` with the edits that are within it applied; an edit inside another is dropped. */
export function editedSource(
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
