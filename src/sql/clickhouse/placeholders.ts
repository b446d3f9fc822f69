// Binds an author's `@name` to the engine's typed placeholder `{name:Type}` wherever the engine would read an expression.
import { unexpectedCharacter } from './character-name.ts';
import { createCursor, significantTokens, type Cursor } from './cursor.ts';
import type { SqlFinding } from './finding.ts';
import { isSignificant, tokenize } from './lexer.ts';
import type { LexError, Token, TokenKind } from './lexer.ts';

/** One `@name`: its location in the author's query and, as bound, in `BoundQuery.sql`. */
export interface PlaceholderUse {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly boundStart: number;
  readonly boundEnd: number;
}

/**
 * A saved query as sent to the engine: up to its last significant token, without a trailing `;`.
 * Not guaranteed: that it is free of findings, that it is a SELECT, or that the engine accepts it.
 */
export interface BoundQuery {
  readonly sql: string;
  readonly uses: readonly PlaceholderUse[];
  readonly findings: readonly SqlFinding[];
  /** The significant tokens of `sql`; empty if there are findings. */
  readonly tokens: readonly Token[];
}

/** Parameter names, as in endpoint files. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/**
 * Binds `query`. `typeOf` returns a declared parameter's type as `{name:Type}` requires it there, undefined if not declared: such a
 * use is listed in `uses` and left unchanged, so that the caller can report it with the declared parameters.
 */
export function bindPlaceholders(
  query: string,
  typeOf: (name: string, start: number) => string | undefined,
): BoundQuery {
  const tokens = tokenize(query);
  const cursor = createCursor(query, tokens.filter(isSignificant));
  const findings = [...lexicalFindings(cursor), ...statementFindings(cursor)];
  const uses: PlaceholderUse[] = [];
  const end = statementEnd(cursor);
  let sql = '';
  let copied = 0;
  for (const [index, at] of tokens.entries()) {
    if (at.kind !== '@') continue;
    const use = readUse(query, tokens, index);
    if ('code' in use) {
      findings.push(use);
      continue;
    }
    const type = typeOf(use.name, use.start);
    sql += query.slice(copied, use.start);
    const bound = type === undefined ? query.slice(use.start, use.end) : `{${use.name}:${type}}`;
    // After a brace, `.1` is a number and not an element.
    const [before, after] = type !== undefined && query.charAt(use.end) === '.' ? ['(', ')'] : ['', ''];
    sql += before;
    uses.push({ ...use, boundStart: sql.length, boundEnd: sql.length + bound.length + after.length });
    sql += bound + after;
    copied = use.end;
  }
  findings.sort((a, b) => a.start - b.start);
  sql += query.slice(copied, Math.max(copied, end));
  const isValid = findings.length === 0;
  return { sql, uses, findings, tokens: isValid ? boundTokens(cursor, sql, uses) : [] };
}

/**
 * The tokens of the bound query without lexing it again: those of the author's query, shifted, and those of each
 * placeholder. Lexed again only if a dot follows a placeholder, which is then in parentheses.
 */
function boundTokens(
  { sql: query, tokens }: Cursor,
  sql: string,
  uses: readonly PlaceholderUse[],
): readonly Token[] {
  const bound: Token[] = [];
  let [shift, next] = [0, 0];
  for (const [index, token] of tokens.entries()) {
    const use = uses[next];
    if (use !== undefined && token.start === use.start) {
      for (const each of significantTokens(sql.slice(use.boundStart, use.boundEnd)))
        bound.push(shifted(each, use.boundStart));
    }
    if (use !== undefined && token.end === use.end) {
      shift = use.boundEnd - use.end;
      next++;
      if (query.charAt(tokens[index + 1]?.start ?? query.length) === '.') return significantTokens(sql);
    } else if (use === undefined || token.start < use.start) {
      if (token.end + shift <= sql.length) bound.push(shifted(token, shift));
    }
  }
  return bound;
}

function shifted({ kind, start, end }: Token, by: number): Token {
  return { kind, start: start + by, end: end + by };
}

/** Maps an offset in the bound query to the author's query; any position in a placeholder maps to its `@`. */
export function authorOffset(uses: readonly PlaceholderUse[], offset: number): number {
  let [low, high] = [-1, uses.length]; // uses are ordered by position
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((uses[middle]?.boundStart ?? Infinity) <= offset) low = middle;
    else high = middle;
  }
  const use = uses[low];
  if (use === undefined) return offset;
  return offset < use.boundEnd ? use.start : offset + use.end - use.boundEnd;
}

function finding(code: string, message: string, at: { start: number; end: number }): SqlFinding {
  return { start: at.start, end: at.end, code: `query.${code}`, message };
}

/** Tokens that end an operand, so that a directly following `@name` is not a parameter. */
const OPERAND_ENDS: ReadonlySet<TokenKind> = new Set([
  'word',
  'number',
  'quoted',
  'string',
  '.',
  ')',
  ']',
  '@',
]);

