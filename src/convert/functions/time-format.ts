// Formats of times, as the formats of formatDateTime and parseDateTime.

/** A format, or why it is not converted. */
export type Format = { readonly format: string } | { readonly reason: string };

/** Of MySQL and Trino: by the letter after %. */
const MYSQL: Readonly<Record<string, string>> = {
  Y: '%Y', y: '%y', m: '%m', d: '%d', e: '%e', H: '%H', h: '%h', I: '%I', i: '%i', s: '%S', S: '%S', f: '%f', p: '%p',
  a: '%a', b: '%b', M: '%M', W: '%W', j: '%j', T: '%T', r: '%I:%i:%S %p', v: '%V', x: '%G', w: '%w', '%': '%%',
}; // prettier-ignore

/** Of strftime, as in SQLite and BigQuery. */
const STRFTIME: Readonly<Record<string, string>> = {
  Y: '%Y', y: '%y', m: '%m', d: '%d', e: '%e', H: '%H', I: '%I', M: '%i', S: '%S', j: '%j', w: '%w', u: '%u', F: '%F', T: '%T', R: '%R', D: '%m/%d/%y',
  b: '%b', B: '%M', h: '%b', a: '%a', A: '%W', p: '%p', V: '%V', G: '%G', Q: '%Q', n: '\n', t: '\t', '%': '%%',
}; // prettier-ignore

function byPercent(letters: Readonly<Record<string, string>>, format: string): Format {
  let written = '';
  for (let at = 0; at < format.length; at++) {
    const char = format.charAt(at);
    if (char !== '%') {
      written += char;
      continue;
    }
    const letter = format.charAt(++at);
    const own = letters[letter];
    if (own === undefined) return { reason: `%${letter} in a format is not converted` };
    written += own;
  }
  return { format: written };
}

export const mysqlFormat = (format: string): Format => byPercent(MYSQL, format);
export const strftimeFormat = (format: string): Format => byPercent(STRFTIME, format);

/** Of to_char; longer ones first. Names that PostgreSQL pads with spaces are only converted after FM. */
const TO_CHAR: readonly (readonly [RegExp, string])[] = [
  [/^YYYY/i, '%Y'],
  [/^IYYY/i, '%G'],
  [/^YY/i, '%y'],
  [/^IW/i, '%V'],
  [/^MM/i, '%m'],
  [/^MI/i, '%i'],
  [/^FMMonth/, '%M'],
  [/^FMDay/, '%W'],
  [/^Mon(?!th)/, '%b'],
  [/^DDD/i, '%j'],
  [/^DD/i, '%d'],
  [/^Dy/, '%a'],
  [/^ID/i, '%u'],
  [/^HH24/i, '%H'],
  [/^HH(?:12)?/i, '%I'],
  [/^SS/i, '%S'],
  [/^US/i, '%f'],
  [/^FF6/i, '%f'],
  [/^(?:AM|PM)/, '%p'],
  [/^Q/i, '%Q'],
];

/** A format of to_char, to_date or to_timestamp. */
export function toCharFormat(format: string, dialect: string): Format {
  let written = '';
  for (let rest = format; rest !== '';) {
    const [whole, inner] = /^"([^"]*)"/.exec(rest) ?? [];
    if (whole !== undefined) {
      written += (inner ?? '').replaceAll('%', '%%');
      rest = rest.slice(whole.length);
      continue;
    }
    const snowflake = dialect === 'snowflake' ? /^(?:MMMM|MON|DY)/i.exec(rest)?.[0] : undefined;
    const found = TO_CHAR.find(([pattern]) => pattern.test(rest));
    if (snowflake !== undefined) {
      written += snowflake.toUpperCase() === 'MMMM' ? '%M' : snowflake.toUpperCase() === 'MON' ? '%b' : '%a';
      rest = rest.slice(snowflake.length);
    } else if (found !== undefined) {
      written += found[1];
      rest = rest.slice(found[0].exec(rest)?.[0].length ?? 1);
    } else {
      const char = rest.charAt(0);
      if (/[A-Za-z]/.test(char) && !(char === 'T' && /\d|"|%/.test(written.slice(-1) + char)))
        return { reason: `${/^[A-Za-z]+/.exec(rest)?.[0] ?? char} in a format is not converted` };
      written += char === '%' ? '%%' : char;
      rest = rest.slice(1);
    }
  }
  return { format: written };
}
