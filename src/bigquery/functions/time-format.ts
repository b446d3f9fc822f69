// Converts patterns of FORMAT_TIMESTAMP and PARSE_TIMESTAMP to those of formatDateTime and parseDateTime.
import { untranslated } from '../translation-error.ts';

/** Source: BigQuery, Format elements; ClickHouse, formatDateTime. */
const ELEMENTS: Readonly<Record<string, string>> = {
  '%%': '%%',
  '%A': '%W',
  '%a': '%a',
  '%B': '%M',
  '%b': '%b',
  '%h': '%b',
  '%C': '%C',
  '%D': '%D',
  '%d': '%d',
  '%e': '%e',
  '%F': '%F',
  '%G': '%G',
  '%g': '%g',
  '%H': '%H',
  '%I': '%I',
  '%j': '%j',
  '%k': '%k',
  '%l': '%l',
  '%M': '%i',
  '%m': '%m',
  '%n': '%n',
  '%p': '%p',
  '%Q': '%Q',
  '%R': '%R',
  '%S': '%S',
  '%T': '%T',
  '%t': '%t',
  '%u': '%u',
  '%V': '%V',
  '%w': '%w',
  '%X': '%T',
  '%x': '%D',
  '%Y': '%Y',
  '%y': '%y',
  '%Z': 'UTC',
  '%z': '%z',
  '%Ez': '%z',
  '%E4Y': '%Y',
  '%E6S': '%S.%f',
  '%E*S': '%S.%f',
};

/** The equivalent ClickHouse pattern; rejects elements without an equivalent. */
export function timeFormat(pattern: string, at: number): string {
  return pattern.replace(/%(?:E[*\d]?[A-Za-z]?|.?)/gs, (element) => {
    const known = ELEMENTS[element];
    if (known !== undefined) return known;
    return untranslated(
      at,
      `${element} is not supported`,
      `The elements are ${Object.keys(ELEMENTS).join(' ')}.`,
    );
  });
}
