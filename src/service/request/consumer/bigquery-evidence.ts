// Constructs of BigQuery SQL that ClickHouse SQL does not have.
import { KNOWN_FUNCTIONS } from '../../../sql/dialects/bigquery/dialect.ts';
import type { FunctionPolicy } from '../../../guard/sandbox/functions/policy.ts';
import type { Cursor } from '../../../sql/clickhouse/cursor.ts';
import { endsValue, evidenceOf, follows, type Evidence, type EvidenceText } from './dialect-evidence.ts';

/** Names that BigQuery has in any case, and the engine in these spellings only. A test compares them with the engine. */
export const CASE_SENSITIVE: ReadonlyMap<string, readonly string[]> = new Map([
  ['countif', ['countIf']],
  ['date_diff', ['DATE_DIFF', 'date_diff']],
  ['timestamp_diff', ['TIMESTAMP_DIFF', 'timestamp_diff']],
  ...['JSON_QUERY', 'JSON_VALUE', 'MD5', 'SHA1', 'SHA256', 'SHA512'].map(only),
  ...['acosh', 'asinh', 'atanh', 'cbrt', 'cosh', 'cume_dist', 'sinh', 'translate'].map(only),
]);

function only(name: string): readonly [string, readonly string[]] {
  return [name.toLowerCase(), [name]];
}

/** Returns whether BigQuery has a function of that name, in any case; some of them also ClickHouse has. */
export function isBigQueryFunction(name: string): boolean {
  const lower = name.toLowerCase();
  return KNOWN_FUNCTIONS.names.has(lower) || KNOWN_FUNCTIONS.replacements.has(lower);
}

/** Forms with parentheses; `offset(0)` is an index. */
export const BIGQUERY_FORMS: ReadonlySet<string | undefined> = new Set([
  'UNNEST',
  'SAFE_CAST',
  'STRUCT',
  'OFFSET',
  'SAFE_OFFSET',
  'ORDINAL',
  'SAFE_ORDINAL',
]);

/** Types whose name ClickHouse does not have, or writes as `DateTime`. */
const TYPE =
  /^(?:INT64|int64|FLOAT64|float64|STRING|string|BYTES|bytes|BIGNUMERIC|bignumeric|DATETIME|datetime|TIMESTAMP|timestamp)$/;
const FOREIGN_TYPE =
  /^(?:INT64|int64|FLOAT64|float64|STRING|string|BYTES|bytes|BIGNUMERIC|bignumeric|timestamptz)$/;

const PARTS: ReadonlySet<string | undefined> = new Set(
  'DAYOFWEEK DAYOFYEAR ISOWEEK ISOYEAR DATE TIME DATETIME'.split(' '),
);
const WEEKDAYS = /^(?:MON|TUES|WEDNES|THURS|FRI|SATUR|SUN)DAY$/;

/** Constructs that only BigQuery SQL has. */
export const BIGQUERY_EVIDENCE: Evidence = evidenceOf({
  words: {
    SELECT: [phrase('AS', 'STRUCT'), phrase('AS', 'VALUE')],
    WITH: [phrase('OFFSET')],
    FOR: [phrase('SYSTEM_TIME')],
    LIKE: [phrase('ANY'), phrase('SOME'), phrase('ALL')],
    ARRAY: [arrayOf],
    STRUCT: [arrayOf],
    EXTRACT: [datePart],
    AT: [zoneOfPart],
    WEEK: [weekOf],
    ORDER: [orderInCall, orderOfUnion],
    LIMIT: [orderOfUnion],
    IGNORE: [nullsInCall],
    RESPECT: [nullsInCall],
    HAVING: [havingInCall],
    DATETIME: [typedLiteral],
    TIME: [typedLiteral],
    NUMERIC: [typedLiteral],
    BIGNUMERIC: [typedLiteral],
    JSON: [typedLiteral],
    R: [rawString],
    RB: [rawString],
    BR: [rawString],
  },
  beforeKinds: [
    ['(', [ownFunction]],
    [')', [castType, unit]],
    ['.', [safe, recordInFrom]],
    ['quoted', [dateInDoubleQuotes]],
  ],
  kinds: [
    ['quoted', [quotedText, recordInFrom]],
    ['::', [typeAfter]],
    ['(', [joinInParentheses]],
    ['|', [bitOperator]],
    ['^', [bitOperator]],
    ['<', [bitOperator]],
    ['>', [bitOperator]],
    ['error', [bitOperator]],
  ],
});

function phrase(...words: readonly string[]): Evidence {
  return ({ query }, index) =>
    follows(query, index + 1, words) ? `${query.word(index)} ${words.join(' ')}` : undefined;
}

/** A path in backquotes, or """…""". */
function quotedText({ query }: EvidenceText, index: number): string | undefined {
  const text = query.text(index);
  if (text.startsWith('"""')) return '"""';
  return /^`[\w*-]+(?:\.[\w*-]+)+`$/.test(text) ? 'a quoted path' : undefined;
}

