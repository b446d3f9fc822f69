// LIKE, regular expressions, SIMILAR TO and GLOB, of strings and JSON values.
import { quoteString } from '../../clickhouse/literal.ts';
import { checkLiterals, withoutAccents } from '../equality.ts';
import { unconverted, type Context } from '../context.ts';
import { jsonText } from '../json-path.ts';
import { settled, sql, type Sql, condition, isKind, isNullable, text, type Value } from '../value.ts';
import { globRegex, likeOf, regexOf, similarRegex } from '../pattern.ts';
import type { Of } from '../tree.ts';

type Like = Of<'like'>;

function subjectOf(own: Value, at: number, context: Context): Value {
  const { hasNumericConditions, printsReals } = context.shared.traits;
  if (isKind(own, 'json')) return jsonText(own);
  const isPrinted =
    (isKind(own, 'bool') && hasNumericConditions) || (isKind(own, 'float', 'decimal') && printsReals);
  return isPrinted ? context.asText(own, at) : own;
}

/** Strings whose letters are compared without their accents, too. */
function baseOf(own: Value, other: Value): Value {
  const isPlain = [own, other].some((each) => each.literal !== undefined && !/\p{L}/u.test(each.literal));
  if (isPlain || !isKind(own, 'text', 'unknown')) return own;
  if (own.literal !== undefined) {
    const literal = withoutAccents(own.literal);
    return { ...own, literal, sql: quoteString(literal) };
  }
  return { ...own, sql: sql`removeDiacriticsUTF8(${own.sql})`, isLoose: false };
}

/** Writes a match of a string with a pattern. */
export function writeLike(expression: Like, context: Context): Value {
  const { operator, isNot, pattern: source } = expression;
  const { traits } = context.shared;
  const written = settled(context.write(expression.value, context));
  const subject = subjectOf(written, expression.at, context);
  const pattern = subjectOf(settled(context.write(source, context)), source.at, context);
  const isBinary = subject.type.isBinary === true || pattern.type.isBinary === true;
  if (operator === 'LIKE' || operator === 'ILIKE') {
    const isCaseless = operator === 'ILIKE' || (!isBinary && traits.likeIgnoresCase);
    const options = { at: source.at, isNot, isCaseless, escape: escapeOf(expression, context) };
    if (!traits.ignoresCase || isBinary) return likeOf(subject, pattern, options);
    checkLiterals([pattern], { at: source.at, context });
    return likeOf(baseOf(subject, pattern), baseOf(pattern, subject), options);
  }
  const isCaseless = operator === 'IREGEXP' || (traits.ignoresCase && !isBinary);
  const regex = regexFor(expression, pattern, { isCaseless, context });
  const own = subject.type.kind === 'unknown' ? subject.sql : text(subject);
  return condition(sql`${isNot ? 'NOT ' : ''}match(${own}, ${regex})`, isNullable(subject, pattern));
}

/** The escape character; an empty string for none. */
function escapeOf({ escape, at }: Like, { shared }: Context): string {
  if (escape === undefined) return shared.traits.likeEscape ? '\\' : '';
  if (escape.kind !== 'string' || escape.value.length > 1)
    return unconverted(at, 'expression', 'The escape character must be a literal');
  return escape.value;
}

function regexFor(
  { operator, at, escape, pattern: written }: Like,
  pattern: Value,
  { isCaseless, context }: { readonly isCaseless: boolean; readonly context: Context },
): Sql {
  if (operator === 'SIMILAR TO' || operator === 'GLOB') {
    if (written.kind !== 'string')
      return unconverted(at, 'expression', `${operator} is converted only with a literal pattern`);
    const escaped = escape?.kind === 'string' ? escape.value : '\\';
    return quoteString(operator === 'GLOB' ? globRegex(written.value) : similarRegex(written.value, escaped));
  }
  const isWhole = context.shared.traits.regexIsWhole;
  return regexOf(pattern, { written, isCaseless, isWhole, context }).sql;
}
