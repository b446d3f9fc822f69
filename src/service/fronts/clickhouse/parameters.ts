// The parameters of a request as its URL or form has them: decoded, counted, each name once.
import { invalidParameter, MAX_PAIRS, pairsOf, tooMany, type Pair } from '../../http/fields.ts';

export type Parameters = ReadonlyMap<string, string>;

/** The parameters of a query string (without its `?`). Throws Problem `request.parameters_invalid`. */
export function readParameters(queryString: string): Parameters {
  return once(pairsOf(queryString, { isStrict: true }));
}

/** Both, each name once. Throws Problem `request.parameters_invalid`. */
export function mergeParameters(url: Parameters, form: Iterable<Pair>): Parameters {
  return once([...url, ...form]);
}

/** A name that is repeated with another value could be meant either way. */
function once(pairs: Iterable<Pair>): Parameters {
  const parameters = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (name === '') continue; // as ClickHouse does, for URLs such as ?&a=b
    const first = parameters.get(name);
    if (first !== undefined && first !== value)
      throw invalidParameter(name, 'is sent twice with different values');
    parameters.set(name, value);
    if (parameters.size > MAX_PAIRS) throw tooMany();
  }
  return parameters;
}

/** A flag as ClickHouse reads it. Throws Problem for anything else. */
export function flagOf(parameters: Parameters, name: string): boolean {
  const value = parameters.get(name);
  if (value === undefined || value === '') return false;
  if (/^(?:1|true|yes|on)$/i.test(value)) return true;
  if (/^(?:0|false|no|off)$/i.test(value)) return false;
  throw invalidParameter(name, 'must be 0 or 1');
}
