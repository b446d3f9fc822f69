// BigQuery's functions of strings, and FORMAT.
import { quoteString } from '../../clickhouse/literal.ts';
import type { Application, Rule, Rules } from '../context.ts';
import { joinSql, sql, type Sql, isNumber, operand, text, value, type Value } from '../value.ts';
import { signedInteger, count, unlessNull, safely, taking } from '../function.ts';
import { ofBytes, splitText } from '../functions/strings.ts';
import { extracted, extractedAll } from '../functions/regex.ts';
import { instrFrom } from '../functions/search.ts';
import { padded, repeated, side, substrings, translate } from '../functions/text.ts';

/** A specifier: `%'+8.2f`. Numbers of `*` have been read. */
interface Specifier {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
  readonly kind: string;
}

/** A part of the pattern for printf, and its argument. */
interface Piece {
  readonly pattern: string;
  readonly argument: Sql;
}

const SPECIFIER = /%([-+ #0']*)(\d+|\*)?(?:\.(\d+|\*)?)?([^])|%$/g;
const HAS_PRECISION = /\.[^.]*$/;
const MAX_SIZE = 400;

/** Source: GoogleSQL, FORMAT. NULL of NULL. */
function format(application: Application): Value {
  const { source, call, fail } = application;
  const written = source(0);
  if (written.kind !== 'string') return fail('format requires a pattern as a string literal');
  const pieces: Piece[] = [];
  let next = 1;
  const take = (): number => {
    if (next >= call.args.length)
      return fail('The pattern of format has more specifiers than there are values');
    return next++;
  };
  const pattern = written.value.replaceAll(SPECIFIER, (whole, ...groups: readonly (string | undefined)[]) => {
    if (groups[3] === '%' && whole === '%%') return '%%';
    const piece = pieceOf(specifierOf(whole, groups, { application, take }), take(), application);
    pieces.push(piece);
    return piece.pattern;
  });
  if (next < call.args.length)
    return fail('The pattern of format has fewer specifiers than there are values');
  if (pieces.length === 0) return value('text', quoteString(written.value.replaceAll('%%', '%')), false);
  const args = joinSql(pieces.map(({ argument }) => argument));
  return value('text', sql`printf(${quoteString(pattern)}, ${args})`);
}

function specifierOf(
  whole: string,
  [flags = '', width, precision, kind = '']: readonly (string | undefined)[],
  { application, take }: { readonly application: Application; readonly take: () => number },
): Specifier {
  const size = (written: string | undefined): number | undefined => {
    const number = written === '*' ? signedInteger(application.source(take())) : Number(written ?? 0);
    if (number === undefined || Math.abs(number) > MAX_SIZE)
      return application.fail(`A width or precision of format must be an integer literal up to ${MAX_SIZE}`);
    return number;
  };
  const [columns = 0, digits = 0] = [size(width), HAS_PRECISION.test(whole) ? size(precision) : -1];
  return {
    flags: columns < 0 ? `${flags}-` : flags,
    width: Math.abs(columns),
    precision: digits < 0 ? undefined : digits,
    kind,
  };
}

const printed = ({ flags, width, precision, kind }: Specifier): string =>
  `%${flags}${width === 0 ? '' : width}${precision === undefined ? '' : `.${precision}`}${kind}`;

function pieceOf(specifier: Specifier, index: number, application: Application): Piece {
  const own = application.arg(index);
  const { kind } = specifier;
  const reject = (): never =>
    application.fail(
      `format does not support %${kind} with this value here`,
      'It supports %d, %x and %o of integers, %f, %e and %g of numbers, %s of strings, and %t of strings and numbers.',
    );
  if (specifier.flags.includes("'")) return grouped(specifier, own) ?? reject();
  if (/^[di]$/.test(kind) && ['int', 'unknown', 'dynamic', 'null'].includes(own.type.kind))
    return { pattern: printed({ ...specifier, kind: 'd' }), argument: integer(own) };
  if (/^[oxX]$/.test(kind) && own.type.kind === 'int') return unsigned(specifier, own);
  if (/^[feEgGF]$/.test(kind)) return real(specifier, own) ?? reject();
  if (kind === 's' && ['text', 'dynamic', 'object', 'null', 'unknown'].includes(own.type.kind))
    return cut(specifier, text(own));
  if (kind === 't' && ['text', 'int'].includes(own.type.kind))
    return cut(
      specifier,
      sql`ifNull(${own.type.kind === 'int' ? sql`toString(${own.sql})` : text(own)}, 'NULL')`,
    );
  return reject();
}

const integer = (own: Value): Sql =>
  own.type.kind === 'dynamic' ? sql`accurateCastOrNull(${own.sql}, 'Int64')` : own.sql;

/** A string of at least the width. */
const aligned = ({ flags, width }: Pick<Specifier, 'flags' | 'width'>): string =>
  `%${flags.includes('-') ? '-' : ''}${width === 0 ? '' : width}s`;

/** The precision is a number of characters. */
function cut({ flags, width, precision }: Specifier, own: Sql): Piece {
  const argument = precision === undefined ? own : sql`substringUTF8(${own}, 1, ${String(precision)})`;
  return { pattern: aligned({ flags, width }), argument };
}

/** -0.0 has no sign. */
function real(specifier: Specifier, own: Value): Piece | undefined {
  const pattern = printed(specifier);
  if (own.type.kind === 'float' || own.type.kind === 'numeric')
    return { pattern, argument: sql`(${operand(own)} + 0.)` };
  if (own.type.kind === 'dynamic' || own.type.kind === 'null' || own.type.kind === 'unknown')
    return { pattern, argument: sql`accurateCastOrNull(${own.sql}, 'Float64')` };
  const isPlain = specifier.flags === '' && specifier.width === 0 && /^[fF]$/.test(specifier.kind);
  if (own.type.kind !== 'decimal' || !isPlain) return undefined;
  return { pattern: '%s', argument: decimals(own, specifier.precision ?? 6) };
}

const decimals = (own: Value, digits: number): Sql =>
  own.type.kind === 'decimal'
    ? sql`toDecimalString(round(${own.sql}, ${String(digits)}), ${String(digits)})`
    : sql`printf('%.${String(digits)}f', ${own.type.kind === 'int' ? sql`toFloat64(${own.sql})` : sql`(${operand(own)} + 0.)`})`;

/** Digits of another base; a negative number has a sign, which printf does not write. */
function unsigned(specifier: Specifier, own: Value): Piece {
  const { flags, width, precision, kind } = specifier;
  const pattern = printed({ flags: flags.includes('#') ? '#' : '', width: 0, precision, kind });
  const digits = sql`printf(${quoteString(pattern)}, abs(${own.sql}))`;
  const sign = flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  const signed = sql`if(${operand(own)} < 0, '-', ${quoteString(sign)})`;
  const isFilled = flags.includes('0') && !flags.includes('-') && precision === undefined && width > 0;
  const zeros = isFilled
    ? sql`repeat('0', greatest(0, ${String(width)} - length(${signed}) - length(${digits})))`
    : "''";
  const prefix = isFilled && flags.includes('#') && kind !== 'o';
  const body = prefix
    ? sql`concat(${signed}, substring(${digits}, 1, 2), ${zeros}, substring(${digits}, 3))`
    : sql`concat(${signed}, ${zeros}, ${digits})`;
  return { pattern: aligned(specifier), argument: body };
}

/** `'` with d and f: a comma before each three digits. */
function grouped({ flags, width, precision, kind }: Specifier, own: Value): Piece | undefined {
  const isWhole = /^[di]$/.test(kind);
  const isPlain = /^[-']*$/.test(flags) && isNumber(own) && own.type.kind !== 'numeric';
  if (!isPlain || (isWhole ? own.type.kind !== 'int' || precision !== undefined : !/^[fF]$/.test(kind)))
    return undefined;
  const digits = isWhole ? sql`toString(${own.sql})` : decimals(own, precision ?? 6);
  const whole = isWhole ? digits : sql`extract(${digits}, '^[^.]*')`;
  const commas = 'replaceRegexpOne(reverse(replaceRegexpAll(reverse(';
  const separated = sql`${commas}${whole}), '(\\\\d{3})', '\\\\1,')), '^(-?),', '\\\\1')`;
  const rest = isWhole ? '' : sql`, extract(${digits}, '\\\\..*$')`;
  const argument = isWhole ? separated : sql`concat(${separated}${rest})`;
  return { pattern: aligned({ flags, width }), argument };
}

const hashes = (name: string): Rule => ofBytes('bytes', (own) => sql`${name}(${own})`);

/** Words begin with a capital letter; only some characters are between words. */
const capitalized: Rule = ({ arg }) => {
  const between = '\\s\\x0b\\[\\](){}/|\\\\<>!?@"^#$&~_,.:;*%+\\-';
  const words = quoteString(`[^${between}]+|[${between}]+`);
  const word = 'concat(upperUTF8(substringUTF8(x, 1, 1)), lowerUTF8(substringUTF8(x, 2)))';
  const joined = unlessNull(
    [arg(0)],
    'NULL',
    (present = '') => sql`arrayStringConcat(arrayMap(x -> ${word}, extractAll(${present}, ${words})))`,
  );
  return value('text', joined, false);
};

const translateOnce: Rule = (application) => {
  const own = translate(application);
  const from = application.source(1);
  const isTwice = from.kind === 'string' && new Set(from.value).size < Array.from(from.value).length;
  return isTwice ? application.fail('translate requires each character only once') : own;
};

/** Hexadecimal digits as bytes; other characters are an error. */
const fromHex: Rule = ofBytes('bytes', (digits) => {
  const isValid = sql`match(${digits}, '^[0-9A-Fa-f]*$')`;
  return sql`unhex(concat(${digits}, repeat('', 0 % ${isValid})))`;
});

const digits = (own: Sql): Sql => sql`lower(hex(${own}))`;

const OF_TEXTS: Rules = {
  ...taking('text', {
    ...Object.fromEntries(
      ['MD5', 'SHA1', 'SHA256', 'SHA512'].map((name) => [name.toLowerCase(), hashes(name)]),
    ),
    farm_fingerprint: ofBytes('int', (own) => sql`toInt64(farmFingerprint64(${own}))`),
    to_hex: ofBytes('text', digits),
    to_base64: ofBytes('text', (own) => sql`base64Encode(${own})`),
    initcap: capitalized,
    translate: translateOnce,
    regexp_substr: extracted,
    regexp_extract: extracted,
    regexp_extract_all: extractedAll,
  }),
  ...taking('text text integer', { instr: instrFrom }),
  ...taking('text integer', {
    left: side('left', count),
    right: side('right', count),
    repeat: repeated(count),
  }),
  ...taking('text integer text', { lpad: padded('leftPad', count), rpad: padded('rightPad', count) }),
  ...taking('text', { split: splitText }, 'decide'),
  ...taking('any', substrings('clamped', count)),
  ...taking('any', { format }, 'decide'),
};

/** from_hex and from_base64 are errors for what is no text. */
export const TEXT_FUNCTIONS: Rules = {
  ...safely(OF_TEXTS),
  ...taking('text', {
    from_hex: fromHex,
    from_base64: ofBytes('bytes', (own) => sql`base64Decode(${own})`),
  }),
};
