// Writes IN with rows of several values as equalities.
import { isNullable, typeOf } from '../confinement/types.ts';
import { tupleItems } from './plain-form.ts';
import { parseType, printType, typeArguments } from '../../../sql/types/type.ts';
import type { Expression, FunctionExpression } from '../tree/nodes.ts';

/** `(a, b) IN ((x, y), …)` as equalities, of values that are never NULL; undefined for other sets. */
export function tuplesForm(call: FunctionExpression): Expression | undefined {
  const [left, set] = call.arguments;
  const items = left?.kind === 'function' ? tupleItems(left) : undefined;
  const rows = set === undefined || items === undefined ? undefined : rowsOf(set, items.length);
  if (left === undefined || items === undefined || rows === undefined) return undefined;
  if (items.some((each) => isNullable(typeOf(each)))) return undefined;
  const equalities = rows.map((row) => ({ ...call, name: 'equals', arguments: [left, row] }));
  const [only] = equalities;
  return equalities.length === 1 ? only : { ...call, name: 'or', arguments: equalities };
}

/** The rows of a constant set of tuples with so many items. */
function rowsOf(set: Expression, size: number): readonly Expression[] | undefined {
  if (set.kind !== 'constant') return undefined;
  const inner = /^(?:Tuple|Array)_[[(](Tuple_\(.*\))[\])]$/s.exec(set.text)?.[1];
  const type = typeArguments(parseType(set.type))[0]?.type;
  const rows: readonly Expression[] =
    inner === undefined || type === undefined
      ? [set]
      : (inner.match(ROW) ?? []).map((text) => ({ kind: 'constant', text, type: printType(type) }));
  const isWhole = inner === undefined || rows.map((each) => 'text' in each && each.text).join(', ') === inner;
  return isWhole && rows.every((each) => tupleItems(each)?.length === size) ? rows : undefined;
}

const ROW = /Tuple_\((?:'(?:[^'\\]|\\.)*'|[^'()])*\)/g;
