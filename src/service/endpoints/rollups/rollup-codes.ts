// The codes of findings about rollups.
import type { Codes } from '../../../sql/base/finding.ts';

export const ROLLUP_CODES: Codes = {
  'rollup.duplicate_name': {
    title: 'Two rollups of one name',
    help: 'The names of tables begin with that of their rollup, so it is unique in the folder. The rollup that was loaded first stays in use.',
  },
  'rollup.grain': {
    title: 'A bucket width that does not divide a day, or the next width',
    help: 'Buckets begin at midnight in UTC, so a width divides a day, such as 1m, 15m, 1h or 1d. Of several widths, the finest is the first, and each divides the next.',
  },
  'rollup.expression': {
    title: 'Not an expression over one row',
    help: 'Dimensions and arguments of measures are computed from each row alone, and always with the same result: without subqueries, aggregate and window functions, arrayJoin, dictionaries, the clock and random numbers.',
  },
  'rollup.dimension_unnamed': {
    title: 'A dimension without a name',
    help: "An expression that is no column has a name: write { area: \"if(status < 500, 'fine', 'failed')\" }.",
  },
  'rollup.dimension_renamed': {
    title: 'A dimension that is a column under another name',
    help: 'A column keeps its name in a rollup, since queries read it under that name. The time column is no dimension: rows are grouped by its bucket.',
  },
  'rollup.duplicate_column': {
    title: 'Two columns of one name',
    help: 'The columns of a rollup are its time column, its dimensions and its measures; each has a name of its own.',
  },
  'rollup.personal_data': {
    title: 'A rollup of a column that an endpoint redacts',
    help: 'The tables of a rollup have the values of its dimensions, and of min, max, any and the like, as they are, for as long as the rollup keeps them. Queries of a caller for whom the column is redacted read the rows.',
  },
  'rollup.measure': {
    title: 'A measure that is no aggregate, or one that cannot be stored',
    help: 'A measure is one call of an aggregate function whose groups can be merged: count, sum, min, max, uniq, quantileBFloat16 and others, without DISTINCT, FILTER and OVER. avg is computed from sum and count.',
  },
};
