// What the names in a skeleton mean.
import type {
  Expression,
  FromItem,
  Grouping,
  Item,
  Name,
  Order,
  Query,
  Select,
  SetOperator,
} from '../../sql/syntax-tree.ts';

/** What a name in the skeleton means. */
export type Leaf =
  | { readonly kind: 'expression'; readonly value: Expression }
  | { readonly kind: 'item'; readonly item: Item }
  | { readonly kind: 'table'; readonly item: FromItem; readonly isComma: boolean }
  | { readonly kind: 'column'; readonly name: Name }
  | { readonly kind: 'order'; readonly order: Order }
  | { readonly kind: 'limit'; readonly text: string }
  | {
      readonly kind: 'with';
      readonly name: Name;
      readonly columns: readonly Name[];
      readonly isRecursive: boolean;
    }
  | { readonly kind: 'member'; readonly member: Member };

/** What the skeleton does not say about one member of a set operation; of a query without one, the only member. */
export interface Member {
  readonly at: number;
  /** The operator before it. */
  operator?: SetOperator;
  /** Whether the operator binds tighter than others: INTERSECT, except in SQLite. */
  isTight?: boolean;
  /** The member, if it is not a SELECT. */
  query?: Query;
  isDistinct: boolean;
  distinctOn?: readonly Expression[];
  isGroupAll?: boolean;
  groupings?: readonly Grouping[];
  qualify?: Expression;
  windows?: Select['windows'];
  hasTies?: boolean;
  /** SELECT AS STRUCT: the elements are one record. */
  isStruct?: boolean;
  /** TOP n, before the select list. */
  top?: string;
}

/** A skeleton under construction. */
export interface Skeleton {
  readonly pieces: string[];
  readonly leaves: Leaf[];
}

/** The name of a leaf. */
export function place(skeleton: Skeleton, leaf: Leaf): string {
  skeleton.leaves.push(leaf);
  return `x${skeleton.leaves.length - 1}`;
}
