// The functions of values, by name: those of all dialects.
import type { Rule } from '../function.ts';
import { TIME_FUNCTIONS } from '../time/functions.ts';
import { ARRAY_FUNCTIONS } from './array.ts';
import { BYTES_FUNCTIONS } from './bytes.ts';
import { CONCAT_FUNCTIONS } from './concat.ts';
import { CONDITION_FUNCTIONS } from './condition.ts';
import { CONVERSION_FUNCTIONS } from './conversion.ts';
import { FORMAT_FUNCTIONS } from './format.ts';
import { JSON_FUNCTIONS } from './json.ts';
import { JSON_WRITING_FUNCTIONS } from './json-writing.ts';
import { NUMBER_FUNCTIONS } from './number.ts';
import { REGEX_FUNCTIONS } from './regex.ts';
import { SEARCH_FUNCTIONS } from './search.ts';
import { SERIES_FUNCTIONS } from './series.ts';
import { SPLIT_FUNCTIONS } from './split.ts';
import { TEXT_FUNCTIONS } from './text.ts';
import { TRIM_FUNCTIONS } from './trim.ts';

/** Functions of strings and numbers that have an error instead. */
const CAN_FAIL: ReadonlySet<string> = new Set(['from_hex', 'from_base64']);

/** Functions of strings and numbers have a value of their own in place of an error: SAFE. changes nothing, or they read it. */
const OF_TEXTS: readonly (readonly [string, Rule])[] = Object.entries({
  ...TEXT_FUNCTIONS,
  ...CONCAT_FUNCTIONS,
  ...REGEX_FUNCTIONS,
  ...SEARCH_FUNCTIONS,
  ...TRIM_FUNCTIONS,
  ...BYTES_FUNCTIONS,
  ...FORMAT_FUNCTIONS,
  ...NUMBER_FUNCTIONS,
  ...SPLIT_FUNCTIONS,
}).map(([name, rule]) => [name, CAN_FAIL.has(name) ? rule : safely(rule)]);

function safely(rule: Rule): Rule {
  const own: Rule = (application) => {
    void application.call.isSafe;
    return rule(application);
  };
  return Object.assign(own, rule);
}

export const VALUE_FUNCTIONS: ReadonlyMap<string, Rule> = new Map([
  ...OF_TEXTS,
  ...Object.entries(TIME_FUNCTIONS),
  ...Object.entries(JSON_FUNCTIONS),
  ...Object.entries(JSON_WRITING_FUNCTIONS),
  ...Object.entries(ARRAY_FUNCTIONS),
  ...Object.entries(SERIES_FUNCTIONS),
  ...Object.entries(CONDITION_FUNCTIONS),
  ...Object.entries(CONVERSION_FUNCTIONS),
]);
