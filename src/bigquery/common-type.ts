// Finds a common type for several values: branches of a condition, array elements, both sides of a comparison.
import type { Sql } from './sql.ts';
import { number, text, whole, type Type, type Value } from './value.ts';

/** The values converted to a common type, and that type. */
export function unified(values: readonly Value[]): { readonly sqls: readonly Sql[]; readonly type: Type } {
  const type = commonType(values);
  const write = type.kind === 'int' || type.kind === 'float' ? number : text;
  const isLoose = values.some((each) => each.type.kind === 'dynamic');
  return { sqls: values.map((each) => (isLoose ? write(each) : whole(each))), type };
}

function commonType(values: readonly Value[]): Type {
  const known = values.map(({ type }) => type).filter(({ kind }) => kind !== 'null' && kind !== 'dynamic');
  const [first] = known;
  if (first === undefined)
    return { kind: values.some(({ type }) => type.kind === 'dynamic') ? 'string' : 'null' };
  if (known.every(({ kind }) => kind === first.kind)) return first;
  const areNumbers = known.every(({ kind }) => kind === 'int' || kind === 'float');
  return { kind: areNumbers ? 'float' : 'unknown' };
}
