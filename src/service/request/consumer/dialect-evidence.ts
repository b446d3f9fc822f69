// What in a query shows its SQL dialect: constructs that only one dialect has.
import type { FunctionPolicy } from '../../../guard/sandbox/functions/policy.ts';
import { createCursor, type Cursor } from '../../../sql/clickhouse/cursor.ts';
import type { TokenKind } from '../../../sql/clickhouse/lexer.ts';
import { BEFORE_VALUE, CLAUSES } from '../../../sql/clickhouse/tree/keywords.ts';

/** A query as read for evidence. `query` has the tokens of ClickHouse's lexer, whatever the dialect. */
export interface EvidenceText {
  readonly query: Cursor;
  /** The functions that the endpoint's sandbox knows. */
  readonly functions: FunctionPolicy;
  /** Names of the endpoint's tables, and of their columns, in lower case. */
  readonly tables: ReadonlySet<string>;
  readonly columns: ReadonlySet<string>;
  /** They are read when first needed: most queries need none. */
  readonly levels: () => Levels;
}

/** It describes the brackets of a query by the index of a token. */
interface Levels {
  /** It is the highest number of nested brackets. */
  readonly depth: number;
  /** The keyword of the clause that contains a token, at the same level of brackets; undefined before any. */
  readonly clauses: readonly (string | undefined)[];
  /** Index of the bracket that contains a token; undefined if none does. */
  readonly openers: readonly (number | undefined)[];
  /** It has the index of the opening bracket for each closing one. */
  readonly openings: ReadonlyMap<number, number>;
}

/** What the token at `index` begins that only one dialect has, in any spelling; undefined if nothing. */
export type Evidence = (text: EvidenceText, index: number) => string | undefined;

/** The constructs of a dialect by the token that they begin with, so that most tokens cost nothing. */
export interface Constructs {
  /** By the word, in upper case. */
  readonly words: Readonly<Record<string, readonly Evidence[]>>;
  /** Of any word, by the kind of the token after it. */
  readonly beforeKinds: readonly (readonly [kind: TokenKind, constructs: readonly Evidence[]])[];
  /** By the kind of the token, if it is no word. */
  readonly kinds: readonly (readonly [kind: TokenKind, constructs: readonly Evidence[]])[];
}

/** The first construct that begins at a token. */
export function evidenceOf(constructs: Constructs): Evidence {
  const words = new Map(Object.entries(constructs.words));
  const beforeKinds = new Map(constructs.beforeKinds);
  const kinds = new Map(constructs.kinds);
  const first = (found: readonly Evidence[] | undefined, text: EvidenceText, index: number) => {
    for (const construct of found ?? []) {
      const name = construct(text, index);
      if (name !== undefined) return name;
    }
    return undefined;
  };
  return (text, index) => {
    const { query } = text;
    const kind = query.kind(index);
    if (kind === undefined) return undefined;
    if (kind !== 'word') return first(kinds.get(kind), text, index);
    const next = query.kind(index + 1);
    return (
      first(words.get(query.word(index) ?? ''), text, index) ??
      (next === undefined ? undefined : first(beforeKinds.get(next), text, index))
    );
  };
}

export function readEvidenceText(
  sql: string,
  known: Pick<EvidenceText, 'functions' | 'tables' | 'columns'>,
): EvidenceText {
  const query = createCursor(sql);
  let levels: Levels | undefined;
  return { ...known, query, levels: () => (levels ??= readLevels(query)) };
}

/** The number of different constructs of this kind in the query. */
export function countEvidence(text: EvidenceText, evidence: Evidence): number {
  const found = new Set<string>();
  for (let index = 0; index < text.query.length; index++) {
    const construct = evidence(text, index);
    if (construct !== undefined) found.add(construct);
  }
  return found.size;
}

function readLevels(query: Cursor): Levels {
  const clauses: (string | undefined)[] = [];
  const openers: (number | undefined)[] = [];
  const openings = new Map<number, number>();
  let depth = 0;
  const open: { readonly at: number | undefined; clause: string | undefined }[] = [
    { at: undefined, clause: undefined },
  ];
  for (let index = 0; index < query.length; index++) {
    const kind = query.kind(index);
    const closed = kind === ')' || kind === ']' ? open.pop()?.at : undefined;
    if (closed !== undefined) openings.set(index, closed);
    if (open.length === 0) open.push({ at: undefined, clause: undefined });
    const level = open.at(-1);
    const word = query.word(index);
    if (level !== undefined && CLAUSES.has(word ?? '') && query.kind(index - 1) !== '.') level.clause = word;
    clauses.push(level?.clause);
    openers.push(level?.at);
    if (kind === '(' || kind === '[') open.push({ at: index, clause: undefined });
    depth = Math.max(depth, open.length - 1);
  }
  return { depth, clauses, openers, openings };
}

/** Returns whether the words come next, in this order. */
export function follows(query: Cursor, index: number, words: readonly string[]): boolean {
  return words.every((word, ahead) => query.word(index + ahead) === word);
}

/** Returns whether a value ends with the token, so that an operator follows. */
export function endsValue(query: Cursor, index: number): boolean {
  const kind = query.kind(index);
  if (kind === 'word') return !BEFORE_VALUE.has(query.word(index) ?? '') && query.word(index) !== 'AS';
  return kind === 'quoted' || kind === 'number' || kind === 'string' || kind === ')' || kind === ']';
}
