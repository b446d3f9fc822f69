// Words with a syntactic meaning. What the engine may read as a keyword is never accepted as a name here.

/** A keyword begins one of these, besides those of values. */
interface ClauseKeyword {
  /** A query; what belongs to the tables; a clause that comes after the tables; the next query of a set operation. */
  readonly begins: 'query' | 'tables' | 'rows' | 'member';
  /** It is true if a condition follows. */
  readonly isFilter?: true;
  /** It is true if a number of rows follows. */
  readonly isCount?: true;
  /** It is true if it can also be a name. */
  readonly isName?: true;
  /** It is true if it has another meaning inside a value, as in `* EXCEPT (a)` and `list[OFFSET(0)]`. */
  readonly isInValues?: true;
}

const CLAUSE_KEYWORDS: ReadonlyMap<string, ClauseKeyword> = new Map<string, ClauseKeyword>([
  ['WITH', { begins: 'query' }],
  ['SELECT', { begins: 'query' }],
  ['FROM', { begins: 'query' }],
  ['JOIN', { begins: 'tables' }],
  ['ON', { begins: 'tables', isFilter: true }],
  ['USING', { begins: 'tables' }],
  ['INTO', { begins: 'tables' }],
  ['PREWHERE', { begins: 'rows', isFilter: true }],
  ['WHERE', { begins: 'rows', isFilter: true }],
  ['GROUP', { begins: 'rows' }],
  ['HAVING', { begins: 'rows', isFilter: true }],
  ['WINDOW', { begins: 'rows' }],
  ['QUALIFY', { begins: 'rows', isFilter: true }],
  ['ORDER', { begins: 'rows' }],
  ['LIMIT', { begins: 'rows', isCount: true }],
  ['OFFSET', { begins: 'rows', isCount: true, isInValues: true }],
  ['FETCH', { begins: 'rows', isCount: true, isInValues: true }],
  ['SETTINGS', { begins: 'rows', isName: true }],
  ['UNION', { begins: 'member' }],
  ['INTERSECT', { begins: 'member', isInValues: true }],
  ['EXCEPT', { begins: 'member', isInValues: true }],
]);

function clauseKeywords(accepts: (keyword: ClauseKeyword) => boolean): ReadonlySet<string> {
  return new Set([...CLAUSE_KEYWORDS].flatMap(([word, keyword]) => (accepts(keyword) ? [word] : [])));
}

/** Each starts a clause, or joins queries or tables. */
export const CLAUSE_WORDS: ReadonlySet<string> = clauseKeywords(({ isName }) => isName !== true);

/** A query begins with one of these. */
export const QUERY_STARTS: ReadonlySet<string> = clauseKeywords(({ begins }) => begins === 'query');

/** After one of these, no table of FROM follows. */
export const AFTER_TABLES: ReadonlySet<string> = clauseKeywords(
  ({ begins }) => begins === 'rows' || begins === 'member',
);

/** A number of rows follows. */
export const ROW_COUNTS: ReadonlySet<string> = clauseKeywords(({ isCount }) => isCount === true);

/** Never a bare name or alias; must be quoted. The others are operators between two values, or parts of clauses. */
export const KEYWORDS: ReadonlySet<string> = new Set([
  ...CLAUSE_WORDS,
  ...set('AS BY AND OR IN IS LIKE ILIKE BETWEEN GLOBAL WHEN THEN ELSE END PARALLEL RECURSIVE'),
]);

/** Keywords that are also functions when followed by parentheses, as in `and(a, b)`. */
export const CALLABLE: ReadonlySet<string> = set('AND OR IN LIKE ILIKE');

/** May be a column or follow AS, but not an alias without AS: the engine could read a clause or an operator there. */
export const NO_BARE_ALIAS: ReadonlySet<string> = set(`
  NOT FORMAT SETTINGS FINAL SAMPLE STREAM ASC ASCENDING DESC DESCENDING NULLS COLLATE ANY ALL ASOF SEMI ANTI INNER LEFT
  RIGHT FULL OUTER CROSS PASTE NATURAL LOCAL ARRAY INTERPOLATE DIV MOD REGEXP ESCAPE AT OVER FILTER IGNORE RESPECT APPLY
  REPLACE STRICT TO STEP STALENESS FILL TOTALS ROLLUP CUBE ROWS RANGE GROUPS PRECEDING FOLLOWING MATERIALIZED UUID
  SECOND SECONDS MINUTE MINUTES HOUR HOURS DAY DAYS WEEK WEEKS MONTH MONTHS QUARTER QUARTERS YEAR YEARS MICROSECOND
  MICROSECONDS MILLISECOND MILLISECONDS NANOSECOND NANOSECONDS CASE EXISTS INTERVAL DISTINCT VALUES FOR
`);

/** These are no alias without AS in a query of an author either. */
export const NO_BARE_ALIAS_IN_SAVED: ReadonlySet<string> = set(`
  NOT FORMAT SETTINGS FINAL SAMPLE STREAM ANY ALL ASOF SEMI ANTI INNER LEFT RIGHT FULL CROSS PASTE NATURAL ARRAY DIV MOD
  REGEXP
`);

/** Units of INTERVAL. */
export const UNITS: ReadonlySet<string> = set(`
  NANOSECOND NANOSECONDS MICROSECOND MICROSECONDS MILLISECOND MILLISECONDS SECOND SECONDS MINUTE MINUTES HOUR HOURS DAY
  DAYS WEEK WEEKS MONTH MONTHS QUARTER QUARTERS YEAR YEARS
  NS US MS SS S MI N HH H DD D WK WW MM M QQ Q YYYY YY
`);

/** Keywords that are values. */
export const CONSTANTS: ReadonlySet<string> = set('NULL TRUE FALSE');

/** Keywords that may precede JOIN; ARRAY is handled separately. */
export const JOIN_WORDS: ReadonlySet<string> = set(`
  GLOBAL LOCAL ANY ALL ASOF SEMI ANTI INNER LEFT RIGHT FULL OUTER CROSS PASTE
`);

export const SET_OPERATORS: ReadonlySet<string> = clauseKeywords(({ begins }) => begins === 'member');

/** Keywords that take a subquery, on the right of a comparison or alone. */
export const QUANTIFIERS: ReadonlySet<string> = set('ANY ALL SOME EXISTS');

/** Functions whose second argument the engine resolves as a table if it is a name. */
export const IN_FUNCTIONS: ReadonlySet<string> = new Set(
  ['', 'not', 'null', 'notNull'].flatMap((kind) =>
    ['', 'global'].flatMap((scope) =>
      ['', 'IgnoreSet'].map((rest) => `${scope}${kind}In${rest}`.toLowerCase()),
    ),
  ),
);

/** They begin a clause, or the next query of a union. */
export const CLAUSES: ReadonlySet<string> = clauseKeywords(
  ({ begins, isInValues }) => begins !== 'tables' && isInValues !== true,
);

/** They begin a condition of its own. */
export const FILTERS: ReadonlySet<string> = clauseKeywords(({ isFilter }) => isFilter === true);

/** A condition comes next. */
export const BEFORE_CONDITION: ReadonlySet<string> = new Set([...FILTERS, 'AND', 'OR', 'NOT']);

/** A value comes next. */
export const BEFORE_VALUE: ReadonlySet<string> = new Set([
  ...BEFORE_CONDITION,
  ...set('SELECT DISTINCT ALL FROM XOR IN LIKE ILIKE BETWEEN CASE WHEN THEN ELSE BY'),
]);

function set(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/));
}
