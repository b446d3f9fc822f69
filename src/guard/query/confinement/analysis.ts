// The state of one analysis of confinement.
import type { Facts } from './facts.ts';
import type { NodeId, Relation, TableFunctionNode } from '../tree/nodes.ts';
import type { FilterContext } from './filters.ts';

/** The facts about a relation, and the ids of the nodes that its columns come from. */
export interface Known {
  readonly facts: Facts;
  readonly ids: ReadonlySet<NodeId>;
}

export interface Analysis {
  readonly options: ConfinementOptions;
  readonly context: FilterContext;
  readonly know: (relation: Relation) => Known;
  /** A recursive WITH table has, by its name, the columns that equal the parameter in the rows found so far. */
  readonly assumed: Assumed;
  readonly budget: { relations: number };
}

export type Assumed = ReadonlyMap<string, readonly string[]>;

export interface ConfinementOptions {
  readonly parameter: string;
  /** It is true if calls always have a value for it. */
  readonly isNeverNull: boolean;
  /** Columns that hold the tenant, such as `project` or `metadata.project`; undefined: any column. */
  readonly columns?: ReadonlySet<string> | undefined;
  /** Returns whether a table or dictionary is reference data, the same for every caller. */
  readonly isShared: (name: string) => boolean;
  /** Returns whether a dictionary returns the entry of a key, and no other. */
  readonly isKeyed: (name: string) => boolean;
  /** The columns of a table that decide which of its rows FINAL merges; undefined: not known. */
  readonly sortingKey: (table: string) => readonly string[] | undefined;
  /** Returns whether columns of a table function may be computed by a view. */
  readonly mayReadViews: (relation: TableFunctionNode) => boolean;
}
