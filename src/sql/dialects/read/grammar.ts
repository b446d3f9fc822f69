// How a dialect is read: lexical rules, operators by precedence, and features.
import { WHITE_SPACE } from '../../clickhouse/white-space.ts';
import type { ChainOperator, IndexBase, LikeOperator, TimeType } from '../tree.ts';
import { keywordsThat } from './keywords.ts';

/** What follows a backslash in a string. */
export interface Escapes {
  /** By the character after the backslash. */
  readonly characters: Readonly<Record<string, string>>;
  /** A code in hexadecimal digits: one of the groups has them. Sticky. */
  readonly hexadecimal?: RegExp;
  /** A code in octal digits. Sticky. */
  readonly octal?: RegExp;
  /** Other characters keep the backslash (`pattern`), lose it (`dropped`), or are an error. */
  readonly others: 'dropped' | 'pattern' | 'error';
}

/** What the characters between the quotes are: text, the digits of bytes or bits, or text with `\0061`. */
type Content = 'text' | 'bytes' | 'hexadecimal' | 'bits' | 'unicode' | 'unsupported';

/** A kind of string literal. */
export interface StringForm {
  readonly content: Content;
  /** `undefined`: a backslash is a character. */
  readonly escapes?: Escapes;
  /** It is true if a backslash keeps the quote after it from closing the string, although both stay in its value. */
  readonly isRaw?: boolean;
}

export interface LexicalRules {
  /** Characters that quote names. */
  readonly names: string;
  /** What is not allowed in a quoted name. */
  readonly notInNames?: RegExp;
  /** Characters that quote strings. */
  readonly strings: string;
  /** A string without a prefix. */
  readonly plain: StringForm;
  /** By prefix, in lower case. */
  readonly prefixes: Readonly<Record<string, StringForm>>;
  /** MySQL: a character set before a string, such as `_utf8mb4'x'`. */
  readonly hasCharacterSets: boolean;
  /** A quote in a string is written twice. */
  readonly hasDoubledQuotes: boolean;
  readonly hasTripleQuotes: boolean;
  readonly hasDollarStrings: boolean;
  /** A line ends a string that is not closed. */
  readonly isOneLine: boolean;
  readonly hasNestedComments: boolean;
  /** MySQL runs what is in comments that begin with `!`. */
  readonly hasRunComments: boolean;
  /** The start of a comment to the end of the line. Sticky. */
  readonly comment: RegExp;
  /** White space and such comments. Sticky. */
  readonly space: RegExp;
  /** Sticky. */
  readonly word: RegExp;
  /** Sticky. */
  readonly number: RegExp;
  /** It is true if a word may follow a number without a space. */
  readonly isWordAfterNumber: boolean;
  /** Names of columns by position, such as `$1`. Sticky. */
  readonly position?: RegExp;
  /** Symbols of several characters, longer ones before their prefixes. */
  readonly symbols: readonly string[];
}

/** Comments that begin with one of these, to the end of the line. */
export function commentsOf(...starts: readonly string[]): Pick<LexicalRules, 'comment' | 'space'> {
  const comments = starts.map((start) => `${start}[^\\n]*`);
  return {
    comment: new RegExp(starts.join('|'), 'y'),
    space: new RegExp([`[${WHITE_SPACE}]+`, ...comments].join('|'), 'y'),
  };
}

/** In MySQL, `5--3` is 8: white space must follow the hyphens. */
export const SPACED_HYPHENS = `--(?=[${WHITE_SPACE}]|$)`;

const TEXT: StringForm = { content: 'text' };

