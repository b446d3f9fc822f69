// Reads the text of a request: what kind of statement it is, and the clauses after it, which are not of the query.
import { Problem } from '../../../sql/base/problem.ts';
import { checkDepth, checkTokens } from '../../../guard/sandbox/lexed-query.ts';
import { characterAt } from '../../../sql/clickhouse/character-name.ts';
import { createCursor, type Cursor } from '../../../sql/clickhouse/cursor.ts';
import { isSignificant, tokenize, type TokenKind } from '../../../sql/clickhouse/lexer.ts';
import { stringValue } from '../../../sql/clickhouse/literal.ts';
import { KEYWORDS } from '../../../sql/clickhouse/tree/keywords.ts';
import { blank, placed, type Edit } from './edited-text.ts';

export type StatementKind =
  | 'select'
  | 'show'
  | 'describe'
  | 'exists'
  | 'set'
  | 'use'
  | 'kill'
  | 'explain'
  | 'check'
  | 'transaction';

/** A statement without its FORMAT and SETTINGS clauses. Not guaranteed: that it parses. */
export interface SentStatement {
  readonly kind: StatementKind;
  /** As sent. */
  readonly text: string;
  /** Without the clauses after it: what is left of `text` keeps its place. */
  readonly sql: string;
  /** Its first word, in upper case. */
  readonly word: string;
  readonly hasJoin: boolean;
  /** Removes the clauses and the final semicolon. */
  readonly edits: readonly Edit[];
  readonly format: string | undefined;
  readonly settings: readonly (readonly [name: string, value: string])[];
}

const KINDS: Readonly<Record<string, StatementKind>> = {
  SELECT: 'select',
  WITH: 'select',
  FROM: 'select',
  SHOW: 'show',
  DESCRIBE: 'describe',
  DESC: 'describe',
  EXISTS: 'exists',
  SET: 'set',
  USE: 'use',
  KILL: 'kill',
  EXPLAIN: 'explain',
  CHECK: 'check',
  BEGIN: 'transaction',
  COMMIT: 'transaction',
  ROLLBACK: 'transaction',
};

const WRITES: ReadonlySet<string> = new Set(
  `INSERT CREATE ALTER DROP TRUNCATE OPTIMIZE SYSTEM GRANT REVOKE ATTACH DETACH RENAME EXCHANGE BACKUP RESTORE DELETE
  UPDATE UNDROP MOVE REPLACE WATCH ASYNC COPY EXECUTE PARALLEL UNLOCK UNFREEZE REFRESH`.split(/\s+/),
);

/** Characters; the sandbox allows less. */
const MAX_TEXT = 256 * 1024;
const MAX_SETTINGS = 100;

/**
 * Reads a text. Throws Problem `clickhouse.read_only` for statements that write, and `clickhouse.syntax_invalid` for unknown ones
 * and for several.
 */
export function readStatement(text: string): SentStatement {
  rejectWrites(text);
  if (text.length > MAX_TEXT) {
    throw new Problem('sandbox.too_large', { detail: `A query may have at most ${MAX_TEXT} characters` });
  }
  const tokens = tokenize(text).filter(isSignificant);
  const [first] = tokens;
  // What follows looks at tokens and names several times.
  checkTokens(text, tokens);
  checkDepth(text, tokens);
  if (first === undefined)
    throw new Problem('clickhouse.syntax_invalid', placed(text, 0, 'The query is empty'));
  const semicolon = tokens.findIndex(({ kind }) => kind === ';');
  const end = semicolon < 0 ? tokens.length : semicolon;
  const second = tokens.slice(end).find(({ kind }) => kind !== ';');
  if (second !== undefined) {
    const message = 'Send one statement per request: a semicolon is only allowed at its end';
    throw new Problem('clickhouse.syntax_invalid', placed(text, second.start, message));
  }
  const whole = createCursor(text, tokens.slice(0, end));
  const kind = kindOf(whole);
  const { until, ...clauses } = readClauses(whole, kind);
  const cut = tokens[until]?.start ?? text.length;
  const edits =
    until < tokens.length ? tokens.slice(until).map((token) => blank(token.start, token.end)) : [];
  const hasJoin = whole.tokens.some(({ start }, at) => start < cut && whole.word(at) === 'JOIN');
  return { kind, text, sql: text.slice(0, cut), word: whole.word(0) ?? '', hasJoin, edits, ...clauses };
}

/** Before the text is lexed: what follows INSERT may be megabytes of data. */
function rejectWrites(text: string): void {
  const head = tokenize(text.slice(0, HEAD)).find(isSignificant);
  const word = head?.kind === 'word' ? text.slice(head.start, head.end).toUpperCase() : '';
  if (!WRITES.has(word)) return;
  throw new Problem(
    'clickhouse.read_only',
    placed(text, head?.start ?? 0, `${word} writes, and this interface is read-only`),
  );
}

/** Characters within which the first word is found, after comments. */
const HEAD = 16 * 1024;

