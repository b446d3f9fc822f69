// Maps offsets in a YAML string to the file, in every style: block, folded, quoted, on one line or several.
import { Scalar } from 'yaml';

/** A scalar in the text of its file; `start` is the offset of its first character, quote or block header. */
interface SourceScalar {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly type: Scalar.Type | undefined;
}

/**
 * The offset in the file of the character at `offset` in the scalar's value. Styles remove, fold and indent white space and
 * encode characters, but keep the order of all others: the n-th of them in the value is the n-th in the file. An offset at white
 * space maps to the end of the character before it. Linear time.
 */
export function sourceOffset(source: SourceScalar, value: string, offset: number): number {
  const isVisible = !isSpace(value[offset]);
  const before = countVisible(value, offset);
  let seen = 0;
  let last = source.start;
  for (const { at, end, text } of charactersOf(source)) {
    const visible = countVisible(text, text.length);
    if (isVisible && seen + visible > before) return at;
    if (visible > 0) last = end;
    seen += visible;
    if (!isVisible && seen >= before && visible > 0) return last;
  }
  return last;
}

/** The characters of a scalar as written, without quotes: each with what it means. */
function* charactersOf({ text, start, end, type }: SourceScalar): Generator<Character> {
  const isQuoted = type === Scalar.QUOTE_DOUBLE || type === Scalar.QUOTE_SINGLE;
  const isBlock = type === Scalar.BLOCK_LITERAL || type === Scalar.BLOCK_FOLDED;
  let at = start;
  if (isQuoted) at++;
  if (isBlock) while (at < end && text[at - 1] !== '\n' && text[at - 1] !== '\r') at++;
  const last = isQuoted ? end - 1 : end;
  while (at < last) {
    const next = characterAt(text, at, type);
    yield next;
    at = next.end;
  }
}

interface Character {
  readonly at: number;
  readonly end: number;
  readonly text: string;
}

const HEX_DIGITS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

function characterAt(text: string, at: number, type: Scalar.Type | undefined): Character {
  const char = text[at] ?? '';
  if (type === Scalar.QUOTE_SINGLE && char === "'") return { at, end: at + 2, text: char };
  if (type !== Scalar.QUOTE_DOUBLE || char !== '\\') return { at, end: at + 1, text: char };
  const escape = text[at + 1] ?? '';
  const digits = HEX_DIGITS.get(escape);
  if (digits === undefined)
    return { at, end: at + 2, text: /[\s0abefnrtv]/.test(escape) ? escaped(escape) : escape };
  const code = Number.parseInt(text.slice(at + 2, at + 2 + digits), 16);
  return { at, end: at + 2 + digits, text: code <= 0x10ffff ? String.fromCodePoint(code) : '' };
}

/** White space, or a control character, which counts as visible. */
function escaped(escape: string): string {
  return /[\snrt]/.test(escape) ? ' ' : '\0';
}

function countVisible(text: string, end: number): number {
  let count = 0;
  for (let at = 0; at < end; at++) if (!isSpace(text[at])) count++;
  return count;
}

function isSpace(char: string | undefined): boolean {
  return char === undefined || char === ' ' || char === '\t' || char === '\n' || char === '\r';
}
