// The rules of functions at run time: how many arguments they accept.
import type { Context } from '../../dialects/write/context.ts';
import type { Value } from '../../dialects/value.ts';
import type { Application as AnyApplication } from '../../dialects/function.ts';

/** One call being translated. */
export type Application = AnyApplication<Context>;

/** How one function is translated. The number of arguments has been checked before `translate` is called. */
export interface FunctionRule {
  readonly least: number;
  readonly most: number;
  readonly kind: 'plain' | 'aggregate' | 'window';
  readonly translate: (application: Application) => Value;
}

/** A rule for `least` to `most` arguments. */
export function rule(
  least: number,
  most: number,
  translate: FunctionRule['translate'],
  kind: FunctionRule['kind'] = 'plain',
): FunctionRule {
  return { least, most, kind, translate };
}
