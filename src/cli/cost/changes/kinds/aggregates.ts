// Aggregates that each have the same condition, without a WHERE: the condition selects rows only after they are read.
import type { Node } from '../../../../sql/clickhouse/tree/nodes.ts';
import { nodesOf, argumentsOf, nameOf, partOf } from '../../../../sql/clickhouse/tree/visit.ts';
import type { ChangeKind, ChangeSubject } from '../change.ts';
import { hasKey, written } from '../subject.ts';

const AGGREGATE =
  /^(?:count|sum|avg|min|max|any|anylast|uniq\w*|quantiles?\w*|median\w*|group\w+|arg(?:min|max)|stddev\w*|var\w*|topk\w*)$/i;
const MOST_CONDITIONS = 4;

export const AGGREGATES: ChangeKind = {
  name: 'aggregates',
  *propose(subject) {
    for (const select of nodesOf(subject.tree.root, 'select')) {
      const [list, from] = [partOf(select, 'list'), partOf(select, 'from')];
      if (list === undefined || from === undefined || partOf(select, 'group-by') !== undefined) continue;
      const conditions = conditionsOf(subject, list);
      if (conditions === undefined || !conditions.every((each) => hasKey(subject, each))) continue;
      const texts = [...new Set(conditions.map((each) => written(subject, each)))];
      if (texts.length > MOST_CONDITIONS) continue;
      const condition = texts.length === 1 ? texts.join('') : texts.map((each) => `(${each})`).join(' OR ');
      const where = partOf(select, 'where');
      const range = { from: (where ?? from).to, to: (where ?? from).to };
      const text = where === undefined ? ` WHERE ${condition}` : ` AND (${condition})`;
      if (where?.parts[0]?.kind === 'or') continue;
      yield {
        code: 'cost.aggregate_condition',
        at: list,
        reason: 'all rows are read for aggregates with a condition on the keys',
        edits: [{ range, text }],
      };
    }
  },
};

/** Returns the conditions of all aggregates; undefined if one of them has none, or a column is read outside of them. */
function conditionsOf(subject: ChangeSubject, list: Node): readonly Node[] | undefined {
  const calls = nodesOf(list, 'call');
  const conditional = calls.filter((call) => /^[a-z]\w*If$/.test(nameOf(subject.tree, call)));
  const inside = (node: Node): boolean =>
    conditional.some((call) => call.from <= node.from && node.to <= call.to);
  const isAggregate = (call: Node): boolean =>
    AGGREGATE.test(
      nameOf(subject.tree, call).replace(/(?:Merge|State|OrNull|OrDefault|Distinct|Array)$/, ''),
    );
  const outside = [...nodesOf(list, 'column', 'star', 'subquery'), ...calls.filter(isAggregate)];
  if (conditional.length === 0 || outside.some((node) => !inside(node))) return undefined;
  return conditional.flatMap((call) => argumentsOf(call).at(-1) ?? []);
}
