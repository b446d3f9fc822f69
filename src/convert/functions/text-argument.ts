// String arguments of functions.
import type { Application } from '../../dialects/function.ts';
import type { Value } from '../../dialects/value.ts';
import { castTo } from '../../dialects/cast/cast.ts';

/** An argument as a string. */
export function string({ arg, at, context }: Application, index: number): Value {
  const own = arg(index);
  if (own.type.kind === 'text' || own.type.kind === 'null') return own;
  if (own.type.kind === 'unknown') return own;
  return castTo(own, { name: 'TEXT', at }, { isSafe: false, at, context });
}
