// How BigQuery's SQL is read.
import { operatorsOf, setOf, type Grammar } from '../read/grammar.ts';
import { commentsOf, STANDARD_LEXICAL, type Escapes, type StringForm } from '../read/lexical-rules.ts';

/** Source: BigQuery, "Escape sequences". */
const ESCAPES: Escapes = {
  characters: {
    a: '\x07',
    b: '\b',
    f: '\f',
    n: '\n',
    r: '\r',
    t: '\t',
    v: '\v',
    '\\': '\\',
    '?': '?',
    '"': '"',
    "'": "'",
    '`': '`',
  },
  hexadecimal: /[xX]([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})/y,
  octal: /[0-3][0-7]{2}/y,
  others: 'error',
};
const TEXT: StringForm = { content: 'text', escapes: ESCAPES };
const RAW: StringForm = { content: 'text', isRaw: true };
const RAW_BYTES: StringForm = { content: 'bytes', isRaw: true };

/** Source: BigQuery, "Reserved keywords". */
const RESERVED = setOf(
  `ALL AND ANY ARRAY AS ASC ASSERT_ROWS_MODIFIED AT BETWEEN BY CASE CAST COLLATE CONTAINS CREATE CROSS CUBE CURRENT
   DEFAULT DEFINE DESC DISTINCT ELSE END ENUM ESCAPE EXCEPT EXCLUDE EXISTS EXTRACT FALSE FETCH FOLLOWING FOR FROM FULL
   GROUP GROUPING GROUPS HASH HAVING IF IGNORE IN INNER INTERSECT INTERVAL INTO IS JOIN LATERAL LEFT LIKE LIMIT LOOKUP
   MERGE NATURAL NEW NO NOT NULL NULLS OF ON OR ORDER OUTER OVER PARTITION PRECEDING PROTO QUALIFY RANGE RECURSIVE
   RESPECT RIGHT ROLLUP ROWS SELECT SET SOME STRUCT TABLESAMPLE THEN TO TREAT TRUE UNBOUNDED UNION UNNEST USING WHEN
   WHERE WINDOW WITH WITHIN`,
);

/** PostgreSQL's operators for patterns. */
const MATCH_HINT = "Write REGEXP_CONTAINS(x, r'pattern'), with (?i) at its start to ignore case.";

export const GRAMMAR: Grammar = {
  // Source: BigQuery, "Lexical structure and syntax".
  lexical: {
    ...STANDARD_LEXICAL,
    names: '`',
    notInNames: /[\\'"\p{Cc}]/u,
    strings: `'"`,
    plain: TEXT,
    prefixes: { r: RAW, b: { content: 'bytes', escapes: ESCAPES }, rb: RAW_BYTES, br: RAW_BYTES },
    hasDoubledQuotes: false,
    hasTripleQuotes: true,
    isOneLine: true,
    ...commentsOf('--', '#'),
    word: /[A-Za-z_][A-Za-z0-9_]*/y,
    number: /0[xX][\da-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y,
    isWordAfterNumber: false,
    symbols: ['<=', '>=', '<>', '!=', '||', '<<', '>>', '=>', '->', '::', '@@'],
  },
  // Source: GoogleSQL, "Operator precedence".
  operators: operatorsOf(
    [
      ['OR'],
      ['AND'],
      ['(not)'],
      ['=', '<>', '!=', '<', '>', '<=', '>=', '(is)', '(predicate)'],
      ['|'],
      ['^'],
      ['&'],
      ['<<', '>>'],
      ['+', '-'],
      ['*', '/', '||', '%'],
    ],
    {
      signs: new Set(['-', '+', '~']),
      likes: [
        [['LIKE'], 'LIKE'],
        [['ILIKE'], 'ILIKE'],
      ],
      unread: [
        { tokens: ['SIMILAR', 'TO'], hint: MATCH_HINT },
        { tokens: ['~'], hint: MATCH_HINT },
        { tokens: ['%'], hint: 'Write MOD(a, b).' },
      ],
    },
  ),
  features: new Set([
    'lambdas',
    'based indexes',
    'structs',
    'trailing commas',
    'safe calls',
    'interval expressions',
    'like lists',
    'dashed tables',
    'select as',
    'exact set operations',
  ]),
  reserved: RESERVED,
  notValues: RESERVED,
  notAliases: RESERVED,
  callable: setOf('IF LEFT RIGHT ANY HASH GROUPING UNNEST'),
  bare: setOf('CURRENT_TIMESTAMP CURRENT_DATE CURRENT_DATETIME CURRENT_TIME'),
  specialCalls: setOf('CAST SAFE_CAST EXTRACT STRUCT'),
  typedLiterals: {
    TIMESTAMP: 'timestamp',
    DATETIME: 'datetime',
    DATE: 'date',
    TIME: 'cast',
    NUMERIC: 'cast',
    BIGNUMERIC: 'cast',
    DECIMAL: 'cast',
    BIGDECIMAL: 'cast',
    JSON: 'cast',
  },
  indexBase: 0,
};
