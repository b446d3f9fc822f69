// Functions of strings and bytes of BigQuery.
import { quoteString } from '../../clickhouse/literal.ts';
import { count, unlessNull, safely, taking } from '../function.ts';
import type { Rule, Rules } from '../context.ts';
import { ofBytes } from '../functions/bytes.ts';
import { extracted, extractedAll } from '../functions/regex.ts';
import { instrFrom } from '../functions/search.ts';
import { splitText } from '../functions/split.ts';
import { padded, repeated, side, substrings, translate } from '../functions/text.ts';
import { sql, type Sql, value } from '../value.ts';
import { format } from './format.ts';

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
