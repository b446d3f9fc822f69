// Token cursor with a nesting limit, used by the parser.
import { syntax, tooLarge } from '../translation-error.ts';
import { tokenize, type Token } from './lexer.ts';
import type { Expression, Name, Query } from '../tree.ts';

/** The two mutually recursive rules that all others use. */
export interface Grammar {
  readonly query: (reader: Reader) => Query;
  readonly expression: (reader: Reader) => Expression;
}

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

export function createReader(text: string, grammar: Grammar): Reader {
  const tokens = createCursor(text);
  const { peek, word, take, takeSymbol, next } = tokens;
  let depth = 0;
  let selects = 0;
  const reject = (expected: string, hint?: string): never => {
    const { kind, text: seen, start } = peek();
    const shown = kind === 'end' ? 'the query ends' : `found ${seen.slice(0, 40)}`;
    return syntax(start, `Expected ${expected}, but ${shown}`, hint);
  };
  const isName = (ahead = 0) => {
    const { kind } = peek(ahead);
    return kind === 'quoted' || (kind === 'word' && !RESERVED.has(word(ahead) ?? ''));
  };
  return {
    ...tokens,
    grammar,
    at: () => peek().start,
    expect: (...words) => void (take(...words) || reject(words.join(' '))),
    expectSymbol: (symbol) => void (takeSymbol(symbol) || reject(symbol)),
    isName,
    name: (what) => {
      if (!isName()) reject(what);
      const token = next();
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

type Cursor = Pick<Reader, 'peek' | 'word' | 'isSymbol' | 'next' | 'take' | 'takeSymbol'>;

/** The current position in the tokens. */
function createCursor(text: string): Cursor {
  const tokens = tokenize(text);
  const end: Token = { kind: 'end', text: '', start: text.length, end: text.length };
  let index = 0;
  const peek = (ahead = 0): Token => tokens[index + ahead] ?? end;
  const word = (ahead = 0) => {
    const token = peek(ahead);
    return token.kind === 'word' ? token.text.toUpperCase() : undefined;
  };
  const isSymbol = (symbol: string, ahead = 0) => {
    const token = peek(ahead);
    return token.kind === 'symbol' && token.text === symbol;
  };
  return {
    peek,
    word,
    isSymbol,
    next: () => {
      const token = peek();
      index++;
      return token;
    },
    take: (...words) => {
      const comes = words.every((each, ahead) => word(ahead) === each);
      if (comes) index += words.length;
      return comes;
    },
    takeSymbol: (symbol) => {
      const comes = isSymbol(symbol);
      if (comes) index++;
      return comes;
    },
  };
}
