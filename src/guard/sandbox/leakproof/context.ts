// What a check of conditions depends on besides the query.
import type { FunctionPolicy } from '../functions/policy.ts';
import type { KnownTypes } from '../known-types.ts';

export interface LeakproofContext {
  readonly functions: FunctionPolicy;
  /** Names that the query itself defines. */
  readonly names: ReadonlySet<string>;
  /** Tables of the endpoint. */
  readonly tables: ReadonlySet<string>;
  /** Types of their columns. */
  readonly types: KnownTypes;
}

/** Without `names`, what is checked is an author's. */
export type ClauseContext = Omit<LeakproofContext, 'names'> & Partial<Pick<LeakproofContext, 'names'>>;

/** Conditions are read with these. */
export type NamedTypes = Pick<LeakproofContext, 'types'> & Partial<Pick<LeakproofContext, 'names'>>;