/** What most dialects have. */
export const STANDARD_LEXICAL: LexicalRules = {
  names: '"',
  strings: "'",
  plain: TEXT,
  prefixes: {},
  hasCharacterSets: false,
  hasDoubledQuotes: true,
  hasTripleQuotes: false,
  hasDollarStrings: false,
  isOneLine: false,
  hasNestedComments: false,
  hasRunComments: false,
  ...commentsOf('--'),
  word: /[\p{L}_][\p{L}\p{N}_$]*/uy,
  number: /0[xX][\da-fA-F]+|(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y,
  isWordAfterNumber: true,
  symbols: [
    '!~~*', '->>', '#>>', '<=>', '!~~', '~~*', '!~*', '@>', '<@', '->', '#>', '~~', '~*', '!~', '||', '&&', '<>', '!=',
    '>=', '<=', '==', '::', ':=', '=>', '<<', '>>', '?|', '?&', '@@', '@?', '**', '#-',
  ], // prettier-ignore
};

/** Higher binds tighter. */
export type Power = number;

/** The operators of a dialect and how tightly they bind. */
interface Operators {
  /** Infix operators by their first word or symbol. */
  readonly infix: ReadonlyMap<string, Power>;
  /** Of NOT before a condition. */
  readonly not: Power;
  /** Of BETWEEN, IN, LIKE and similar. */
  readonly predicate: Power;
  /** Of IS. */
  readonly is: Power;
  /** Symbols before a value. */
  readonly signs: ReadonlySet<string>;
  /** Operators whose chains are one node. */
  readonly chains: Readonly<Record<string, ChainOperator>>;
  /** Symbols that match a pattern. */
  readonly patterns: Readonly<Record<string, readonly [operator: LikeOperator, isNot: boolean]>>;
  /** Words that match a pattern. */
  readonly likes: readonly (readonly [words: readonly string[], operator: LikeOperator])[];
  /** The first tokens of BETWEEN, IN, LIKE and similar, and of those that are not read. */
  readonly predicates: ReadonlySet<string>;
  /** Operators of the dialect that are not read, with what to write instead. */
  readonly unread: readonly { readonly tokens: readonly string[]; readonly hint?: string }[];
}

/** Constructs that some dialects have. */
export type Feature =
  /** `x -> …` */
  | 'lambdas'
  /** `a[OFFSET(0)]` */
  | 'based indexes'
  /** `'a' 'b'` is one string. */
  | 'adjacent strings'
  /** `SELECT 1 'name'` */
  | 'string aliases'
  /** Typed tables, and `STRUCT<a INT64>(1)`. */
  | 'structs'
  /** `{'a': 1}` */
  | 'objects'
  /** `v:a.b` */
  | 'colon paths'
  /** `int[]` */
  | 'array suffixes'
  /** A comma after the last element. */
  | 'trailing commas'
  /** `SAFE.f(x)` */
  | 'safe calls'
  /** `x IS y` */
  | 'is any'
  /** `x IN ()` */
  | 'empty lists'
  /** `x ISNULL` */
  | 'isnull'
  /** The first of several values after INTERVAL may be an expression. */
  | 'interval expressions'
  /** NOT LIKE ANY has a documented meaning. */
  | 'not like any'
  /** LIKE ANY is followed by a list, not by an array. */
  | 'like lists'
  /** `BINARY x`, `CONVERT(x, type)`, `MATCH (a) AGAINST (…)`, STRAIGHT_JOIN, index hints, LOCK IN SHARE MODE. */
  | 'extended forms'
  /** VALUES is a function, and rows begin with ROW. */
  | 'values function'
  /** `FROM dual` */
  | 'dual'
  /** `my-project.dataset.table`, and several names in one pair of quotes. */
  | 'dashed tables'
  /** SELECT AS STRUCT and SELECT AS VALUE. */
  | 'select as'
  /** INTERSECT binds tighter than UNION and EXCEPT. */
  | 'tight intersect'
  /** UNION needs ALL or DISTINCT, and operators are not mixed. */
  | 'exact set operations'
  /** VALUES, TABLE(…), NATURAL, LATERAL, ONLY, columns after an alias, FETCH, TOP, MINUS, DISTINCT ON, several forms of LIMIT. */
  | 'standard clauses'
  /** FILTER, WITHIN GROUP, SEPARATOR, ESCAPE, slices and quantified comparisons. */
  | 'standard calls';

export interface Grammar {
  readonly lexical: LexicalRules;
  readonly operators: Operators;
  readonly features: ReadonlySet<Feature>;
  /** Keywords that are names only in quotes. */
  readonly reserved: ReadonlySet<string>;
  /** Keywords that begin no value, without being reserved. */
  readonly notValues: ReadonlySet<string>;
  /** Keywords that are no alias without AS. */
  readonly notAliases: ReadonlySet<string>;
  /** Reserved keywords that are functions. */
  readonly callable: ReadonlySet<string>;
  /** Functions that are called without parentheses. */
  readonly bare: ReadonlySet<string>;
  /** Calls whose arguments are separated by words. */
  readonly specialCalls: ReadonlySet<string>;
  /** Types before a string literal. */
  readonly typedLiterals: Readonly<Record<string, TimeType | 'cast'>>;
  /** What elements of an array count from. */
  readonly indexBase: IndexBase;
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** The words of a text. */
export const setOf = (text: string): ReadonlySet<string> => new Set(words(text));

const CHAINS: Operators['chains'] = { AND: 'AND', OR: 'OR', '||': '||' };
const LIKES: Operators['likes'] = [
  [['LIKE'], 'LIKE'],
  [['ILIKE'], 'ILIKE'],
  [['SIMILAR', 'TO'], 'SIMILAR TO'],
  [['RLIKE'], 'REGEXP'],
  [['REGEXP'], 'REGEXP'],
  [['GLOB'], 'GLOB'],
];
const UNREAD: Operators['unread'] = [
  { tokens: ['SOUNDS', 'LIKE'] },
  { tokens: ['MEMBER', 'OF'] },
  { tokens: ['OVERLAPS'] },
  { tokens: ['MATCH'] },
];

/** The operators of a dialect by level, from those that bind least tightly. Words in parentheses name the levels of NOT, IS and LIKE. */
export function operatorsOf(
  levels: readonly (readonly string[])[],
  { likes = LIKES, unread = UNREAD, ...more }: Partial<Operators> = {},
): Operators {
  const infix = new Map(
    levels.flatMap((operators, level) => operators.map((each) => [each, level + 1] as const)),
  );
  const of = (name: string): Power => infix.get(name) ?? 0;
  return {
    infix,
    not: of('(not)'),
    predicate: of('(predicate)'),
    is: of('(is)'),
    signs: new Set(['-', '+', '~', '!']),
    chains: CHAINS,
    patterns: {},
    likes,
    unread,
    predicates: new Set([
      'NOT',
      'BETWEEN',
      'IN',
      ...likes.map(([words]) => words[0] ?? ''),
      ...unread.map(({ tokens }) => tokens[0] ?? ''),
    ]),
    ...more,
  };
}

/** Of a sign before a value: higher than all infix operators except AT TIME ZONE, to which it applies. */
export const SIGN_POWER: Power = 12;

export const COMPARISONS: readonly string[] = ['=', '==', '<>', '!=', '<', '>', '<=', '>=', '<=>'];

const CASTS = Object.fromEntries(
  words(
    'TIME TIMESTAMP JSON JSONB NUMERIC DECIMAL BIGNUMERIC UUID INET BYTEA TEXT VARCHAR INT INTEGER BIGINT BOOLEAN FLOAT DOUBLE REAL',
  ).map((each) => [each, 'cast'] as const),
);

/** What most dialects have. */
export const STANDARD_GRAMMAR: Omit<Grammar, 'lexical' | 'operators' | 'features'> = {
  reserved: new Set(),
  notValues: keywordsThat('value'),
  notAliases: keywordsThat('alias'),
  callable: new Set(),
  bare: setOf(`CURRENT_DATE CURRENT_TIMESTAMP CURRENT_TIME LOCALTIMESTAMP LOCALTIME CURRENT_USER SESSION_USER CURRENT_DATETIME SYSDATE
    UTC_TIMESTAMP UTC_DATE`),
  specialCalls: setOf(
    'CAST TRY_CAST SAFE_CAST CONVERT EXTRACT TRIM SUBSTRING SUBSTR POSITION STRUCT MATCH OVERLAY',
  ),
  typedLiterals: {
    ...CASTS,
    DATE: 'date',
    TIMESTAMPTZ: 'timestamp',
    DATETIME: 'datetime',
    TIMESTAMP_NTZ: 'timestamp',
    TIMESTAMP_LTZ: 'timestamp',
    TIMESTAMP_TZ: 'timestamp',
  },
  indexBase: 1,
};

/** Constructs that most dialects have. */
export const STANDARD_FEATURES: readonly Feature[] = [
  'array suffixes',
  'not like any',
  'tight intersect',
  'standard clauses',
  'standard calls',
];
