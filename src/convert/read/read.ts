// Reads one query of another database system.
import type { Query } from '../../sql/syntax-tree.ts';
import type { ConversionNote, ForeignDialect, Reads } from '../../dialects/conversion.ts';
import { readAbove } from './expression.ts';
import { tokenize } from './lexer.ts';
import { readPrimary } from './primary.ts';
import { createReadQuery, type ParseSkeleton } from './query.ts';
import { ReadError, syntaxError } from './read-error.ts';
import { readsOf, type Comparison } from './reads.ts';
import { type Source, isQueryAhead, isSymbol, peek, takeSymbol, unexpected } from './source.ts';

/** A query that was read, and what was left out of it. */
export interface Reading {
  readonly query: Query;
  readonly notes: readonly ConversionNote[];
  readonly reads: Reads;
  readonly comparisons: readonly Comparison[];
}

/**
 * Reads a text that contains one query. Offsets are in the text.
 * @throws ReadError
 */
export function read(text: string, dialect: ForeignDialect, parse: ParseSkeleton): Reading {
  const source: Source = {
    dialect,
    text,
    tokens: tokenize(text, dialect),
    at: 0,
    depth: 0,
    notes: [],
    rules: { above: readAbove, primary: readPrimary },
    ...createReadQuery(parse),
  };
  while (takeSymbol(source, ';'));
  requireQuery(source);
  const query = source.query(source);
  while (takeSymbol(source, ';'));
  const { kind, start } = peek(source);
  if (kind !== 'end') {
    if (isSymbol(source, ';', -1))
      syntaxError(start, 'The text contains several statements, but an endpoint has one query');
    unexpected(source, 'the end of the query');
  }
  requireShallow(query);
  return { query, notes: source.notes, ...readsOf(query) };
}

/** Later steps are recursive, and take quadratic time for deep trees. */
const MAX_TREE_DEPTH = 1000;

/** @throws ReadError */
function requireShallow(query: Query): void {
  const pending: { readonly part: object; readonly depth: number }[] = [{ part: query, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { part, depth } = next;
    if (depth > MAX_TREE_DEPTH)
      throw new ReadError(
        query.at,
        'The operators and parentheses of the query are nested too deeply',
        'too_large',
      );
    for (const inner of Object.values(part) as readonly unknown[])
      if (typeof inner === 'object' && inner !== null) pending.push({ part: inner, depth: depth + 1 });
  }
}

function requireQuery(source: Source): void {
  const { kind, start, upper } = peek(source);
  if (isQueryAhead(source)) return;
  if (kind === 'end') throw new ReadError(start, 'The text contains no query', 'statement');
  const message = `${upper.slice(0, 40)} is not a query: an endpoint has one SELECT`;
  throw new ReadError(start, message, 'statement');
}
