// The type after `.:`, which selects the values of a path of JSON or Dynamic that have it.
import { scalarNamed } from '../../../service/params/scalar.ts';
import { typeOfAlias } from '../../../sql/types/aliases.ts';

const NESTED = /^(?:Array|Map|Tuple|JSON|Dynamic|Variant|Nullable|LowCardinality|Nested|Time|BFloat)/;

/** The one in a name as the engine prints it, `a.b.:\`Strng\``, if there is no such type. */
export function unknownSubtype(name: string): string | undefined {
  const type = /\.:\\?`?(\w+)/.exec(name)?.[1];
  if (type === undefined || NESTED.test(type)) return undefined;
  const isKnown = scalarNamed(type, undefined) !== undefined || typeOfAlias(type) !== undefined;
  return isKnown ? undefined : type;
}
