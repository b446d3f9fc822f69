// Rules about what a file reaches outside of the tables: they come before the engine sees the query.
import { explainOutside, outsideReads } from '../../sql/clickhouse/outside-reads.ts';
import type { Rule } from './rule.ts';

/** Checked for each variant. */
export const OUTSIDE_QUERY_RULES: Readonly<Record<string, Rule>> = {
  'query.reads_outside': function* ({ bound, inBound }, { engineSources }) {
    for (const read of outsideReads(bound.sql, engineSources, bound.tokens))
      yield { ...inBound(read.start), ...explainOutside(read) };
  },
};
