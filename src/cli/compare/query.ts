// A variant of a saved query prepared for comparison: its parts, which are the elements of the WITH clause and the main SELECT.
import type { Analysis } from '../../service/endpoints/analysis.ts';
import type { QueryPlace } from '../../service/endpoints/variant-query.ts';
import { tokenTexts } from '../../sql/clickhouse/tree/lexemes.ts';

export interface QueryPart {
  /** table, hidden, scalar and expression are elements of the WITH clause. */
  readonly kind: 'table' | 'hidden' | 'scalar' | 'expression' | 'main';
  /** The name used in messages. */
  readonly name: string;
  /** Where it begins in the file. */
  readonly place: QueryPlace;
}

export interface Query {
  /** Equal for variants of queries that differ only in whitespace and comments. */
  readonly key: string;
  /** The elements of the WITH clause in order, then the main SELECT. */
  readonly parts: readonly QueryPart[];
}

export const MAIN = 'the main query';

/** Reads the query of a file that compiled. */
export function readQuery({ inBound, outline, text }: Analysis): Query {
  if (outline === undefined) throw new Error('a query without an outline does not compile');
  const spans = [
    ...outline.elements.map(({ kind, name, start }) => ({ kind, name, start })),
    { kind: 'main' as const, name: MAIN, start: outline.mainStart },
  ];
  const parts = spans.map(({ kind, name, start }) => ({ kind, name, place: inBound(start) }));
  return { key: tokenTexts(text).join(' '), parts };
}
