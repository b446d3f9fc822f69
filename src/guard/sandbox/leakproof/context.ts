// What a check of conditions depends on besides the query.
import type { FunctionPolicy } from '../functions/policy.ts';

export interface LeakproofContext {
  readonly functions: FunctionPolicy;
  /** Names that the query itself defines. */
  readonly names: ReadonlySet<string>;
  /** Tables of the endpoint. */
  readonly tables: ReadonlySet<string>;
  /** Types of their columns by column name, one for each table that has the column. */
  readonly types: ReadonlyMap<string, readonly string[]>;
}

/** Without `names`, what is checked is an author's. */
export type ClauseContext = Omit<LeakproofContext, 'names'> & Partial<Pick<LeakproofContext, 'names'>>;

/** Conditions are read with these. */
export type NamedTypes = Pick<LeakproofContext, 'types'> & Partial<Pick<LeakproofContext, 'names'>>;
