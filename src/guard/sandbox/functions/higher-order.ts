// What is wrong with the name of a function in place of a lambda.
import type { Violation } from '../lexed-query.ts';

/** What is wrong with a reference to a function, or with a name that may be one. */
export function referenceViolation(name: string, reference: string): Violation {
  const shown = reference.slice(0, 60);
  return {
    code: 'sandbox.function_denied',
    message: `${name} requires a lambda as its first argument, not the name ${shown}`,
    hint: `Write x -> ${shown}(x). To pass a column, write it with its table, as in t.${shown}.`,
  };
}
