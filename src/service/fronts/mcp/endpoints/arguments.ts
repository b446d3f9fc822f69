// The arguments of a call of an endpoint's tool as the fields of an ordinary call.
import type { Endpoint } from '../../../endpoints/endpoint.ts';
import { didYouMean, nearest } from '../../../../sql/base/nearest.ts';
import { Problem } from '../../../../sql/base/problem.ts';
import { toRawValue } from '../../../params/raw-value.ts';
import type { RawValue } from '../../../params/reading.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/**
 * By name. Throws Problem for names that are no parameters, also if the endpoint ignores them: an agent that misspells one should
 * correct it. The names sql and lql are none: the tool runs the saved query.
 */
export function argumentFields(
  { parameters, page }: Pick<Endpoint, 'parameters' | 'page'>,
  given: Arguments,
): ReadonlyMap<string, readonly RawValue[]> {
  const names = [...Object.keys(parameters), ...(page === undefined ? [] : ['page_size', 'cursor'])];
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    const errors = unknown.slice(0, MAX_ERRORS).map((name) => ({
      parameter: name.slice(0, 100),
      message: `is no argument of this tool. ${didYouMean(nearest(name, names)) ?? namesText(names)}`,
    }));
    const [first] = errors;
    const detail =
      errors.length === 1
        ? `${first?.parameter} ${first?.message}`
        : `${unknown.length} arguments are unknown`;
    throw new Problem('request.parameters_invalid', { detail, errors });
  }
  return new Map(Object.entries(given).map(([name, value]) => [name, [toRawValue(name, value)]]));
}

const MAX_ERRORS = 20;

function namesText(names: readonly string[]): string {
  return names.length === 0 ? 'It has none.' : `It has ${names.slice(0, MAX_ERRORS).join(', ')}.`;
}
