// CONVERT, of a value and a type.
import { taking, integer } from '../function.ts';
import { castTo } from '../cast/cast.ts';
import type { Rule, Rules } from '../context.ts';

/** CONVERT with the type at a place of its arguments. */
export function convert(typeAt: 0 | 1): Rule {
  return ({ call, source, arg, at, context, fail }) => {
    if (call.args.length !== 2) return fail('convert is converted with two arguments');
    const type = source(typeAt);
    const named =
      type.kind === 'path'
        ? { name: type.parts.at(-1)?.name ?? '', sizes: undefined }
        : type.kind === 'call'
          ? { name: type.name, sizes: type.args.map((each) => integer(each) ?? 0) }
          : fail('The type of convert is not known');
    return castTo(
      arg(1 - typeAt),
      { name: named.name.toUpperCase(), at, ...(named.sizes === undefined ? {} : { sizes: named.sizes }) },
      { isSafe: false, at, context },
    );
  };
}

export const CONVERSION_FUNCTIONS: Rules = taking('any', { convert: convert(0) }, 'decide');
