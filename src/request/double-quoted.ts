// Double quotes that hold a string, as in BigQuery SQL, and not a name, as in ClickHouse SQL.
import { misspelled } from '../core/nearest.ts';
import type { Cursor } from '../sql/cursor.ts';
import type { TokenKind } from '../sql/lexer.ts';
import { endsValue, type EvidenceText } from './dialect-evidence.ts';

/** Of a query; each is compared with the names of tables and columns. */
const MAX_QUOTED = 200;

/**
 * Whether the query has a string in double quotes. A misspelled name would be compared or selected as a string, with wrong rows
 * instead of an error, so what may be a name is no string.
 */
export function hasDoubleQuotedString(text: EvidenceText): boolean {
  const { query, clause } = text;
  const quoted = [...query.tokens.keys()].filter((index) => isDoubleQuoted(query, index));
  // Rows are not ordered or grouped by a constant.
  const places = quoted.filter(
    (index) => !/^(?:GROUP|ORDER)$/.test(clause(index) ?? '') && isValue(text, index),
  );
  if (places.length === 0 || quoted.length > MAX_QUOTED) return false;
  const known = [...text.tables, ...text.columns, ...aliases(query)];
  const hasStrings = query.tokens.some(({ kind }) => kind === 'string');
  return places.some((index) => {
    const inner = query.text(index).slice(1, -1);
    const [first = inner] = inner.split('.');
    if (known.includes(first.toLowerCase()) || (hasStrings && NAME.test(inner))) return false;
    return misspelled(inner, known) === undefined;
  });
}

/** In a query with strings in single quotes, double quotes are for names. */
const NAME = /^[A-Za-z_]\w*(?:\.\w+)*$/;

function isDoubleQuoted(query: Cursor, index: number): boolean {
  return query.kind(index) === 'quoted' && query.text(index).startsWith('"');
}

function aliases(query: Cursor): readonly string[] {
  return [...query.tokens.keys()].flatMap((index) =>
    query.word(index - 1) === 'AS' ? (query.name(index)?.toLowerCase() ?? []) : [],
  );
}

const COMPARISONS: ReadonlySet<TokenKind | undefined> = new Set<TokenKind | undefined>([
  '=',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  '||',
]);
const COMPARING: ReadonlySet<string | undefined> = new Set(['LIKE', 'BETWEEN']);
const BEFORE: ReadonlySet<string | undefined> = new Set(['THEN', 'ELSE']);

/** Where a string is more likely than a name: compared with a value, in a list, or selected under a name. */
function isValue({ query, opener }: EvidenceText, index: number): boolean {
  const [before, after] = [query.kind(index - 1), query.kind(index + 1)];
  if (before === '.' || after === '.' || after === '(' || endsValue(query, index - 1)) return false;
  if (COMPARISONS.has(before) || COMPARING.has(query.word(index - 1))) return !isConstant(query, index - 2);
  if (COMPARISONS.has(after)) return !isConstant(query, index + 2);
  if (query.word(index - 1) === 'AND' && query.word(index - 3) === 'BETWEEN')
    return !isConstant(query, index - 4);
  if (query.word(index + 1) === 'AS' || BEFORE.has(query.word(index - 1))) return true;
  const open = opener(index);
  const isInList = open !== undefined && query.word(open - 1) === 'IN';
  const isArgument =
    open !== undefined && query.kind(open - 1) === 'word' && (before === ',' || after === ',');
  return isInList || isArgument;
}

/** Of two constants that are compared, one is meant as a name. */
function isConstant(query: Cursor, index: number): boolean {
  const kind = query.kind(index);
  return kind === 'string' || kind === 'number' || isDoubleQuoted(query, index);
}
