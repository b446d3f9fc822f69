// Lists the codes of findings about what calls read.
import type { Codes } from '../../sql/base/finding.ts';

export const COST_CODES: Codes = {
  'cost.rows': {
    title: 'A call reads more rows than allowed',
    help: 'millrace cost estimates with the sizes of the tables what the call of an example reads. The limit is that of --max-rows. A condition on the partition key and on the first columns of the sorting key lets the engine leave out the rest.',
  },
  'cost.growth': {
    title: 'A call reads many times the rows of before',
    help: 'The estimate is compared with that of --compare, an earlier report; the limit is that of --max-growth. A function around a column of the key, or a condition that is gone, often is the cause.',
  },
};
