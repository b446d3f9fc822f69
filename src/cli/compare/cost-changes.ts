// The change of what a call reads, by an estimate.
import { cost } from './change-kinds.ts';

export const COST_CHANGES = {
  'cost.reads_more': cost(
    'The call of an example reads many times the rows of before',
    'The estimate is that of `millrace cost` for both revisions, over the tables and fixtures of now. A function around a column of a key, or a condition that is gone, often is the cause: `millrace cost` names the change to make, if one is proven. The factor is `budget.growth` of millrace.yaml.',
  ),
};
