// Functions of BigQuery that other dialects do not have, or that mean something else there.
import { quoteString } from '../../sql/literal.ts';
import { count, unlessNull } from '../argument.ts';
import { checkedInteger } from '../arithmetic.ts';
import { safely, taking } from '../behaviour.ts';
import type { OwnFunctions, Rule, Rules } from '../function.ts';
import { ofBytes } from '../functions/bytes.ts';
import { extract, jsonReading, STANDARD_TYPES } from '../functions/json.ts';
import { toJsonNull } from '../functions/json-writing.ts';
import { logarithm, tests } from '../functions/number.ts';
import { extracted, extractedAll } from '../functions/regex.ts';
import { roundBy } from '../functions/rounding.ts';
import { instrFrom } from '../functions/search.ts';
import { splitText } from '../functions/split.ts';
import { padded, repeated, side, substrings, translate } from '../functions/text.ts';
import { number } from '../operand.ts';
import { sql, type Sql } from '../sql.ts';
import { truncate } from '../time/functions.ts';
import { float, isKind, loose, operand, value } from '../value.ts';
import { format } from './format.ts';
import { TIME_FUNCTIONS, timeString } from './time.ts';

const hashes = (name: string): Rule => ofBytes('bytes', (own) => sql`${name}(${own})`);

/** safe_add and others of integers: NULL if the result has more than 64 bits. */
function safeInteger(operator: '+' | '-' | '*'): Rule {
  return ({ arg, fail, call }) => {
    const [a, b] = [arg(0), arg(1)];
    if (a.type.kind !== 'int' || b.type.kind !== 'int') return fail(`${call.name} is supported for integers`);
    const built = sql`toInt128(${a.sql}) ${operator} ${operand(b)}`;
    return value('int', sql`accurateCastOrNull(${built}, 'Int64')`, true, { scale: 0 });
  };
}

/** abs, which has an unsigned type in ClickHouse. */
const abs: Rule = ({ arg, call, context }) => {
  const { sql: own, type } = arg(0);
  if (type.kind !== 'int') return { sql: sql`abs(${own})`, type };
  if (context.isEvaluated === true && (type.bits ?? 63) >= 63 && !call.isSafe)
    return checkedInteger(sql`abs(toInt128(${own}))`, type.isNullable);
  return { sql: sql`toInt64(abs(${own}))`, type };
};

/** Of NaN, NaN. */
const sign: Rule = ({ arg }) => {
  const { sql: own, type } = arg(0);
  if (type.kind !== 'float') return value('int', sql`sign(${own})`, type.isNullable, { scale: 0, bits: 1 });
  return value('float', sql`if(isNaN(${own}), ${own}, sign(${own}))`, type.isNullable);
};

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

/** A null in a string is NULL. */
const extractPresent: Rule = (application) => {
  const found = extract(application);
  const isText = isKind(found, 'json') && !isKind(application.arg(0), 'json');
  return isText && application.context.shared.isStrict
    ? value('text', sql`nullIf(${found.sql}, 'null')`)
    : found;
};

/** `string`: of JSON, of times, in a zone, and of other values. */
const string: Rule = (application) => {
  const { arg, call, fail, context, at } = application;
  const known = jsonReading(application, true) ?? timeString(application);
  if (known === undefined && call.args.length > 1)
    return fail('string has a time zone only with a timestamp');
  return known ?? context.asText(arg(0), at);
};

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
  ...taking('number', {
    abs,
    sign,
    round: roundBy,
    log: logarithm({ plain: 'log', baseAt: 1 }),
    safe_add: safeInteger('+'),
    safe_subtract: safeInteger('-'),
    safe_multiply: safeInteger('*'),
    ieee_divide: ({ arg }) => loose('float', sql`${float(arg(0))} / ${float(arg(1))}`, false),
    is_nan: tests('isNaN'),
    is_inf: tests('isInfinite'),
  }),
};

export const FUNCTIONS: OwnFunctions = {
  values: {
    ...safely(OF_TEXTS),
    ...taking('text', {
      from_hex: fromHex,
      from_base64: ofBytes('bytes', (own) => sql`base64Decode(${own})`),
    }),
    ...taking('time any', TIME_FUNCTIONS.timed),
    ...taking('any', {
      ...TIME_FUNCTIONS.made,
      date_trunc: truncate(undefined, true),
      datetime_trunc: truncate('datetime', true),
      timestamp_trunc: truncate('timestamp', true),
    }),
    ...taking(
      'any',
      {
        ...TIME_FUNCTIONS.current,
        string,
        int64: (application) =>
          jsonReading(application) ??
          value('int', sql`accurateCastOrNull(${number(application.arg(0))}, 'Int64')`),
        float64: (application) => jsonReading(application) ?? value('float', number(application.arg(0))),
        to_json: toJsonNull,
      },
      'decide',
    ),
    ...taking(
      'document any',
      { json_extract: extractPresent, json_query: extractPresent, json_type: STANDARD_TYPES },
      'decide',
    ),
  },
  aggregates: {},
};
