// Constructs of ClickHouse SQL that BigQuery SQL does not have.
import type { Cursor } from '../../../sql/clickhouse/cursor.ts';
import { BIGQUERY_FORMS, isBigQueryFunction } from './bigquery-evidence.ts';
import { endsValue, evidenceOf, follows, type Evidence, type EvidenceText } from './dialect-evidence.ts';

/** What both dialects write before a parenthesis and ClickHouse also has as a function. */
const SHARED_FORMS: ReadonlySet<string> = new Set([
  'AND',
  'OR',
  'NOT',
  'IN',
  'CAST',
  'EXTRACT',
  'EXISTS',
  'ARRAY',
  'INTERVAL',
  'ANY',
]);

/** Constructs that only ClickHouse SQL has. */
export const CLICKHOUSE_EVIDENCE: Evidence = evidenceOf({
  words: {
    PREWHERE: [phrase()],
    SETTINGS: [phrase()],
    INTERPOLATE: [phrase()],
    REGEXP: [phrase()],
    ARRAY: [phrase('JOIN')],
    GLOBAL: [phrase('IN'), phrase('NOT', 'IN'), join],
    ASOF: [join],
    SEMI: [join],
    ANTI: [join],
    ANY: [join],
    PASTE: [join],
    WITH: [phrase('TOTALS'), phrase('ROLLUP'), phrase('CUBE'), phrase('TIES'), phrase('FILL'), valueOfWith],
    DISTINCT: [phrase('ON')],
    FETCH: [phrase('FIRST'), phrase('NEXT')],
    INTERSECT: [phrase('SELECT')],
    EXCEPT: [phrase('SELECT'), columnAfterExcept],
    LIMIT: [limit],
    FORMAT: [format],
    FROM: [fromFirst],
    IN: [bareSet],
    USING: [bareColumns],
    FILTER: [filter],
    COLLATE: [collation],
    COLUMNS: [matcher],
    APPLY: [matcher],
  },
  beforeKinds: [
    ['(', [ownFunction]],
    [')', [castType]],
  ],
  kinds: [
    ['->', [symbol]],
    ['<=>', [symbol]],
    ['?', [symbol]],
    ['=', [doubleEquals]],
    [')', [parameters]],
    ['.', [tupleElement]],
    ['::', [typeAfter]],
    ['string', [doubledQuote]],
    ['quoted', [nameInQuotes]],
  ],
});

/** The keyword with the words after it, unless it is a name after a dot. */
function phrase(...words: readonly string[]): Evidence {
  return ({ query }, index) => {
    const isKeyword = query.kind(index - 1) !== '.' && follows(query, index + 1, words);
    return isKeyword ? [query.word(index), ...words].join(' ') : undefined;
  };
}

/** `SEMI LEFT JOIN`, `GLOBAL ANY INNER JOIN`: words of ClickHouse before JOIN. */
function join({ query }: EvidenceText, index: number): string | undefined {
  let at = index + 1;
  while (at < index + 4 && JOINING.has(query.word(at))) at++;
  return query.word(at) === 'JOIN' ? `${query.word(index)} JOIN` : undefined;
}

const JOINING: ReadonlySet<string | undefined> = new Set(
  'GLOBAL ANY ALL ASOF SEMI ANTI LEFT RIGHT FULL INNER OUTER'.split(' '),
);

/** `WITH 5 AS x` */
function valueOfWith({ query }: EvidenceText, index: number): string | undefined {
  const next = query.kind(index + 1);
  const isValue = next === 'number' || next === 'string' || next === '[' || next === '(';
  return isValue ? 'WITH of a value' : undefined;
}

/** `* EXCEPT x` */
function columnAfterExcept({ query }: EvidenceText, index: number): string | undefined {
  const isBare = query.kind(index - 1) === '*' && isName(query, index + 1);
  return isBare ? 'EXCEPT without parentheses' : undefined;
}

/** `LIMIT 5, 10` and `LIMIT 1 BY x` */
function limit({ query }: EvidenceText, index: number): string | undefined {
  if (query.kind(index + 1) !== 'number') return undefined;
  if (query.kind(index + 2) === ',') return 'LIMIT with a comma';
  return query.word(index + 2) === 'BY' ? 'LIMIT BY' : undefined;
}

