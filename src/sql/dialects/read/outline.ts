// The clauses of a query, for a second reader: its tokens, with a name in place of each part that is read as a whole.
import type { Query } from '../tree.ts';
import type { Token } from './lexer.ts';

/** Tokens that are written otherwise: as a name that means a node of the tree, or as a text. */
interface Mark {
  readonly from: number;
  readonly to: number;
  /** Undefined: the text is written as it is. */
  readonly node: object | undefined;
  readonly text: string;
}

/** The marks of the query that is being read, in source order. */
export type Outline = Mark[];

/** One query of a text for the second reader. */
export interface OutlinedQuery {
  readonly at: number;
  readonly text: string;
  readonly query: Query;
  /** The names in the text. */
  readonly names: ReadonlyMap<object, string>;
}

/** A source keeps this for a second reader. */
export interface Outlined {
  readonly text: string;
  /** The next one is replaced if it is read as two. */
  readonly tokens: Token[];
  /** The index of the next token. */
  at: number;
  /** What the clauses of the query that is being read consist of; undefined inside a part that is read as a whole. */
  outline: Outline | undefined;
  /** Of the queries that were read; undefined if nothing checks them. */
  readonly outlines: OutlinedQuery[] | undefined;
}

/** Reads a part whose place in the clauses is checked, but not what is inside it. `head` is written before its name. */
export function leaf<T extends object>(source: Outlined, read: () => T, head = ''): T {
  const { outline, at } = source;
  if (outline === undefined) return read();
  source.outline = undefined;
  const node = read();
  source.outline = outline;
  outline.push({ from: at, to: source.at, node, text: head });
  return node;
}

/** Writes the tokens from `from` to the next one as `text`, which PostgreSQL has. */
export function written(source: Outlined, from: number, text: string): void {
  source.outline?.push({ from, to: source.at, node: undefined, text });
}

/** A node that replaces the one of a leaf. */
export function replaced<T extends object>({ outline }: Outlined, old: object, node: T): T {
  const index = outline?.findIndex((each) => each.node === old) ?? -1;
  const mark = outline?.[index];
  if (outline !== undefined && mark !== undefined) outline[index] = { ...mark, node };
  return node;
}

/** Reads a query with an outline of its own, if outlines are wanted. */
export function outlined(source: Outlined, read: () => Query): Query {
  const { outlines, outline: outer, at: from } = source;
  if (outlines === undefined) return read();
  const marks: Outline = [];
  source.outline = marks;
  const query = read();
  source.outline = outer;
  outlines.push(outlineOf(source, { marks, from, query }));
  return query;
}

interface Marked {
  readonly marks: Outline;
  readonly from: number;
  readonly query: Query;
}

function outlineOf({ text, tokens, at }: Outlined, { marks, from, query }: Marked): OutlinedQuery {
  const names = new Map<object, string>();
  const pieces: string[] = [];
  let index = from;
  const copyTo = (end: number): void => {
    for (; index < end; index++) pieces.push(text.slice(tokens[index]?.start, tokens[index]?.end));
  };
  for (const mark of marks) {
    copyTo(mark.from);
    index = mark.to;
    if (mark.node !== undefined) names.set(mark.node, `x${names.size}`);
    pieces.push(mark.text, (mark.node && names.get(mark.node)) ?? '');
  }
  copyTo(at);
  return { at: query.at, text: pieces.filter((piece) => piece !== '').join(' '), query, names };
}