/** r'…' */
function rawString({ query }: EvidenceText, index: number): string | undefined {
  const isAdjacent = query.end(index) === query.start(index + 1);
  // A backslash before the last quote leaves the string open to ClickHouse's lexer.
  return isAdjacent && /^['"]/.test(query.text(index + 1)) ? 'a raw string' : undefined;
}

function isText(query: Cursor, index: number): boolean {
  return query.kind(index) === 'string' || isInDoubleQuotes(query, index);
}

function isInDoubleQuotes(query: Cursor, index: number): boolean {
  return query.kind(index) === 'quoted' && query.text(index).startsWith('"');
}

/** `ARRAY<INT64>`, `ARRAY(SELECT …)`. */
function arrayOf({ query }: EvidenceText, index: number): string | undefined {
  const word = query.word(index);
  if (query.kind(index + 1) === '<') return `${word}<`;
  const first = query.word(index + 2);
  const isSubquery =
    word === 'ARRAY' && query.kind(index + 1) === '(' && (first === 'SELECT' || first === 'WITH');
  return isSubquery ? 'ARRAY(SELECT' : undefined;
}

function castType({ query }: EvidenceText, index: number): string | undefined {
  return query.word(index - 1) === 'AS' && TYPE.test(query.text(index))
    ? `as ${query.word(index)}`
    : undefined;
}

function typeAfter({ query }: EvidenceText, index: number): string | undefined {
  return FOREIGN_TYPE.test(query.text(index + 1)) ? `as ${query.word(index + 1)}` : undefined;
}

/** `DATETIME '…'` */
function typedLiteral({ query }: EvidenceText, index: number): string | undefined {
  const isLiteral = isText(query, index + 1) && query.kind(index - 1) !== '.';
  return isLiteral ? `${query.word(index)} '…'` : undefined;
}

/** `DATE "…"` */
function dateInDoubleQuotes({ query }: EvidenceText, index: number): string | undefined {
  const word = query.word(index);
  const isDate = word === 'DATE' || word === 'TIMESTAMP';
  return isDate && isInDoubleQuotes(query, index + 1) && query.kind(index - 1) !== '.'
    ? `${word} "…"`
    : undefined;
}

const UNITS: ReadonlySet<string | undefined> = new Set(
  'MICROSECOND MILLISECOND SECOND MINUTE HOUR DAY WEEK ISOWEEK MONTH QUARTER YEAR ISOYEAR'.split(' '),
);

/** `date_diff(a, b, DAY)` */
function unit({ query, levels }: EvidenceText, index: number): string | undefined {
  if (query.kind(index - 1) !== ',' || !UNITS.has(query.word(index))) return undefined;
  const call = query.word((levels().openers[index] ?? 0) - 1) ?? '';
  return /_(?:DIFF|TRUNC)$|^LAST_DAY$/.test(call) ? 'a unit as last argument' : undefined;
}

/** `WEEK(MONDAY)` */
function weekOf({ query }: EvidenceText, index: number): string | undefined {
  return query.kind(index + 1) === '(' && WEEKDAYS.test(query.word(index + 2) ?? '') ? 'WEEK(…)' : undefined;
}

/** `EXTRACT(ISOWEEK FROM …)` */
function datePart({ query }: EvidenceText, index: number): string | undefined {
  const isOwn =
    query.kind(index + 1) === '(' && PARTS.has(query.word(index + 2)) && query.word(index + 3) === 'FROM';
  return isOwn ? 'a part of a date' : undefined;
}

/** `EXTRACT(HOUR FROM … AT TIME ZONE …)` */
function zoneOfPart({ query, levels }: EvidenceText, index: number): string | undefined {
  if (!follows(query, index + 1, ['TIME', 'ZONE'])) return undefined;
  return query.word((levels().openers[index] ?? 0) - 1) === 'EXTRACT' ? 'EXTRACT … AT TIME ZONE' : undefined;
}

/** Between values, and `~` before one. */
function bitOperator({ query }: EvidenceText, index: number): string | undefined {
  const text = query.text(index);
  const isAfterValue = endsValue(query, index - 1);
  if (text === '~') return isAfterValue || query.text(index - 1) === '!' ? undefined : text;
  if (!isAfterValue) return undefined;
  const isPair = query.text(index + 1) === text && query.end(index) === query.start(index + 1);
  if (text === '<' || text === '>') return isPair ? text + text : undefined;
  return (text === '&' || text === '|' || text === '^') && !isPair ? text : undefined;
}

function safe({ query }: EvidenceText, index: number): string | undefined {
  return query.word(index) === 'SAFE' ? 'safe.' : undefined;
}

/** `array_agg(x ORDER BY y)` */
function orderInCall(text: EvidenceText, index: number): string | undefined {
  return isInCall(text, index, 'ORDER') && endsValue(text.query, index - 1)
    ? 'ORDER BY in a call'
    : undefined;
}

/** `array_agg(x IGNORE NULLS)` */
function nullsInCall(text: EvidenceText, index: number): string | undefined {
  const isNulls = text.query.word(index + 1) === 'NULLS';
  return isNulls && isInCall(text, index, undefined) ? 'NULLS in a call' : undefined;
}

/** `any_value(x HAVING MAX y)` */
function havingInCall(text: EvidenceText, index: number): string | undefined {
  const next = text.query.word(index + 1);
  const isExtreme = next === 'MAX' || next === 'MIN';
  return isExtreme && isInCall(text, index, 'HAVING') ? 'HAVING in a call' : undefined;
}

/** Returns whether the token is directly inside of the parentheses of a call, and not in a window or a query. */
function isInCall(
  { query, levels }: EvidenceText,
  index: number,
  own: 'ORDER' | 'HAVING' | undefined,
): boolean {
  const { openers, clauses } = levels();
  const open = openers[index];
  if (open === undefined || query.kind(open) !== '(' || clauses[index] !== own) return false;
  const before = query.word(open - 1);
  return before !== undefined && before !== 'OVER' && before !== 'AS' && !isQuery(query, open);
}

function isQuery(query: Cursor, open: number): boolean {
  let at = open + 1;
  while (query.kind(at) === '(') at++;
  const first = query.word(at);
  return first === 'SELECT' || first === 'WITH' || first === 'FROM';
}

function ownFunction({ query, functions }: EvidenceText, index: number): string | undefined {
  const word = query.word(index);
  if (query.kind(index - 1) === '.') return undefined;
  const text = query.text(index);
  if (BIGQUERY_FORMS.has(word)) return `${word}(`;
  const isOwn = isBigQueryFunction(text) || isMisspelled(text, functions);
  return isOwn && !isClickHouseSpelling(text, functions) ? `${word}(` : undefined;
}

/** Returns whether the engine has a function of that name in that case. */
function isClickHouseSpelling(name: string, { allows, denies }: FunctionPolicy): boolean {
  if (!allows(name) && !denies(name)) return false;
  return CASE_SENSITIVE.get(name.toLowerCase())?.includes(name) ?? true;
}

/** `timestamp_truncate`, `regexp_contain`: a name that continues one that only BigQuery has, or breaks it off. */
function isMisspelled(name: string, { allows, denies }: FunctionPolicy): boolean {
  const folded = name.toLowerCase();
  const [word] = /^[a-z]+_./.exec(folded) ?? [];
  if (word === undefined) return false;
  return [...KNOWN_FUNCTIONS.names].some(
    (meant) =>
      meant.startsWith(word) &&
      (meant.startsWith(folded) || folded.startsWith(meant)) &&
      !allows(meant) &&
      !denies(meant),
  );
}

/** `(SELECT …) UNION ALL (SELECT …) ORDER BY …`: in ClickHouse, nothing follows the last parenthesis. */
function orderOfUnion({ query, levels }: EvidenceText, index: number): string | undefined {
  const open = levels().openings.get(index - 1);
  if (open === undefined || !isQuery(query, open)) return undefined;
  const isUnion =
    /^(?:ALL|DISTINCT)$/.test(query.word(open - 1) ?? '') && isSetOperator(query.word(open - 2));
  return isUnion ? 'ORDER BY of a union' : undefined;
}

function isSetOperator(word: string | undefined): boolean {
  return word === 'UNION' || word === 'EXCEPT' || word === 'INTERSECT';
}

/** `FROM (a JOIN b ON …)`. */
function joinInParentheses({ query, levels }: EvidenceText, index: number): string | undefined {
  if (levels().clauses[index] !== 'FROM') return undefined;
  const before = query.word(index - 1);
  if (before !== 'FROM' && before !== 'JOIN' && query.kind(index - 1) !== ',') return undefined;
  const first = query.word(index + 1);
  if (first === 'SELECT' || first === 'WITH') return undefined;
  const end = query.closing(index);
  for (let at = index + 1; at < end; at = query.after(at))
    if (query.word(at) === 'JOIN') return 'FROM (… JOIN …)';
  return undefined;
}

/** `FROM logs AS t, t.metadata AS m`: a record of a table before it. */
function recordInFrom({ query, levels }: EvidenceText, index: number): string | undefined {
  const name = query.name(index)?.toLowerCase();
  if (name === undefined || query.kind(index + 1) !== '.') return undefined;
  const { clauses, openers } = levels();
  if (clauses[index] !== 'FROM') return undefined;
  if (query.kind(index - 1) !== ',' && query.word(index - 1) !== 'JOIN') return undefined;
  const level = openers[index];
  for (let at = index - 1; at >= 0 && (clauses[at] === 'FROM' || openers[at] !== level); at--) {
    if (openers[at] === level && query.name(at)?.toLowerCase() === name && query.kind(at - 1) !== '.')
      return 'a record in FROM';
  }
  return undefined;
}
