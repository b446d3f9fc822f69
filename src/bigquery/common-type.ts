// Several values that become one: branches of a condition, elements of an array, both sides of a comparison.
import type { Sql } from './sql.ts';
import { number, text, whole, type Type, type Value } from './value.ts';

/** The values written so that they have a type in common, and that type. */
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