/** Returns whether a token directly follows another that ends an operand; `tokens` include whitespace and comments. */
export function followsOperand(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1];
  return before !== undefined && OPERAND_ENDS.has(before.kind);
}

type Use = Pick<PlaceholderUse, 'name' | 'start' | 'end'>;

function readUse(query: string, tokens: readonly Token[], index: number): Use | SqlFinding {
  const at = tokens[index];
  const name = tokens[index + 1];
  const start = at?.start ?? 0;
  if (name?.kind !== 'word') {
    const message = 'a parameter is written @name, without a space after the @';
    return finding('stray_at', message, { start, end: start + 1 });
  }
  const text = query.slice(name.start, name.end);
  if (!NAME.test(text)) {
    const message = `@${text} is not a valid parameter name: use at most 64 letters, digits and underscores, starting with a letter or underscore`;
    return finding('parameter_name', message, { start, end: name.end });
  }
  if (followsOperand(tokens, index)) {
    const message = `@${text} directly follows another token; put a space or an operator between them`;
    return finding('stray_at', message, { start, end: name.end });
  }
  return { name: text, start, end: name.end };
}

const LEX_MESSAGES = {
  unclosed_comment: 'unclosed comment',
  unclosed_string: 'unclosed string',
  unclosed_identifier: 'unclosed quoted identifier',
  stray_exclamation_mark: '! is only allowed in !=',
  number_invalid: 'invalid number or name',
} as const;

function lexMessage(sql: string, start: number, reason: LexError): string {
  if (reason !== 'unexpected_character') return LEX_MESSAGES[reason];
  return unexpectedCharacter(sql, start).replace(/^U/, 'u');
}

function lexicalFindings(query: Cursor): SqlFinding[] {
  const findings: SqlFinding[] = [];
  const closingBraces = query.tokens.filter(({ kind }) => kind === '}');
  let passed = 0; // closing braces before the token
  for (const [index, token] of query.tokens.entries()) {
    if (token.kind === '}') passed++;
    if (token.reason !== undefined)
      findings.push(finding(token.reason, lexMessage(query.sql, token.start, token.reason), token));
    if (token.kind === '@@')
      findings.push(finding('stray_at', '@@ is not supported: a parameter is written @name', token));
    if (token.kind === '{' && isHandWritten(query, index)) {
      const end = closingBraces[passed]?.end ?? query.sql.length;
      const message =
        'write @name and declare the parameter: the type belongs in its declaration, not in the query';
      findings.push(finding('typed_placeholder', message, { start: token.start, end }));
    }
  }
  return findings;
}

/** `{name:` or `` {`name`: ``; a map literal's keys are values, never names. */
function isHandWritten(query: Cursor, index: number): boolean {
  const name = query.kind(index + 1);
  return (name === 'word' || name === 'quoted') && query.kind(index + 2) === ':';
}

/** Findings for anything that makes a saved query more than one plain statement. */
function statementFindings(query: Cursor): SqlFinding[] {
  const findings: SqlFinding[] = [];
  if (statementEnd(query) === 0)
    findings.push(finding('empty', 'the query is empty', { start: 0, end: query.sql.length }));
  for (const [index, token] of query.tokens.entries()) {
    const isLast = index === query.length - 1;
    if (token.kind === '\\G' || (token.kind === ';' && !isLast)) {
      findings.push(finding('several_statements', 'a saved query is one statement', token));
    }
    if (query.word(index) === 'INTO' && query.word(index + 1) === 'OUTFILE') {
      findings.push(finding('into_outfile', 'a saved query must not write files', token));
    }
    if (isFormatClause(query, index)) {
      const message =
        'the caller chooses the format; remove the FORMAT clause, or quote a column of that name';
      findings.push(finding('format_clause', message, token));
    }
  }
  return findings;
}

const AFTER_COLUMN: ReadonlySet<string | undefined> = new Set(['ASC', 'ASCENDING', 'DESC', 'DESCENDING']);

/** FORMAT and one name, at the end or before SETTINGS; elsewhere `format` is a column. */
function isFormatClause(query: Cursor, index: number): boolean {
  const [name, after] = [query.kind(index + 1), query.kind(index + 2)];
  if (query.word(index) !== 'FORMAT' || index === 0) return false;
  if (query.kind(index - 1) === '.' || query.word(index - 1) === 'AS') return false;
  if (name !== 'word' && name !== 'quoted') return false;
  if (AFTER_COLUMN.has(query.word(index + 1))) return false;
  return after === undefined || after === ';' || query.word(index + 2) === 'SETTINGS';
}

/** The end of the statement: its last significant token, a trailing `;` excluded. */
function statementEnd({ tokens }: Cursor): number {
  const last = tokens.at(-1);
  return (last?.kind === ';' ? tokens.at(-2) : last)?.end ?? 0;
}
