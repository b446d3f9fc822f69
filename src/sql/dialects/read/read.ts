// Reads one query of a dialect into its tree: strictly, or as much of it as can be read.
import type { Query } from '../tree.ts';
import { readAbove } from './expression.ts';
import { readFrom } from './from.ts';
import type { Grammar } from './grammar.ts';
import { tokenize, type Token } from './lexer.ts';
import type { OutlinedQuery } from './outline.ts';
import { readPrimary } from './primary.ts';
import { readQuery } from './query.ts';
import { UnconvertedError, syntax, tooLarge } from '../context.ts';
import {
  closesOf,
  isQueryAhead,
  isSymbol,
  peek,
  takeSymbol,
  unexpected,
  type LeftOut,
  type Limits,
  type Source,
} from './source.ts';

/** A query that was read. */
export interface Reading {
  readonly query: Query;
  readonly tokens: readonly Token[];
  /** What the tree does not have, because it changes no rows. */
  readonly leftOut: readonly LeftOut[];
  /** Of each query in the text, if they were asked for. */
  readonly outlines: readonly OutlinedQuery[];
}

export interface ReadOptions {
  /**
   * The first token that is not understood is an error, and so is a part that would be left out. Otherwise a part of an expression
   * that is not understood becomes a node that says so.
   */
  readonly isStrict: boolean;
  readonly limits: Limits;
  /** It is true if the outlines of the queries are wanted. */
  readonly hasOutlines?: boolean;
}

/** At run time: the time for the longest query, and the stack for the deepest one, are small. */
export const STRICT_LIMITS: Limits = {
  characters: 16_384,
  tokens: 4_000,
  depth: 40,
  selects: 64,
  tables: 50,
  operators: 100,
  accessors: 64,
  members: 64,
};

/** Offline. */
export const OFFLINE_LIMITS: Limits = {
  characters: 256 * 1024,
  tokens: 50_000,
  depth: 150,
  selects: Infinity,
  tables: Infinity,
  operators: 400,
  accessors: 400,
  members: 1000,
};

/**
 * Reads a text that contains one query, in time linear in its length. Offsets are in the text.
 * @throws UnconvertedError
 */
export function read(
  text: string,
  grammar: Grammar,
  { isStrict, limits, hasOutlines }: ReadOptions,
): Reading {
  if (text.length > limits.characters)
    tooLarge(limits.characters, `A query may have at most ${limits.characters} characters`);
  const tokens = tokenize(text, grammar.lexical, limits.tokens);
  const source: Source = {
    grammar,
    limits,
    isStrict,
    text,
    tokens,
    closes: closesOf(tokens),
    at: 0,
    depth: 0,
    selects: 0,
    leftOut: [],
    outline: undefined,
    outlines: hasOutlines === true ? [] : undefined,
    rules: { above: readAbove, primary: readPrimary, query: readQuery, from: readFrom },
  };
  const query = readOnly(source);
  return { query, tokens, leftOut: source.leftOut, outlines: source.outlines ?? [] };
}

/** The only query of the text. */
function readOnly(source: Source): Query {
  while (!source.isStrict && takeSymbol(source, ';'));
  requireQuery(source);
  const query = source.rules.query(source);
  while (takeSymbol(source, ';'));
  const { kind, start } = peek(source);
  if (kind !== 'end') {
    if (isSymbol(source, ';', -1))
      syntax(start, 'The text contains several statements, but an endpoint has one query');
    unexpected(source, 'the end of the query', 'Send a single SELECT.');
  }
  if (!source.isStrict) requireShallow(query);
  return query;
}

const HINT = 'Only queries are allowed: SELECT, optionally preceded by WITH.';

function requireQuery(source: Source): void {
  const { kind, start, upper } = peek(source);
  if (isQueryAhead(source)) return;
  if (kind === 'end') throw new UnconvertedError(start, 'statement', 'The text contains no query');
  if (kind === 'symbol' && upper !== ';' && upper !== '(') unexpected(source, 'a query', HINT);
  const message = `${upper.slice(0, 40)} is not a query: an endpoint has one SELECT`;
  throw new UnconvertedError(start, 'statement', message, HINT);
}

/** Later steps are recursive, and take quadratic time for deep trees. */
const MAX_TREE_DEPTH = 1000;

/** @throws UnconvertedError */
function requireShallow(query: Query): void {
  const pending: { readonly part: object; readonly depth: number }[] = [{ part: query, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { part, depth } = next;
    if (depth > MAX_TREE_DEPTH)
      tooLarge(query.at, 'The operators and parentheses of the query are nested too deeply');
    for (const inner of Object.values(part) as readonly unknown[])
      if (typeof inner === 'object' && inner !== null) pending.push({ part: inner, depth: depth + 1 });
  }
}
