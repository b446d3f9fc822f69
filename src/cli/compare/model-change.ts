// A change between two models of a query.
import type { SourceModel } from '../../guard/query/model.ts';
import type { ChangeCode } from './changes.ts';

/** A change of a query, at a source of the new model; undefined: of the query as a whole. */
export interface ModelChange {
  readonly code: ChangeCode;
  readonly message: string;
  readonly source: SourceModel | undefined;
  /** The parameters that it is about. */
  readonly parameters?: readonly string[];
}
