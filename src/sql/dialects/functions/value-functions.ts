// The functions of values, by name, as most dialects have them.
import { safely } from '../function.ts';
import type { Rule } from '../context.ts';
import { TIME_FUNCTIONS } from '../time/functions.ts';
import { ARRAY_FUNCTIONS } from './array.ts';
import { CONCAT_FUNCTIONS, SPLIT_FUNCTIONS, TRIM_FUNCTIONS } from './strings.ts';
import { CONDITION_FUNCTIONS } from './condition.ts';
import { CONVERSION_FUNCTIONS } from './conversion.ts';
import { JSON_FUNCTIONS } from './json.ts';
import { NUMBER_FUNCTIONS } from './number.ts';
import { REGEX_FUNCTIONS } from './regex.ts';
import { SEARCH_FUNCTIONS } from './search.ts';
import { TEXT_FUNCTIONS } from './text.ts';

export const VALUE_FUNCTIONS: ReadonlyMap<string, Rule> = new Map(
  Object.entries({
    ...safely({
      ...TEXT_FUNCTIONS,
      ...CONCAT_FUNCTIONS,
      ...REGEX_FUNCTIONS,
      ...SEARCH_FUNCTIONS,
      ...TRIM_FUNCTIONS,
      ...NUMBER_FUNCTIONS,
      ...SPLIT_FUNCTIONS,
    }),
    ...TIME_FUNCTIONS,
    ...JSON_FUNCTIONS,
    ...ARRAY_FUNCTIONS,
    ...CONDITION_FUNCTIONS,
    ...CONVERSION_FUNCTIONS,
  }),
);
