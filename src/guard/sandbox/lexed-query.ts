// Reads a consumer query strictly: returns its syntax tree, or rejects it at a line and column of the original.
import type { TextFinding } from '../../sql/base/finding.ts';
import { positionAt } from '../../sql/base/position.ts';
import { Problem, type ProblemCode } from '../../sql/base/problem.ts';
import { characterAt, unexpectedCharacter } from '../../sql/clickhouse/character-name.ts';
import { createCursor, significantTokens, type Cursor } from '../../sql/clickhouse/cursor.ts';
import { isSignificant, tokenize, type Token } from '../../sql/clickhouse/lexer.ts';
import type { TokenRange, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { parse } from '../../sql/clickhouse/tree/parse.ts';
import { textOf } from '../../sql/clickhouse/tree/visit.ts';
import { plainSpaces } from '../../sql/clickhouse/white-space.ts';

/** Limits for one query: far above what people write, far below what harms the service. */
const MAX_BYTES = 65_536;
const MAX_TOKENS = 8_000;
const MAX_DEPTH = 48;
const MAX_QUERIES = 64;
/** Of one name; every path in it is looked up. */
const MAX_DOTS = 100;

/** Limits for one consumer query, as reported to consumers. */
export const CONSUMER_QUERY_LIMITS = {
  bytes: MAX_BYTES,
  tokens: MAX_TOKENS,
  depth: MAX_DEPTH,
  queries: MAX_QUERIES,
  dots: MAX_DOTS,
} as const;

/**
 * The tree of tokens without a final semicolon, whose brackets match, and the same tokens joined by single spaces. `joined` parses to
 * the same tokens, so that the query that is checked is the query that is sent. The text of the cursor is as sent, but for
 * white space.
 */
export interface LexedQuery extends Tree {
  readonly joined: string;
  /** Offset of each token in `joined`. */
  readonly joinedStarts: readonly number[];
}

/** SQL in place of tokens; before the token `to`, if the range is empty. */
export interface TokenEdit extends TokenRange {
  readonly sql: string;
}

/** The problem codes of this module. */
export type SandboxCode = Extract<ProblemCode, `sandbox.${string}`>;

/** What is wrong, in a sentence, and a hint at what the author may have meant. */
export type Violation = Omit<TextFinding<SandboxCode>, 'start'>;

/** The Problem for a violation in `text` at an offset. */
export function rejection(text: string, offset: number, { code, message, hint }: Violation): Problem {
  const position = positionAt(text, Math.min(offset, text.length));
  const detail = `${message} (line ${position.line}, column ${position.column})`;
  return new Problem(code, {
    detail,
    errors: [{ ...position, message }],
    ...(hint === undefined ? {} : { hint }),
  });
}

/**
 * Reads a consumer query; what its tree has a fault for is rejected by the scan.
 * @throws Problem sandbox.query_invalid, sandbox.too_large
 */
export function lexConsumerQuery(text: string): LexedQuery {
  if (Buffer.byteLength(text) > MAX_BYTES) {
    throw rejection(text, 0, {
      code: 'sandbox.too_large',
      message: `A query may have at most ${MAX_BYTES} bytes`,
    });
  }
  const all = tokenize(text);
  checkControls(text, all);
  for (const token of all) checkToken(text, token);
  const tokens = all.filter(isSignificant);
  if (tokens.at(-1)?.kind === ';') tokens.pop();
  checkSize(text, tokens);
  const cursor = createCursor(withPlainSpaces(text, all), tokens);
  const brackets = cursor.brackets();
  if ('code' in brackets) throw unreadable(text, brackets.start, 'Unmatched parenthesis or bracket');
  checkDepth(text, tokens);
  checkNames(text, tokens);
  return join(cursor);
}

function unreadable(text: string, offset: number, message: string): Problem {
  return rejection(text, offset, { code: 'sandbox.query_invalid', message });
}

const CONTROL = /(?![\t\n\r])\p{Cc}|\p{Surrogate}/u;

/** Rejects control characters, except white space between tokens and in comments. */
function checkControls(text: string, tokens: readonly Token[]): void {
  if (!CONTROL.test(text)) return;
  for (const token of tokens) {
    if (token.kind === 'whitespace') continue;
    const source = text.slice(token.start, token.end);
    const control = CONTROL.exec(token.kind === 'comment' ? plainSpaces(source) : source);
    if (control === null) continue;
    const at = token.start + control.index;
    throw unreadable(
      text,
      at,
      `${characterAt(text, at)}: control characters are not allowed, not even in strings`,
    );
  }
}

/** Readers of pieces of the query then meet no other white space than theirs. All offsets stay. */
function withPlainSpaces(text: string, tokens: readonly Token[]): string {
  if (plainSpaces(text) === text) return text;
  return tokens
    .map((token) => {
      const source = text.slice(token.start, token.end);
      return isSignificant(token) ? source : plainSpaces(source);
    })
    .join('');
}

const UNREADABLE: Readonly<Partial<Record<Token['kind'], string>>> = {
  heredoc: 'Dollar-quoted strings are not allowed: use single quotes',
  '{': 'Braces are not allowed: use map(…) for a map',
  '}': 'Braces are not allowed: use map(…) for a map',
  '@': 'Parameters are applied inside the tables: @ is not allowed in a consumer query',
  '@@': 'Parameters are applied inside the tables: @@ is not allowed in a consumer query',
  $: '$ is not allowed outside strings',
  '\\G': '\\G is not allowed',
};

const LEX_ERRORS = {
  unclosed_comment: 'Unclosed comment',
  unclosed_string: 'Unclosed string',
  unclosed_identifier: 'Unclosed quoted name',
  stray_exclamation_mark: '! is only allowed in !=',
  number_invalid: 'Invalid number or name',
} as const;

/** Rejects a token that is invalid regardless of context. */
function checkToken(text: string, token: Token): void {
  if (token.kind === 'whitespace') return;
  const found = lexError(text, token) ?? UNREADABLE[token.kind] ?? messageAbout(text, token);
  if (found !== undefined) throw unreadable(text, token.start, found);
}

function lexError(text: string, { reason, start }: Token): string | undefined {
  if (reason === undefined) return undefined;
  return reason === 'unexpected_character' ? unexpectedCharacter(text, start) : LEX_ERRORS[reason];
}

function messageAbout(text: string, token: Token): string | undefined {
  const source = text.slice(token.start, token.end);
  const first = source.charAt(0);
  if (token.kind === 'comment') {
    return first === '#' || source.startsWith('//')
      ? 'Comments must start with -- or be enclosed in /* and */'
      : undefined;
  }
  // To the engine, typographic quotes and a typographic minus are quotes and a minus.
  if (source.charCodeAt(0) > 127) return unexpectedCharacter(text, token.start);
  if (token.kind === 'string' && first !== "'")
    return 'Strings must be in single quotes, without a prefix such as x or b';
  if (token.kind === 'word' && source.includes('$')) return '$ is not allowed outside strings';
  if (token.kind === 'quoted' && !isPlainQuoted(source)) {
    return 'A quoted name must not be empty or contain quotes, backslashes, tabs or line breaks';
  }
  return undefined;
}

function isPlainQuoted(source: string): boolean {
  return /^(?:"[^"`'\\\n\r\t]+"|`[^"`'\\\n\r\t]+`)$/.test(source);
}

function checkSize(text: string, tokens: readonly Token[]): void {
  const [first] = tokens;
  if (first === undefined) throw unreadable(text, 0, 'The query is empty');
  checkTokens(text, tokens);
  let queries = 0;
  for (const token of tokens) {
    if (token.kind === ';')
      throw unreadable(text, token.start, 'Send a single query: a semicolon is only allowed at its end');
    if (token.kind !== 'word' || token.end - token.start !== 6) continue;
    if (text.slice(token.start, token.end).toUpperCase() !== 'SELECT') continue;
    queries++;
    if (queries > MAX_QUERIES) throw tooLarge(text, token, `A query may have at most ${MAX_QUERIES} SELECTs`);
  }
}

/** For readers of a text before it is a consumer query. Throws Problem `sandbox.too_large`. */
export function checkTokens(text: string, tokens: readonly Token[]): void {
  if (tokens.length > MAX_TOKENS)
    throw tooLarge(text, tokens[MAX_TOKENS], `A query may have at most ${MAX_TOKENS} tokens`);
}

function tooLarge(text: string, token: Token | undefined, message: string): Problem {
  return rejection(text, token?.start ?? 0, { code: 'sandbox.too_large', message });
}

/** Throws Problem `sandbox.too_large`. */
export function checkDepth(text: string, tokens: readonly Token[]): void {
  let depth = 0;
  for (const token of tokens) {
    if (token.kind === '(' || token.kind === '[') depth++;
    else if (token.kind === ')' || token.kind === ']') depth--;
    if (depth > MAX_DEPTH) {
      const message = `Parentheses and brackets may be nested at most ${MAX_DEPTH} levels deep`;
      throw tooLarge(text, token, message);
    }
  }
}

function checkNames(text: string, tokens: readonly Token[]): void {
  let dots = 0;
  for (const [at, token] of tokens.entries()) {
    if (token.kind === '.') dots++;
    else if (tokens[at - 1]?.kind !== '.') dots = 0;
    const inside = token.kind === 'quoted' ? text.slice(token.start, token.end).split('.').length - 1 : 0;
    if (Math.max(dots, inside) > MAX_DOTS)
      throw tooLarge(text, token, `A name may have at most ${MAX_DOTS} dots`);
  }
}

function join(cursor: Cursor): LexedQuery {
  const { sql, tokens } = cursor;
  const tree = parse(cursor);
  const joined = textOf(tree, { from: 0, to: tokens.length });
  const joinedStarts: number[] = [];
  let length = 0;
  for (const token of tokens) {
    joinedStarts.push(length);
    length += token.end - token.start + 1;
  }
  const lexedAgain = significantTokens(joined);
  const same =
    lexedAgain.length === tokens.length &&
    lexedAgain.every(({ kind, start, end }, i) => {
      const token = tokens[i];
      return kind === token?.kind && start === joinedStarts[i] && end - start === token.end - token.start;
    });
  // Never observed; this checks the assumption on which all other checks rely.
  if (!same)
    throw rejection(sql, 0, {
      code: 'sandbox.check_mismatch',
      message: 'The query is parsed differently without its whitespace',
    });
  return { ...tree, joined, joinedStarts };
}

/** Maps an offset in the joined query to the offset in the original query. */
export function consumerOffset({ cursor, joinedStarts }: LexedQuery, offset: number): number {
  let index = joinedStarts.findLastIndex((start) => start <= offset);
  if (index < 0) index = 0;
  return Math.min(cursor.start(index) + offset - (joinedStarts[index] ?? 0), cursor.end(index));
}

/** The text of a query with edits, in which its own tokens are joined by single spaces. Of edits of the same tokens, the first counts. */
export function editedText(query: LexedQuery, edits: readonly TokenEdit[]): string {
  const parts: string[] = [];
  let copied = 0;
  const copy = (to: number): void => {
    if (to > copied) parts.push(textOf(query, { from: copied, to }));
  };
  for (const { from, to, sql } of edits.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    if (from < copied) continue;
    copy(from);
    parts.push(sql);
    copied = to;
  }
  copy(query.cursor.length);
  return parts.join(' ');
}
