// Comparisons of tuples, as pages by several columns have them: the engine does not use the key for them, so a condition on the first
// column is added.
import type { ChangeKind } from '../change.ts';
import { comparedOf, keyType, written } from '../subject.ts';

const WIDER: Readonly<Record<string, string>> = { '>': '>=', '>=': '>=', '<': '<=', '<=': '<=' };

export const TUPLES: ChangeKind = {
  name: 'tuples',
  *propose(subject) {
    for (const node of subject.conditions) {
      const compared = comparedOf(subject, node);
      const wider = WIDER[compared?.operator ?? ''];
      if (compared?.left.kind !== 'tuple' || compared.right.kind !== 'tuple' || wider === undefined) continue;
      const [[first], [bound]] = [compared.left.parts, compared.right.parts];
      if (first === undefined || bound === undefined || keyType(subject, first) === undefined) continue;
      const condition = written(subject, node).replaceAll(/\s+/g, ' ');
      const text = `(${written(subject, first)} ${wider} ${written(subject, bound)} AND ${written(subject, node)})`;
      yield {
        code: 'cost.hidden_key',
        at: node,
        reason: `${condition} does not use the keys of the table`,
        edits: [{ range: node, text }],
      };
    }
  },
};
