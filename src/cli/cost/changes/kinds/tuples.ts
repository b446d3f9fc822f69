// Comparisons of tuples, as pages by several columns have them: the engine does not use the key for them, so a condition on the first
// column is added.
import { rewritingKind } from '../hidden-condition.ts';
import { comparedOf, keyType, written } from '../subject.ts';

const WIDER: Readonly<Record<string, string>> = { '>': '>=', '>=': '>=', '<': '<=', '<=': '<=' };

export const TUPLES = rewritingKind('tuples', (subject, node) => {
  const compared = comparedOf(subject, node);
  const wider = WIDER[compared?.operator ?? ''];
  if (compared?.left.kind !== 'tuple' || compared.right.kind !== 'tuple' || wider === undefined)
    return undefined;
  const [[first], [bound]] = [compared.left.parts, compared.right.parts];
  if (first === undefined || bound === undefined || keyType(subject, first) === undefined) return undefined;
  return `(${written(subject, first)} ${wider} ${written(subject, bound)} AND ${written(subject, node)})`;
});
