// The extent of a type: after `::`, in CAST, in JSON paths. Which types there are, and how large they may be, is not known here.
import {
  anyName,
  beyond,
  close,
  expectKind,
  fail,
  kind,
  name,
  open,
  skip,
  takeKind,
  word,
  type Reader,
} from './reader.ts';

const INTEGERS: ReadonlySet<string | undefined> = new Set([
  'TINYINT',
  'SMALLINT',
  'INT',
  'INTEGER',
  'BIGINT',
]);

/** A name, or two of standard SQL, and arguments in parentheses; quoted, if it is the type of a JSON path. */
export function parseType(reader: Reader): void {
  const outer = open(reader, 'type');
  const first = word(reader);
  if (first === undefined && !isPathType(reader)) fail(reader, 'Expected a type');
  skip(reader);
  if (isSecondWord(first, word(reader))) skip(reader);
  if (first !== undefined && kind(reader) === '(') skip(reader, beyond(reader));
  close(reader, outer);
}

function isPathType(reader: Reader): boolean {
  return kind(reader) === 'quoted' && kind(reader, -1) === ':';
}

/** `DOUBLE PRECISION`, `INT UNSIGNED`. */
function isSecondWord(first: string | undefined, second: string | undefined): boolean {
  if (first === 'DOUBLE') return second === 'PRECISION';
  return INTEGERS.has(first) && (second === 'SIGNED' || second === 'UNSIGNED');
}

/** Returns whether a parameter of a saved query comes next: `{name:Type}`, or `@name` before it is bound. */
export function isPlaceholder(reader: Reader, ahead = 0): boolean {
  const first = kind(reader, ahead);
  if (!reader.isSaved) return false;
  return first === '{'
    ? name(reader, ahead + 1) !== undefined
    : first === '@' && word(reader, ahead + 1) !== undefined;
}

export function parsePlaceholder(reader: Reader): void {
  const outer = open(reader, 'placeholder');
  if (takeKind(reader, '@')) {
    reader.top.at = anyName(reader);
    close(reader, outer);
    return;
  }
  expectKind(reader, '{');
  reader.top.at = anyName(reader);
  expectKind(reader, ':');
  parseType(reader);
  expectKind(reader, '}');
  close(reader, outer);
}
