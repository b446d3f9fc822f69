// Lists the codes of findings about what calls read.
import type { Codes } from '../../sql/base/finding.ts';

/** The findings about a change of a query or a table, with which the call reads at most half. Both forms have run on made tables. */
const CHANGES = {
  'cost.hidden_key': {
    title: 'A condition that hides a column from the keys of the table',
    help: 'The engine cannot use the sorting key or the partition key for what the function returns. Write the condition that the hint has.',
  },
  'cost.join': {
    title: 'A table of which all rows are read for a few rows of another one',
    help: 'Rows of one side do not select among the keys of the other one. A condition with IN, which the hint has, does.',
  },
  'cost.order': {
    title: 'Rows are sorted or grouped that the table has in this order',
    help: 'With the order of the sorting key, the engine stops after as many rows as LIMIT asks for.',
  },
  'cost.aggregate_condition': {
    title: 'Aggregates with a condition on the keys, and no WHERE',
    help: 'Rows that no aggregate counts are read. Write the condition in WHERE as well.',
  },
  'cost.whole_document': {
    title: 'A document is read as a whole for some of its paths',
    help: 'Select the paths that are needed where the table is read, and the engine reads their columns alone.',
  },
  'cost.index': {
    title: 'A column without an index is compared with a value',
    help: 'No key selects rows by it. A skip index or a projection would; the hint has the statement that adds it.',
  },
  'cost.rollup': {
    title: 'Groups by time that are computed from many rows in each call',
    help: 'A rollup has these groups, and the engine keeps it up to date with each insert. Write the hint into a file NAME.rollup.yaml, and create it with millrace rollup apply and millrace rollup backfill.',
  },
};

export type CostChangeCode = keyof typeof CHANGES;

/** Returns true for the code of a change that is proven. */
export function isCostChange(code: string): code is CostChangeCode {
  return Object.hasOwn(CHANGES, code);
}

export const COST_CODES: Codes = {
  ...CHANGES,
  'cost.rows': {
    title: 'A call reads more rows than allowed',
    help: 'millrace cost estimates with the sizes of the tables what the call of an example reads. The limit is that of --max-rows. A condition on the partition key and on the first columns of the sorting key lets the engine leave out the rest.',
  },
  'cost.growth': {
    title: 'A call reads many times the rows of before',
    help: 'The estimate is compared with that of --compare, an earlier report; the limit is that of --max-growth. A function around a column of the key, or a condition that is gone, often is the cause.',
  },
};
