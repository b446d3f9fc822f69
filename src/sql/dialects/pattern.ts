// Patterns of strings: LIKE, SIMILAR TO and GLOB, and what is known of regular expressions.
import { quoteString } from '../clickhouse/literal.ts';
import type { Expression } from './tree.ts';
import { unconverted, type Context } from './context.ts';
import { joinSql, sql, type Sql, condition, isNullable, operand, text, type Value } from './value.ts'; // prettier-ignore

/** Source: RE2, Syntax. Not guaranteed: that RE2 accepts the expression. */
export interface RegexShape {
  /** Capturing groups, in order. */
  readonly groups: readonly RegexGroup[];
  /** It is true if a match can be empty. */
  readonly canBeEmpty: boolean;
  /** It is true if a match can have characters. */
  readonly canConsume: boolean;
  /** It is true if there is a dot, which matches any character. */
  readonly hasDot: boolean;
  /** It is true if a match depends on what is around it: `^`, `$`, `\b`. */
  readonly hasAnchor: boolean;
  /** Where there is something that RE2 does not support: lookaround, a back reference. */
  readonly unsupportedAt: number | undefined;
}

interface RegexGroup {
  /** It is true if there are matches without the group. */
  readonly isOptional: boolean;
  readonly canBeEmpty: boolean;
}

interface Part {
  readonly groups: readonly RegexGroup[];
  readonly canBeEmpty: boolean;
  readonly canConsume: boolean;
}

const NOTHING: Part = { groups: [], canBeEmpty: true, canConsume: false };
const CHARACTER: Part = { groups: [], canBeEmpty: false, canConsume: true };

const optional = (group: RegexGroup): RegexGroup => ({ ...group, isOptional: true });

/** One of several parts. */
function anyOf(branches: readonly Part[]): Part {
  const groups = branches.flatMap((each) => each.groups);
  return {
    groups: branches.length === 1 ? groups : groups.map(optional),
    canBeEmpty: branches.some(({ canBeEmpty }) => canBeEmpty),
    canConsume: branches.some(({ canConsume }) => canConsume),
  };
}

/** Parts one after the other. */
function allOf(parts: readonly Part[]): Part {
  return {
    groups: parts.flatMap(({ groups }) => groups),
    canBeEmpty: parts.every(({ canBeEmpty }) => canBeEmpty),
    canConsume: parts.some(({ canConsume }) => canConsume),
  };
}

const TOKEN =
  /\\Q[^]*?(?:\\E|$)|\\[pP](?:\{[^}]*\}|.)|\\x(?:\{[^}]*\}|..)|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\])*\]|\((?:\?(?:P?<\w+>|P=\w+|<?[=!]|>|[a-zA-Z-]*[:)]))?|(?:[*+?]|\{\d+(?:,\d*)?\})[?+]?|[^]/gu;

/** The shape of an expression. Linear in its length. */
function shapeOf(source: string): RegexShape {
  const reader = createReader(source);
  const whole = reader.alternatives();
  // What follows a parenthesis that closes nothing: RE2 rejects the expression.
  return { ...whole, ...reader.found() };
}

function createReader(source: string) {
  const tokens = [...source.matchAll(TOKEN)];
  let next = 0;
  const found: { hasDot: boolean; hasAnchor: boolean; unsupportedAt: number | undefined } = {
    hasDot: false,
    hasAnchor: false,
    unsupportedAt: undefined,
  };
  const peek = (): string => tokens[next]?.[0] ?? '';

  function alternatives(): Part {
    const branches = [sequence()];
    while (peek() === '|') {
      next++;
      branches.push(sequence());
    }
    return anyOf(branches);
  }

  function sequence(): Part {
    const parts: Part[] = [];
    while (next < tokens.length && peek() !== '|' && peek() !== ')') parts.push(repeated(atom()));
    return allOf(parts);
  }

  function repeated(part: Part): Part {
    let isOptional = false;
    for (let token = peek(); /^(?:[*+?]|\{\d)/.test(token); token = peek()) {
      next++;
      isOptional ||= /^(?:[*?]|\{0)/.test(token);
    }
    return isOptional ? { ...part, canBeEmpty: true, groups: part.groups.map(optional) } : part;
  }

  function atom(): Part {
    const token = peek();
    const at = tokens[next]?.index ?? 0;
    next++;
    if (/^\(\?(?:<?[=!]|>|P=)|^\\[1-9mMyYZ]/.test(token)) found.unsupportedAt ??= at;
    if (token.startsWith('(')) return token.endsWith(')') ? NOTHING : group(token);
    if (/^(?:[\^$]|\\[bBAz])$/.test(token)) {
      found.hasAnchor = true;
      return NOTHING;
    }
    if (token === '.') found.hasDot = true;
    if (token.startsWith('\\Q')) return /^\\Q(?:\\E)?$/.test(token) ? NOTHING : CHARACTER;
    return CHARACTER;
  }

  function group(opening: string): Part {
    const inner = alternatives();
    next++;
    const isCapturing = opening === '(' || opening.endsWith('>');
    if (!isCapturing) return inner;
    return { ...inner, groups: [{ isOptional: false, canBeEmpty: inner.canBeEmpty }, ...inner.groups] };
  }

  return { alternatives, found: () => found };
}

/** A regular expression as RE2 reads it; its shape if it is a literal. */
export interface Regex {
  readonly sql: Sql;
  readonly shape: RegexShape | undefined;
}

interface RegexOptions {
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

interface LikeOptions {
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
