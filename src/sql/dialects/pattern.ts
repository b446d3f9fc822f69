// LIKE, regular expressions, SIMILAR TO and GLOB.
import { quoteString } from '../clickhouse/literal.ts';
import type { Expression } from './tree.ts';
import { unconverted, type Context } from './context.ts';
import { shapeOf, type RegexShape } from './regex-shape.ts';
import { joinSql, sql, type Sql, condition, isNullable, operand, text, type Value } from './value.ts';

/** A regular expression as RE2 reads it; its shape if it is a literal. */
export interface Regex {
  readonly sql: Sql;
  readonly shape: RegexShape | undefined;
}

export interface RegexOptions {
  readonly written: Expression;
  readonly isCaseless: boolean;
  /** The expression must match the whole text. */
  readonly isWhole?: boolean;
  readonly context: Context;
}

/** Writes a regular expression. */
export function regexOf(pattern: Value, options: RegexOptions): Regex {
  const { written, isCaseless, isWhole = false, context } = options;
  const shape = written.kind === 'string' ? checkedShape(written.value, written.at) : undefined;
  // In ClickHouse, a dot matches a line break.
  const excludesBreak = !context.shared.traits.dotIsBreak && shape?.hasDot !== false;
  const flags = `${isCaseless ? 'i' : ''}${excludesBreak ? '-s' : ''}`;
  const before = `${flags === '' ? '' : `(?${flags})`}${isWhole ? '^(?:' : ''}`;
  const after = isWhole ? ')$' : '';
  if (written.kind === 'string') return { sql: quoteString(`${before}${written.value}${after}`), shape };
  const parts: readonly Sql[] = [quoteString(before), pattern.sql, quoteString(after)];
  const present = parts.filter((part) => part !== "''");
  return { sql: present.length === 1 ? pattern.sql : sql`concat(${joinSql(present)})`, shape };
}

/** The shape of a regular expression that RE2 reads in the same way. */
function checkedShape(pattern: string, at: number): RegexShape {
  const shape = shapeOf(pattern);
  if (shape.unsupportedAt === undefined) return shape;
  return unconverted(
    at,
    'expression',
    'ClickHouse does not support this regular expression (RE2): lookaround, back references and word boundaries such as \\m',
  );
}

export interface LikeOptions {
  readonly at: number;
  readonly isNot: boolean;
  /** If it is true, letters are compared without their case; `ASCII` means only those of ASCII. */
  readonly isCaseless: boolean | 'ASCII';
  /** The escape character; an empty string for none. */
  readonly escape: string;
}

/** Writes LIKE, or ILIKE. */
export function likeOf(subject: Value, pattern: Value, options: LikeOptions): Value {
  const { isNot, isCaseless, escape, at } = options;
  const own =
    subject.type.kind === 'text'
      ? operand(subject)
      : subject.type.kind === 'unknown'
        ? operand(subject)
        : text(subject);
  const isOfBytes = subject.type.kind === 'bytes' || pattern.type.kind === 'bytes';
  if (isOfBytes && pattern.literal?.includes('_') !== false)
    return unconverted(at, 'type', 'LIKE of bytes is not supported with _, which is a character here');
  const matched = likePattern(pattern, escape, at);
  const isFolded = isCaseless === 'ASCII' && !/^[\0-\x7f]*$/.test(pattern.literal ?? '\x80');
  const operator = `${isNot ? 'NOT ' : ''}${isCaseless !== false && !isFolded ? 'ILIKE' : 'LIKE'}`;
  const built = isFolded
    ? sql`lower(${own}) ${operator} lower(${matched})`
    : sql`${own} ${operator} ${matched}`;
  return condition(built, isNullable(subject, pattern));
}

function likePattern(pattern: Value, escape: string, at: number): Sql {
  if (pattern.literal !== undefined) return quoteString(likeLiteral(pattern.literal, { escape, at }));
  // In ClickHouse, a backslash before another character than these is a backslash.
  if (escape === '\\')
    return sql`replaceRegexpAll(${text(pattern)}, '(\\\\\\\\[%_\\\\\\\\])|\\\\\\\\(.)', '\\\\1\\\\2')`;
  if (escape === '') return sql`replaceAll(${text(pattern)}, '\\\\', '\\\\\\\\')`;
  return unconverted(at, 'expression', 'A pattern that is not a literal is not converted with ESCAPE');
}

/** A pattern with backslash as the escape character. */
function likeLiteral(pattern: string, { escape, at: where }: Pick<LikeOptions, 'escape' | 'at'>): string {
  let converted = '';
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern.charAt(at);
    if (char === escape && at + 1 === pattern.length)
      return unconverted(where, 'expression', 'A pattern of LIKE must not end with its escape character');
    if (char === escape) {
      const next = pattern.charAt(++at);
      converted += '%_\\'.includes(next) ? `\\${next}` : next;
    } else converted += char === '\\' ? '\\\\' : char;
  }
  return converted;
}

/** SIMILAR TO, of a whole text. */
export function similarRegex(pattern: string, escape: string): string {
  let regex = '';
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern.charAt(at);
    if (char === escape && at + 1 < pattern.length) regex += quoted(pattern.charAt(++at));
    else if (char === '%') regex += '.*';
    else if (char === '_') regex += '.';
    else regex += '.^$\\'.includes(char) ? `\\${char}` : char;
  }
  return `^(?s:${regex})$`;
}

/** GLOB, of a whole text. */
export function globRegex(pattern: string): string {
  const regex = pattern.replaceAll(/\[\^?\]?[^\]]*\]|[\s\S]/g, (part) => {
    if (part === '*') return '.*';
    if (part === '?') return '.';
    return part.length > 1 ? part : quoted(part);
  });
  return `^(?s:${regex})$`;
}

const quoted = (char: string): string => (/[\w\s]/.test(char) ? char : `\\${char}`);