function kindOf(cursor: Cursor): StatementKind {
  let at = 0;
  while (cursor.kind(at) === '(') at++;
  const kind = KINDS[cursor.word(at) ?? ''];
  if (kind !== undefined && (at === 0 || kind === 'select')) return kind;
  const isCharacter = cursor.tokens[at]?.reason === 'unexpected_character';
  const source = isCharacter ? characterAt(cursor.sql, cursor.start(at)) : cursor.text(at).slice(0, 40);
  const message = `There is no statement that starts with ${source || 'nothing'}`;
  throw new Problem('clickhouse.syntax_invalid', placed(cursor.sql, cursor.start(at), message));
}

interface Clauses extends Pick<SentStatement, 'format' | 'settings'> {
  /** Index of the first token of the clauses. */
  readonly until: number;
}

/** FORMAT and SETTINGS at the end, in either order. */
function readClauses(cursor: Cursor, kind: StatementKind): Clauses {
  let until = cursor.length;
  let format: string | undefined;
  const settings: (readonly [string, string])[] = [];
  if (kind === 'set') return { until, format, settings };
  for (let at = 1; at < cursor.length; at = cursor.after(at)) {
    if (cursor.word(at) === 'INTO' && cursor.word(at + 1) === 'OUTFILE') {
      throw new Problem(
        'clickhouse.statement_unsupported',
        placed(cursor.sql, cursor.start(at), 'INTO OUTFILE is not supported'),
      );
    }
    // Names of tables in commands may be those of keywords.
    const isEnd = kind !== 'select' || endsExpression(cursor, at - 1);
    const found = isEnd ? readEnd(cursor, at) : undefined;
    if (found === undefined) continue;
    until = at;
    format = found.format;
    settings.push(...found.settings);
    break;
  }
  if (settings.length > MAX_SETTINGS) throw new Problem('sandbox.too_large', { detail: 'Too many settings' });
  return { until, format, settings };
}

/** The clauses from this token to the end; undefined if they are none. */
function readEnd(cursor: Cursor, from: number): Pick<Clauses, 'format' | 'settings'> | undefined {
  let at = from;
  let format: string | undefined;
  const settings: (readonly [string, string])[] = [];
  while (at < cursor.length) {
    const word = cursor.word(at);
    const name = cursor.name(at + 1);
    if (word === 'FORMAT' && format === undefined && name !== undefined) {
      format = name;
      at += 2;
    } else if (word === 'SETTINGS' && settings.length === 0) {
      const read = readAssignments(cursor, at + 1);
      if (read === undefined) return undefined;
      settings.push(...read.settings);
      at = read.next;
    } else return undefined;
  }
  return { format, settings };
}

/** Returns whether a query may end with a token, so that FORMAT or SETTINGS after it is no name. */
function endsExpression(cursor: Cursor, at: number): boolean {
  const word = cursor.word(at);
  if (word !== undefined)
    return word === 'END' || !(KEYWORDS.has(word) || word === 'DISTINCT' || word === 'NOT');
  return ENDS.has(cursor.kind(at));
}

const ENDS: ReadonlySet<TokenKind | undefined> = new Set<TokenKind>([
  'quoted',
  'number',
  'string',
  ')',
  ']',
  '}',
  '*',
]);

/** Returns what SET sets: settings, or a role; undefined if it is none of them. */
export function readSet(sql: string): 'role' | SentStatement['settings'] | undefined {
  const cursor = createCursor(sql);
  if (cursor.word(cursor.word(1) === 'DEFAULT' ? 2 : 1) === 'ROLE') return 'role';
  const read = readAssignments(cursor, 1);
  return read === undefined || read.next < cursor.length ? undefined : read.settings;
}

/** The database that USE names. */
export function readUse(sql: string): string {
  const cursor = createCursor(sql);
  const from = cursor.word(1) === 'DATABASE' && cursor.length > 2 ? 2 : 1;
  return cursor.tokens.flatMap((_, at) => (at < from ? [] : (cursor.name(at) ?? []))).join('.');
}

/** `name = value, …`; values are numbers, strings, words, or anything in brackets, as written. */
function readAssignments(
  cursor: Cursor,
  from: number,
): { readonly settings: SentStatement['settings']; readonly next: number } | undefined {
  const settings: (readonly [string, string])[] = [];
  for (let at = from; ;) {
    const name = cursor.name(at);
    if (name === undefined || cursor.kind(at + 1) !== '=') return undefined;
    const sign = cursor.kind(at + 2) === '-' || cursor.kind(at + 2) === '+' ? 1 : 0;
    const value = at + 2 + sign;
    if (!isValue(cursor, value)) return undefined;
    const next = cursor.after(value);
    const source = cursor.slice(at + 2, next);
    settings.push([name, stringValue(source) ?? source]);
    if (cursor.kind(next) !== ',') return { settings, next };
    at = next + 1;
  }
}

function isValue(cursor: Cursor, at: number): boolean {
  const kind = cursor.kind(at);
  return kind !== undefined && ['number', 'string', 'word', 'quoted', '{', '[', '('].includes(kind);
}
