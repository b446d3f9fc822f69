// LIKE, regular expressions, SIMILAR TO and GLOB.
import { joinSql, sql, type Sql } from '../../dialects/sql.ts';
import { quoteString } from '../../sql/literal.ts';
import type { Expression } from '../../sql/syntax-tree.ts';
import { unconverted, type Context } from '../../dialects/context.ts';
import { jsonText } from '../../dialects/json-path.ts';
import { condition, isNullable, operand, text, type Value } from '../../dialects/value.ts';

type Like = Extract<Expression, { kind: 'like' }>;

/** Writes a match of a string with a pattern. */
export function writeLike(expression: Like, context: Context): Value {
  const { operator, isNot, at } = expression;
  const written = context.write(expression.value, context);
  const subject = written.type.kind === 'json' ? jsonText(written) : written;
  const pattern = context.write(expression.pattern, context);
  const nullable = isNullable(subject, pattern);
  const string =
    subject.type.kind === 'unknown'
      ? subject
      : { ...subject, sql: text(subject), isLoose: subject.isLoose === true && subject.type.kind === 'text' };
  if (operator === 'LIKE' || operator === 'ILIKE') {
    const ignoresCase =
      operator === 'ILIKE' || (context.shared.traits.likeIgnoresCase && subject.type.isBinary !== true);
    const built = likePattern(pattern, escapeOf(expression, context), at);
    return condition(
      sql`${operand(string)} ${isNot ? 'NOT ' : ''}${ignoresCase ? 'ILIKE' : 'LIKE'} ${built}`,
      nullable,
    );
  }
  const regex = regexOf(expression, pattern, {
    ...context,
    shared: {
      ...context.shared,
      traits: {
        ...context.shared.traits,
        ignoresCase: context.shared.traits.ignoresCase && subject.type.isBinary !== true,
      },
    },
  });
  return condition(sql`${isNot ? 'NOT ' : ''}match(${string.sql}, ${regex})`, nullable);
}

/** The escape character; an empty string for none. */
function escapeOf({ escape, at }: Like, { shared }: Context): string {
  if (escape === undefined) return shared.traits.likeEscape ? '\\' : '';
  if (escape.kind !== 'string' || escape.value.length > 1)
    return unconverted(at, 'expression', 'The escape character must be a literal');
  return escape.value;
}

function likePattern(pattern: Value, escape: string, at: number): Sql {
  if (pattern.literal !== undefined) return quoteString(likeLiteral(pattern.literal, escape));
  if (escape === '\\') return operand(pattern);
  if (escape === '') return sql`replaceAll(${text(pattern)}, '\\\\', '\\\\\\\\')`;
  return unconverted(at, 'expression', 'A pattern that is not a literal is not converted with ESCAPE');
}

/** A pattern with backslash as the escape character. */
function likeLiteral(pattern: string, escape: string): string {
  let converted = '';
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern.charAt(at);
    if (char === escape && at + 1 < pattern.length) {
      const next = pattern.charAt(++at);
      converted += '%_\\'.includes(next) ? `\\${next}` : next;
    } else converted += char === '\\' ? '\\\\' : char;
  }
  return converted;
}

/** What RE2 does not support, or reads in another way. */
const UNSUPPORTED = /\(\?[=!<]|\\[1-9mMyYZ]|\[\[[.=:][<>]/;

function regexOf({ operator, at, escape }: Like, pattern: Value, context: Context): Sql {
  const { dialect } = context.shared;
  if (operator === 'SIMILAR TO' || operator === 'GLOB') {
    if (pattern.literal === undefined)
      return unconverted(at, 'expression', `${operator} is converted only with a literal pattern`);
    const own =
      operator === 'GLOB'
        ? globRegex(pattern.literal)
        : similarRegex(pattern.literal, escape?.kind === 'string' ? escape.value : '\\');
    return quoteString(`^(?s:${own})$`);
  }
  const ignoresCase = operator === 'IREGEXP' || context.shared.traits.ignoresCase;
  const [before, after] = dialect === 'snowflake' ? ['^(?:', ')$'] : ['', ''];
  if (pattern.literal !== undefined)
    return quoteString(`${ignoresCase ? '(?i)' : ''}${before}${checkedRegex(pattern.literal, at)}${after}`);
  const parts = [
    ignoresCase ? "'(?i)'" : '',
    before === '' ? '' : quoteString(before),
    pattern.sql,
    after === '' ? '' : quoteString(after),
  ].filter((part) => part !== '');
  return parts.length === 1 ? pattern.sql : sql`concat(${joinSql(parts)})`;
}

/** A regular expression that RE2 reads in the same way. */
export function checkedRegex(pattern: string, at: number): string {
  if (UNSUPPORTED.test(pattern))
    return unconverted(
      at,
      'expression',
      'ClickHouse does not support this regular expression (RE2): lookaround and back references',
    );
  return pattern;
}

function similarRegex(pattern: string, escape: string): string {
  let regex = '';
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern.charAt(at);
    if (char === escape && at + 1 < pattern.length) regex += quoted(pattern.charAt(++at));
    else if (char === '%') regex += '.*';
    else if (char === '_') regex += '.';
    else regex += '.^$\\'.includes(char) ? `\\${char}` : char;
  }
  return `(?:${regex})`;
}

function globRegex(pattern: string): string {
  return pattern.replaceAll(/\[\^?\]?[^\]]*\]|[\s\S]/g, (part) => {
    if (part === '*') return '.*';
    if (part === '?') return '.';
    return part.length > 1 ? part : quoted(part);
  });
}

const quoted = (char: string): string => (/[\w\s]/.test(char) ? char : `\\${char}`);