function format({ query }: EvidenceText, index: number): string | undefined {
  return query.kind(index - 1) !== '.' && query.kind(index + 1) === 'word' ? 'FORMAT' : undefined;
}

/** `FROM x SELECT …` */
function fromFirst({ query }: EvidenceText, index: number): string | undefined {
  return index === 0 || query.kind(index - 1) === '(' ? 'FROM first' : undefined;
}

/** `IN [1, 2]` and `IN names` */
function bareSet({ query }: EvidenceText, index: number): string | undefined {
  const isBare =
    query.kind(index + 1) === '[' || (isName(query, index + 1) && query.word(index + 1) !== 'UNNEST');
  return isBare ? 'IN without parentheses' : undefined;
}

/** `JOIN x USING y` */
function bareColumns({ query }: EvidenceText, index: number): string | undefined {
  return isName(query, index + 1) ? 'USING without parentheses' : undefined;
}

/** `sum(x) FILTER (WHERE …)` */
function filter({ query }: EvidenceText, index: number): string | undefined {
  return query.kind(index + 1) === '(' && query.word(index + 2) === 'WHERE' ? 'FILTER' : undefined;
}

/** `COLLATE 'en'` */
function collation({ query }: EvidenceText, index: number): string | undefined {
  return query.kind(index + 1) === 'string' ? 'COLLATE' : undefined;
}

/** `COLUMNS('…')`, `APPLY(f)` */
function matcher({ query }: EvidenceText, index: number): string | undefined {
  return query.kind(index + 1) === '(' ? `${query.word(index)}(` : undefined;
}

function symbol({ query }: EvidenceText, index: number): string | undefined {
  return query.text(index);
}

function doubleEquals({ query }: EvidenceText, index: number): string | undefined {
  return query.text(index) === '==' ? '==' : undefined;
}

/** `quantile(0.9)(x)` */
function parameters({ query }: EvidenceText, index: number): string | undefined {
  return query.kind(index + 1) === '(' ? 'parameters of a function' : undefined;
}

/** `x.1` */
function tupleElement({ query }: EvidenceText, index: number): string | undefined {
  const isElement = query.kind(index + 1) === 'number' && endsValue(query, index - 1);
  return isElement ? 'an element of a tuple' : undefined;
}

/** `'it''s'` */
function doubledQuote({ query }: EvidenceText, index: number): string | undefined {
  const text = query.text(index);
  return !text.startsWith("''") && text.slice(1, -1).includes("''") ? 'a doubled quote' : undefined;
}

/** `AS "name"` and `"name".x`, where BigQuery has no string. */
function nameInQuotes({ query }: EvidenceText, index: number): string | undefined {
  const isName =
    query.word(index - 1) === 'AS' || query.kind(index - 1) === '.' || query.kind(index + 1) === '.';
  return isName && query.text(index).startsWith('"') ? 'a name in double quotes' : undefined;
}

function isName(query: Cursor, index: number): boolean {
  return query.kind(index) === 'word' || query.kind(index) === 'quoted';
}

function castType({ query }: EvidenceText, index: number): string | undefined {
  return query.word(index - 1) === 'AS' ? ownType(query.text(index)) : undefined;
}

function typeAfter({ query }: EvidenceText, index: number): string | undefined {
  return ownType(query.text(index + 1));
}

function ownType(name: string): string | undefined {
  return isClickHouseType(name) ? `type ${name}` : undefined;
}

function isClickHouseType(name: string): boolean {
  return /^(?:U?Int\d+|Float\d+|String|DateTime(?:64)?|LowCardinality|Nullable|Array|Map|UUID|Bool|Decimal\d*)$/.test(
    name,
  );
}

function ownFunction({ query, functions }: EvidenceText, index: number): string | undefined {
  const before = query.kind(index - 1);
  if (before === '::' || before === '.') return undefined;
  const word = query.word(index) ?? '';
  const text = query.text(index);
  const isShared = BIGQUERY_FORMS.has(word) || SHARED_FORMS.has(word) || isBigQueryFunction(text);
  const isKnown = functions.allows(text) || functions.denies(text);
  // A misspelled name in camel case is ClickHouse's, too.
  return isCamelCase(text) || (isKnown && !isShared) ? `${text}(` : undefined;
}

/** As ClickHouse spells its functions: `countIf`. */
function isCamelCase(name: string): boolean {
  return /^[a-z]+[A-Z]/.test(name);
}
