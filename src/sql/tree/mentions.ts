// What is read from the tokens of a text alone: it need not be a query, or one that is read to its end.
import { createCursor } from '../cursor.ts';
import { tokenize, type TokenKind } from '../lexer.ts';
import { stringValue } from '../string-literal.ts';

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
