// Lists the codes of findings of the analysis on an engine.
import type { Codes } from '../../../sql/base/finding.ts';
import { FRESH_COLUMN_CODES } from '../../../service/endpoints/checks/fresh.ts';
import { LIVE_KEY_CODES } from '../../../service/endpoints/checks/live.ts';
import { PAGE_KEY_CODES } from '../../../service/endpoints/checks/pages.ts';
import { VIEW_PATH_CODES } from '../../../service/endpoints/checks/views.ts';
import { WATCH_COLUMN_CODES } from '../../../service/endpoints/checks/watches.ts';
import { NOT_ANALYSED_CODES } from '../../../service/endpoints/not-analysed.ts';

export const ENGINE_CODES: Codes = {
  ...NOT_ANALYSED_CODES,
  ...PAGE_KEY_CODES,
  ...LIVE_KEY_CODES,
  ...FRESH_COLUMN_CODES,
  ...VIEW_PATH_CODES,
  ...WATCH_COLUMN_CODES,
  'engine.unknown_column': {
    title: 'Unknown column',
    help: 'Correct the name; the hint suggests the closest match.',
  },
  'engine.unknown_table': {
    title: 'Unknown table or database',
    help: 'Correct the name, or add the table to the schema folder.',
  },
  'engine.unknown_function': {
    title: 'Unknown function',
    help: 'Correct the name; the hint suggests the closest match.',
  },
  'engine.unknown_enum_value': {
    title: 'A string that is no value of an Enum column',
    help: 'The comparison is never true, or fails when the query runs. Correct the string; the hint suggests the closest name.',
  },
  'engine.unknown_type': {
    title: 'Unknown data type',
    help: 'Correct the name of the type.',
  },
  'engine.syntax': {
    title: 'Syntax error reported by the engine',
    help: 'Look just before this location for a missing or extra comma, operator or keyword.',
  },
  'engine.wrong_arguments': {
    title: 'Wrong function arguments',
    help: 'Check the number and types of the arguments that the function accepts.',
  },
  'engine.wrong_type': {
    title: 'Incompatible types',
    help: 'Convert one of them, or declare the parameter with another type.',
  },
  'engine.wrong_aggregate': {
    title: 'Invalid aggregation',
    help: 'Every selected column must be in GROUP BY or inside an aggregate function.',
  },
  'engine.value_needed': {
    title: 'The query cannot be analysed without suitable values',
    help: 'A function of the query accepts only some values of a parameter, and the engine tried those of the examples, the default, the enum, min and common ones. Add an example, or a default, with values that the query accepts.',
  },
  'engine.rejected': {
    title: 'The engine rejects the query',
    help: 'The message is that of the engine.',
  },
};
