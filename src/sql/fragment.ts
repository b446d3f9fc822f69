// A fragment of SQL that replaces a choice: an expression, or a list of them, each with an alias or a direction.
import { createCursor, type Cursor } from './cursor.ts';
import type { SqlFinding } from './finding.ts';
import type { TokenKind } from './lexer.ts';

/** An element of the list; offsets into the fragment. */
export interface FragmentElement {
  readonly start: number;
  /** The end of the expression: before AS, ASC, DESC and what follows them. */
  readonly bodyEnd: number;
  readonly end: number;
  /** Whether the expression has operators: it is put in parentheses, so that those around it do not change its meaning. */
  readonly hasOperators: boolean;
}

/** The elements, or why there are none. */
export interface Fragment {
  readonly text: string;
  readonly elements: readonly FragmentElement[];
  readonly findings: readonly SqlFinding[];
}

/** Reads a fragment. Not guaranteed: that the engine accepts it. */
export function readFragment(text: string): Fragment {
  const query = createCursor(text);
  const findings = [...faultsOf(query)];
  return { text, elements: findings.length > 0 ? [] : elementsOf(query), findings };
}

const CLAUSES: ReadonlySet<string | undefined> = new Set(
  'SELECT FROM WHERE PREWHERE GROUP ORDER HAVING LIMIT OFFSET FETCH UNION INTERSECT JOIN ON USING SETTINGS INTO WINDOW QUALIFY'.split(
    ' ',
  ),
);

/** An error of the lexer is found when the query is bound. */
function* faultsOf(query: Cursor): Generator<SqlFinding> {
  const { length, sql } = query;
  if (length === 0) yield fault('choice_empty', 'the fragment is empty', { start: 0, end: sql.length });
  const brackets = query.brackets();
  if ('code' in brackets) {
    yield brackets;
    return;
  }
  for (let at = 0; at < length; at = query.after(at)) {
    const token = { start: query.start(at), end: query.end(at) };
    const kind = query.kind(at);
    if (kind === ';' || kind === '\\G')
      yield fault('several_statements', 'a choice is a part of one statement', token);
    const isName = query.kind(at - 1) === '.' || query.word(at - 1) === 'AS';
    if (CLAUSES.has(query.word(at)) && !isName)
      yield fault(
        'choice_clause',
        `a choice is an expression or a list of them, and cannot contain the clause ${query.text(at)}: write it in the query, or quote the name of a column`,
        token,
      );
    const isAtEnd = query.kind(at + 1) === undefined || query.kind(at + 1) === ',';
    if (kind === ',' && (at === 0 || isAtEnd))
      yield fault('choice_empty', 'an element of the list is missing', token);
  }
}

function fault(reason: string, message: string, span: { start: number; end: number }): SqlFinding {
  return { ...span, code: `query.${reason}`, message };
}

function elementsOf(query: Cursor): readonly FragmentElement[] {
  const elements: FragmentElement[] = [];
  let first = 0;
  for (let at = 0; at <= query.length; at = query.after(at)) {
    if (at < query.length && query.kind(at) !== ',') continue;
    elements.push(elementOf(query, first, at));
    first = at + 1;
  }
  return elements;
}

const AFTER_EXPRESSION: ReadonlySet<string | undefined> = new Set([
  'AS',
  'ASC',
  'ASCENDING',
  'DESC',
  'DESCENDING',
  'COLLATE',
  'NULLS',
]);

function elementOf(query: Cursor, first: number, last: number): FragmentElement {
  let body = last;
  let hasOperators = false;
  for (let at = first; at < last; at = query.after(at)) {
    const isSuffix =
      at > first && (AFTER_EXPRESSION.has(query.word(at)) || isFill(query, at)) && query.kind(at - 1) !== '.';
    if (isSuffix) {
      body = at;
      break;
    }
    hasOperators ||= isOperator(query, at);
  }
  return {
    start: query.start(first),
    bodyEnd: query.end(body - 1),
    end: query.end(last - 1),
    hasOperators: hasOperators && !isColumnList(query, first, body),
  };
}

function isFill(query: Cursor, at: number): boolean {
  return query.word(at) === 'WITH' && query.word(at + 1) === 'FILL';
}

const SYMBOLS: ReadonlySet<TokenKind | undefined> = new Set<TokenKind | undefined>([
  '<=>', '->', '!=', '<=', '>=', '||', '*', '+', '-', '/', '%', '=', '<', '>', '?', ':',
]); // prettier-ignore
const WORDS: ReadonlySet<string | undefined> = new Set(
  'AND OR XOR NOT IN LIKE ILIKE REGEXP BETWEEN IS DIV MOD GLOBAL EXISTS INTERVAL CASE'.split(' '),
);

function isOperator(query: Cursor, at: number): boolean {
  if (SYMBOLS.has(query.kind(at))) return true;
  return WORDS.has(query.word(at)) && query.kind(at - 1) !== '.';
}

/** `*`, `t.*`, `* EXCEPT (a)`, `DISTINCT a`: not an expression, and no operator. */
function isColumnList(query: Cursor, first: number, body: number): boolean {
  if (query.word(first) === 'DISTINCT') return true;
  for (let at = first; at < body; at++) {
    if (query.kind(at) !== '*') continue;
    return at === first || query.kind(at - 1) === '.';
  }
  return false;
}
