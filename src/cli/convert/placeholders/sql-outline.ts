// The top level of a piece of SQL, and what can follow it.
import {
  BEFORE_CONDITION,
  BEFORE_VALUE,
  CLAUSES as CLAUSES_OF_QUERIES,
  FILTERS,
  SET_OPERATORS,
} from '../../../sql/clickhouse/tree/keywords.ts';
import { readRegions } from './source-lexer.ts';
import type { TemplateDialect } from './template.ts';

export interface Outline {
  /** Words in upper case, symbols, `'` for strings and `"` for quoted names, outside of parentheses; `()` for each group. */
  readonly tokens: readonly string[];
  readonly isBalanced: boolean;
}

const TOKEN = /[@:$]?[A-Za-z_\u0080-\uffff][\w\u0080-\uffff$]*|\d[\w.]*|::|<=>|[<>!]=|<>|\|\||->>?|\S/g;

/** The outline of SQL without placeholders other than `:x` and `@x`. Linear in the length of the text. */
export function outlineOf(text: string, dialect: TemplateDialect): Outline {
  const levels: string[][] = [[]];
  let isBalanced = true;
  for (const token of tokensOf(text, dialect)) {
    if (token === '(') levels.push([]);
    else if (token !== ')') levels.at(-1)?.push(token);
    else if (levels.length === 1) isBalanced = false;
    else {
      levels.pop();
      levels.at(-1)?.push('()');
    }
  }
  return { tokens: levels[0] ?? [], isBalanced: isBalanced && levels.length === 1 };
}

const CLAUSES: ReadonlySet<string> = new Set([
  ...CLAUSES_OF_QUERIES,
  ...SET_OPERATORS,
  'OFFSET',
  'ON',
  'JOIN',
]);
/** Also in other dialects. */
const VALUE_AFTER: ReadonlySet<string> = new Set([
  ...CLAUSES,
  ...BEFORE_VALUE,
  ...'RLIKE REGEXP INTERVAL IS TOP ANY SOME FIRST NEXT ESCAPE DATE TIMESTAMP DATETIME DIV MOD'.split(' '),
]);

/** Returns whether these tokens have a clause of their own at the top level. */
export function hasClause(tokens: readonly string[]): boolean {
  return tokens.some((token) => CLAUSES.has(token));
}

/** Returns whether the tokens end with a name after a call, a literal or CASE: `count() total`. */
export function hasBareAlias(tokens: readonly string[]): boolean {
  const [interval, before = '', last = ''] = tokens.slice(-3).length < 3 ? ['', ...tokens] : tokens.slice(-3);
  const isAfterValue = /^(\(\)|'|\d[\w.]*|END)$/.test(before) && interval !== 'INTERVAL';
  return isAfterValue && (last === '"' || (/^[A-Z_]\w*$/.test(last) && !/^(END|ASC|DESC)$/.test(last)));
}

/** Returns whether a condition of its own begins with a token, such as WHERE. */
export function isFilter(token: string): boolean {
  return FILTERS.has(token);
}

/** Returns whether a condition, or a part of one, follows a token. */
export function precedesCondition(token: string | undefined): boolean {
  return token !== undefined && BEFORE_CONDITION.has(token);
}

/** What can come after the SQL read so far. */
export interface Expectation {
  /** It is true if a value can come next. */
  readonly value: boolean;
  /** The clause that the end is in, such as ORDER; undefined in parentheses without one. */
  readonly clause: string | undefined;
  /** It is true if an element of that clause's list begins here. */
  readonly isItem: boolean;
  /** The last token, as in `Outline`; undefined after an opening bracket. */
  readonly last: string | undefined;
  /** The token before the bracket that is open. */
  readonly opener: string | undefined;
  /** A part of the pattern of LIKE comes next, or a list whose elements a lambda uses as patterns. */
  readonly isPattern: boolean;
}

export interface SqlPosition {
  readonly add: (text: string) => void;
  readonly expectation: () => Expectation;
  /** The brackets that are open, from the outermost, which is the whole text. */
  readonly levels: () => readonly Pick<Expectation, 'clause' | 'opener'>[];
  /** A position of its own, from here on. */
  readonly fork: () => SqlPosition;
}

interface PositionLevel {
  readonly last: string | undefined;
  readonly clause: string | undefined;
  readonly pattern: Pattern | undefined;
  readonly hasLambda: boolean;
}

/** `around`: the brackets are in a pattern. `list`: the lambda before the comma has one. */
type Pattern = 'here' | 'around' | 'list';

const LIKE = /^(NOT)?I?LIKE$/;
const AFTER_PATTERN: ReadonlySet<string> = new Set(['AND', 'OR', 'AS', 'THEN', 'ELSE', 'END', ',']);

function patternAfter(token: string, { pattern, hasLambda }: PositionLevel): Pattern | undefined {
  if (LIKE.test(token)) return 'here';
  if (CLAUSES.has(token)) return undefined;
  if (pattern !== 'here' || !AFTER_PATTERN.has(token)) return pattern;
  return hasLambda && token === ',' ? 'list' : undefined;
}

/** Follows SQL that is added in pieces, each of whole tokens. Linear in the length of all pieces. */
export function createPosition(
  dialect: TemplateDialect,
  from: readonly PositionLevel[] = [START],
): SqlPosition {
  const levels = [...from];
  const push = (token: string): void => {
    const level = levels.pop() ?? START;
    levels.push({
      last: token,
      clause: CLAUSES.has(token) ? token : level.clause,
      pattern: patternAfter(token, level),
      hasLambda: level.hasLambda || token === '->',
    });
  };
  return {
    add: (text) => {
      for (const token of tokensOf(text, dialect)) {
        if (token === '(')
          levels.push(levels.at(-1)?.pattern === undefined ? START : { ...START, pattern: 'around' });
        else if (token !== ')') push(token);
        else {
          if (levels.length > 1) levels.pop();
          push('()');
        }
      }
    },
    expectation: () => {
      const { last, clause, pattern } = levels.at(-1) ?? START;
      const isOperator = last !== undefined && /^\W+$/.test(last) && !NO_OPERATORS.has(last);
      const value = last === undefined ? levels.length > 1 : VALUE_AFTER.has(last) || isOperator;
      const isItem = last === ',' || last === 'BY' || last === 'SELECT' || last === 'DISTINCT';
      const opener = levels.at(-2)?.last;
      return {
        value,
        clause,
        isItem: isItem && clause !== undefined,
        last,
        opener,
        isPattern: pattern !== undefined,
      };
    },
    levels: () => levels.map(({ clause }, index) => ({ clause, opener: levels[index - 1]?.last })),
    fork: () => createPosition(dialect, levels),
  };
}

const START: PositionLevel = { last: undefined, clause: undefined, pattern: undefined, hasLambda: false };
const NO_OPERATORS: ReadonlySet<string> = new Set(['()', "'", '"', '.', ';', '::']);

/** Tokens as in `Outline`, with `(` and `)` for brackets of both kinds. */
function* tokensOf(text: string, dialect: TemplateDialect): Generator<string> {
  for (const { kind, start, end } of readRegions(text, dialect, () => undefined)) {
    if (kind === 'string') yield "'";
    else if (kind === 'quoted') yield '"';
    else if (kind === 'code')
      for (const [token] of text.slice(start, end).matchAll(TOKEN))
        yield token === '[' ? '(' : token === ']' ? ')' : token.toUpperCase();
  }
}
