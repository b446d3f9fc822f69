// Reads BigQuery tokens in sequence, with limits on nesting and on the number of SELECTs.
import { syntax, tooLarge } from '../translation-error.ts';
import { createTokenReader, type TokenSource } from '../../sql/token-reader.ts';
import type { Token } from './lexer.ts';
import type { Expression, Name, Query } from '../../sql/syntax-tree.ts';

/** The two mutually recursive rules that all others use. */
export interface Grammar {
  readonly query: (reader: Reader) => Query;
  readonly expression: (reader: Reader) => Expression;
}

/** Reads the tokens of one query in sequence. Every rejection is an UnconvertedError at the next token. */
export interface Reader {
  readonly grammar: Grammar;
  /** The token `ahead` of the next one. */
  readonly peek: (ahead?: number) => Token;
  /** Offset of the next token. */
  readonly at: () => number;
  /** The next token in upper case; undefined if it is not an unquoted word. */
  readonly word: (ahead?: number) => string | undefined;
  /** Whether the next token is this symbol. */
  readonly isSymbol: (symbol: string, ahead?: number) => boolean;
  readonly next: () => Token;
  /** Consumes these keywords if they come next, in this order. */
  readonly take: (...words: readonly string[]) => boolean;
  readonly takeSymbol: (symbol: string) => boolean;
  readonly expect: (...words: readonly string[]) => void;
  readonly expectSymbol: (symbol: string) => void;
  /** Reads a name; unquoted names must not be reserved keywords. */
  readonly name: (what: string) => Name;
  /** Whether a name comes next. */
  readonly isName: (ahead?: number) => boolean;
  /** Reads one level deeper; rejects too many levels. */
  readonly nest: <T>(read: () => T) => T;
  /** Counts one more SELECT towards the limit. */
  readonly another: () => void;
  /** Rejects the next token. */
  readonly reject: (expected: string, hint?: string) => never;
}

const MAX_DEPTH = 40;
const MAX_SELECTS = 64;

/** Keywords that are names only in backquotes. Source: BigQuery, Reserved keywords. */
const RESERVED: ReadonlySet<string> = new Set(
  `ALL AND ANY ARRAY AS ASC ASSERT_ROWS_MODIFIED AT BETWEEN BY CASE CAST COLLATE CONTAINS CREATE CROSS CUBE CURRENT
   DEFAULT DEFINE DESC DISTINCT ELSE END ENUM ESCAPE EXCEPT EXCLUDE EXISTS EXTRACT FALSE FETCH FOLLOWING FOR FROM FULL
   GROUP GROUPING GROUPS HASH HAVING IF IGNORE IN INNER INTERSECT INTERVAL INTO IS JOIN LATERAL LEFT LIKE LIMIT LOOKUP
   MERGE NATURAL NEW NO NOT NULL NULLS OF ON OR ORDER OUTER OVER PARTITION PRECEDING PROTO QUALIFY RANGE RECURSIVE
   RESPECT RIGHT ROLLUP ROWS SELECT SET SOME STRUCT TABLESAMPLE THEN TO TREAT TRUE UNBOUNDED UNION UNNEST USING WHEN
   WHERE WINDOW WITH WITHIN`.split(/\s+/),
);

/** `tokens` end with an `end` token, which is never passed. */
export function createReader(tokens: readonly Token[], grammar: Grammar): Reader {
  const { at, kind, word, skip, take, takeKind } = createTokenReader(sourceOf(tokens));
  const end = tokens.at(-1) ?? { kind: 'end', text: '', start: 0, end: 0 };
  const peek = (ahead = 0): Token => tokens[at() + ahead] ?? end;
  const takeNext = (): Token => {
    const token = peek();
    skip();
    return token;
  };
  let depth = 0;
  let selects = 0;
  const reject = (expected: string, hint?: string): never => {
    const next = peek();
    const shown = next.kind === 'end' ? 'the query ends' : `found ${next.text.slice(0, 40)}`;
    return syntax(next.start, `Expected ${expected}, but ${shown}`, hint);
  };
  const isName = (ahead = 0) =>
    kind(ahead) === 'quoted' || (kind(ahead) === 'word' && !RESERVED.has(word(ahead) ?? ''));
  return {
    grammar,
    peek,
    next: takeNext,
    word,
    take,
    isSymbol: (symbol, ahead) => kind(ahead) === symbol,
    takeSymbol: takeKind,
    at: () => peek().start,
    expect: (...words) => void (take(...words) || reject(words.join(' '))),
    expectSymbol: (symbol) => void (takeKind(symbol) || reject(symbol)),
    isName,
    name: (what) => {
      if (!isName()) reject(what);
      const token = takeNext();
      return { name: token.text, at: token.start };
    },
    nest: (read) => {
      if (++depth > MAX_DEPTH)
        tooLarge(peek().start, `A query may have at most ${MAX_DEPTH} levels of nesting`);
      const value = read();
      depth--;
      return value;
    },
    another: () => {
      if (++selects > MAX_SELECTS) tooLarge(peek().start, `A query may have at most ${MAX_SELECTS} SELECTs`);
    },
    reject,
  };
}

/** Tokens by index. A symbol is a kind of its own, such as `(`. */
function sourceOf(tokens: readonly Token[]): TokenSource<string> {
  const kind = (index: number) =>
    tokens[index]?.kind === 'symbol' ? tokens[index].text : tokens[index]?.kind;
  return {
    kind,
    text: (index) => tokens[index]?.text ?? '',
    word: (index) => (kind(index) === 'word' ? tokens[index]?.text.toUpperCase() : undefined),
  };
}
