// A dialect: how it is read, how it differs from others, and the functions that only it has.
import type { OwnFunctions } from './context.ts';
import type { Grammar } from './read/grammar.ts';
import type { Traits } from './traits.ts';

export interface Dialect {
  readonly grammar: Grammar;
  readonly traits: Traits;
  readonly functions: OwnFunctions;
}
