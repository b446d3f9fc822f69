// Values of options that name something: `name=value`.
import { CommandError } from './command-error.ts';

/** Splits `name=value`. */
export function splitPair(pair: string): [string, string] {
  const at = pair.indexOf('=');
  if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
  throw new CommandError(`Invalid pair "${pair}": use name=value`, { exitCode: 2 });
}
