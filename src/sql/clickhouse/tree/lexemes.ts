// Reads the tokens of a text alone, which need not be a query, or one that is read to its end.
import { createCursor } from '../cursor.ts';
import { tokenize, type TokenKind } from '../lexer.ts';
import { stringValue } from '../literal.ts';

/** `{name:Type}`; offsets are in UTF-16 code units. */
export interface PlaceholderText {
  readonly name: string;
  /** As written. */
  readonly type: string;
  readonly start: number;
  readonly end: number;
  /** The tokens directly before it, the last one first, words in upper case. */
  readonly before: readonly string[];
}

/** How many tokens before a placeholder are returned. */
const MAX_BEFORE = 4;

/** The placeholders of a text, in order. */
export function placeholdersIn(sql: string): readonly PlaceholderText[] {
  if (!sql.includes('{')) return [];
  const cursor = createCursor(sql);
  const found: PlaceholderText[] = [];
  for (let at = 0; at < cursor.length; at++) {
    const name = cursor.kind(at) === '{' && cursor.kind(at + 2) === ':' ? cursor.name(at + 1) : undefined;
    if (name === undefined) continue;
    let close = at + 3;
    while (close < cursor.length && cursor.kind(close) !== '}' && cursor.kind(close) !== '{') close++;
    if (cursor.kind(close) !== '}' || close === at + 3) continue;
    const before = Array.from({ length: Math.min(MAX_BEFORE, at) }, (_, index) => at - 1 - index);
    found.push({
      name,
      type: cursor.slice(at + 3, close),
      start: cursor.start(at),
      end: cursor.end(close),
      before: before.map((index) => cursor.word(index) ?? cursor.text(index)),
    });
    at = close;
  }
  return found;
}

/** The source texts of all tokens, or of those of one kind, in order. */
export function tokenTexts(sql: string, kind?: TokenKind): readonly string[] {
  const cursor = createCursor(sql);
  return cursor.tokens.flatMap((token, at) =>
    kind === undefined || token.kind === kind ? [cursor.text(at)] : [],
  );
}

/** Returns whether a text is one group in braces. */
export function isInBraces(sql: string): boolean {
  const cursor = createCursor(sql);
  return cursor.length > 1 && cursor.kind(0) === '{' && cursor.closing(0) === cursor.length - 1;
}

/** The source before the first parenthesis. */
export function beforeGroup(sql: string): string {
  const cursor = createCursor(sql);
  const open = cursor.tokens.findIndex(({ kind }) => kind === '(');
  return cursor.slice(0, open < 0 ? cursor.length : open);
}

/** The source texts of all tokens with comments and white space, in order. */
export function rawTexts(sql: string): readonly string[] {
  return tokenize(sql).map(({ start, end }) => sql.slice(start, end));
}

/** A name or a string in a text. */
export interface Mention {
  readonly kind: 'name' | 'string';
  /** Decoded. */
  readonly value: string;
  /** A parenthesis follows. */
  readonly isCall: boolean;
  /** It continues the name before it, after a dot. */
  readonly isPart: boolean;
}

/** The names and strings of a text, keywords included, in order. Those that cannot be decoded are left out. */
export function mentionsIn(sql: string): readonly Mention[] {
  const cursor = createCursor(sql);
  return cursor.tokens.flatMap(({ kind: token }, at): Mention[] => {
    const kind = token === 'string' ? 'string' : 'name';
    const value = kind === 'string' ? stringValue(cursor.text(at)) : cursor.name(at);
    if (value === undefined) return [];
    const isPart = cursor.kind(at - 1) === '.' && cursor.name(at - 2) !== undefined;
    return [{ kind, value, isCall: cursor.kind(at + 1) === '(', isPart }];
  });
}

/** The kind of the token at an offset of a text, comments included; offsets are asked for in ascending order. */
export function tokenKinds(sql: string): (offset: number) => TokenKind | undefined {
  const tokens = tokenize(sql);
  let at = 0;
  return (offset) => {
    while ((tokens[at]?.end ?? Infinity) <= offset) at++;
    return tokens[at]?.kind;
  };
}
