// What in a query shows its SQL dialect, if no dialect can run it: functions, keywords and forms that only one dialect has.
import { replacementFor } from '../bigquery/functions/unsupported.ts';
import { TRANSLATED_FUNCTIONS } from '../bigquery/write/call.ts';
import type { FunctionPolicy } from '../sandbox/functions/policy.ts';
import { createCursor, type Cursor } from '../sql/cursor.ts';

/** The query, and the functions that the endpoint's sandbox knows. */
interface EvidenceContext {
  readonly query: Cursor;
  readonly functions: FunctionPolicy;
}

/** What the token at `index` begins that only one dialect has, in any spelling; undefined if nothing. */
export type Evidence = (context: EvidenceContext, index: number) => string | undefined;

/** The number of different things in the query that only this dialect has. Linear in the length of the query. */
export function countEvidence(text: string, functions: FunctionPolicy, evidence: Evidence): number {
  const context = { query: createCursor(text), functions };
  const found = context.query.tokens.map((_, index) => evidence(context, index));
  return new Set(found.filter((each) => each !== undefined)).size;
}

const BIGQUERY_FUNCTIONS: ReadonlySet<string> = new Set(TRANSLATED_FUNCTIONS);
/** The first words of their names: a misspelled `timestamp_truncate` is BigQuery's, too. */
const BIGQUERY_FIRST_WORDS: ReadonlySet<string> = new Set(
  TRANSLATED_FUNCTIONS.flatMap((name) => /^[a-z]+_/.exec(name) ?? []),
);
/** Forms with parentheses; `offset(0)` is an index. */
const BIGQUERY_FORMS: ReadonlySet<string | undefined> = new Set([
  'UNNEST',
  'SAFE_CAST',
  'STRUCT',
  'OFFSET',
  'SAFE_OFFSET',
  'ORDINAL',
  'SAFE_ORDINAL',
]);
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
/** Types whose name ClickHouse does not have, or writes as `DateTime`. */
const BIGQUERY_TYPE =
  /^(?:INT64|int64|FLOAT64|float64|STRING|string|BYTES|bytes|BIGNUMERIC|bignumeric|DATETIME|datetime|TIMESTAMP|timestamp)$/;

/** Evidence for BigQuery SQL. */
export const BIGQUERY_EVIDENCE: Evidence = ({ query, functions }, index) => {
  const text = query.text(index);
  if (query.kind(index) === 'quoted')
    return text.startsWith('`') && text.includes('.') ? 'a quoted path' : undefined;
  const word = query.word(index);
  if (word === undefined) return undefined;
  const isCastType = query.word(index - 1) === 'AS' && query.kind(index + 1) === ')';
  if (isCastType && BIGQUERY_TYPE.test(text)) return `as ${word}`;
  if (word === 'SAFE' && query.kind(index + 1) === '.') return 'safe.';
  if (query.kind(index + 1) !== '(') return undefined;
  const isOwn =
    BIGQUERY_FORMS.has(word) ||
    ((isBigQueryFunction(text) || isLikeBigQuery(text)) && !isClickHouseFunction(text, functions));
  return isOwn ? `${word}(` : undefined;
};

/** ClickHouse's keywords, each with the words after it. */
const CLICKHOUSE_CLAUSES: readonly (readonly string[])[] = [
  ['PREWHERE'],
  ['ARRAY', 'JOIN'],
  ['GLOBAL', 'IN'],
  ['GLOBAL', 'JOIN'],
  ['ASOF', 'JOIN'],
  ['SEMI', 'JOIN'],
  ['ANTI', 'JOIN'],
  ['ANY', 'JOIN'],
  ['WITH', 'TOTALS'],
  ['WITH', 'ROLLUP'],
  ['WITH', 'CUBE'],
  ['WITH', 'TIES'],
  ['WITH', 'FILL'],
  ['SETTINGS'],
];

/** Evidence for ClickHouse SQL. */
export const CLICKHOUSE_EVIDENCE: Evidence = ({ query, functions }, index) => {
  const kind = query.kind(index);
  if (kind === '->') return kind;
  if (query.text(index) === '==') return '==';
  if (kind === ')' && query.kind(index + 1) === '(') return 'parameters of a function';
  const word = query.word(index);
  if (word === undefined) return undefined;
  const clause = CLICKHOUSE_CLAUSES.find((words) =>
    words.every((each, at) => query.word(index + at) === each),
  );
  if (clause !== undefined) return clause.join(' ');
  if (word === 'LIMIT' && query.kind(index + 1) === 'number' && query.word(index + 2) === 'BY')
    return 'LIMIT BY';
  if (word === 'FORMAT' && query.word(index + 1) !== undefined) return 'FORMAT';
  const text = query.text(index);
  const isCast =
    query.kind(index - 1) === '::' || (query.word(index - 1) === 'AS' && query.kind(index + 1) === ')');
  if (isCast) return isClickHouseType(text) ? `type ${text}` : undefined;
  if (query.kind(index + 1) !== '(') return undefined;
  const isShared = BIGQUERY_FORMS.has(word) || SHARED_FORMS.has(word) || isBigQueryFunction(text);
  // A misspelled name in camel case is ClickHouse's, too.
  const isOwn = isCamelCase(text) || (isClickHouseFunction(text, functions) && !isShared);
  return isOwn ? `${text}(` : undefined;
};

function isBigQueryFunction(name: string): boolean {
  return BIGQUERY_FUNCTIONS.has(name.toLowerCase()) || replacementFor(name) !== undefined;
}

function isLikeBigQuery(name: string): boolean {
  const first = /^[a-z]+_/i.exec(name)?.[0];
  return first !== undefined && BIGQUERY_FIRST_WORDS.has(first.toLowerCase());
}

function isClickHouseFunction(name: string, { allows, denies }: FunctionPolicy): boolean {
  return allows(name) || denies(name);
}

function isClickHouseType(name: string): boolean {
  return /^(?:U?Int\d+|Float\d+|String|DateTime(?:64)?|LowCardinality|Nullable|Array|Map|UUID|Bool|Decimal\d*)$/.test(
    name,
  );
}

/** As ClickHouse spells its functions: `countIf`. */
function isCamelCase(name: string): boolean {
  return /^[a-z]+[A-Z]/.test(name);
}
