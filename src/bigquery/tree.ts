// The syntax tree of a BigQuery query. `at` is always an offset in the query.

export interface Name {
  readonly name: string;
  readonly at: number;
}

/** An expression at an offset, by kind. AND, OR and || are flat; all other operators nest. */
export type Expression = { readonly at: number } & (
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' }
  /** `timestamp '…'` and similar literals. */
  | { readonly kind: 'time'; readonly type: TimeType; readonly value: string }
  | { readonly kind: 'path'; readonly parts: readonly Name[] }
  | { readonly kind: 'field'; readonly of: Expression; readonly name: Name }
  | { readonly kind: 'index'; readonly of: Expression; readonly index: Expression; readonly base: IndexBase }
  | Call
  | { readonly kind: 'cast'; readonly value: Expression; readonly type: TypeName; readonly isSafe: boolean }
  | { readonly kind: 'extract'; readonly part: Unit; readonly value: Expression; readonly zone?: Expression }
  | { readonly kind: 'interval'; readonly value: Expression; readonly unit: Unit }
  | { readonly kind: 'unary'; readonly operator: 'NOT' | '-' | '+' | '~'; readonly value: Expression }
  /** Several operands joined by AND, OR or ||. */
  | { readonly kind: 'chain'; readonly operator: ChainOperator; readonly values: readonly Expression[] }
  | {
      readonly kind: 'binary';
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'between';
      readonly value: Expression;
      readonly low: Expression;
      readonly high: Expression;
      readonly isNot: boolean;
    }
  | { readonly kind: 'in'; readonly value: Expression; readonly among: Among; readonly isNot: boolean }
  | { readonly kind: 'is'; readonly value: Expression; readonly what: Test; readonly isNot: boolean }
  | {
      readonly kind: 'case';
      readonly subject?: Expression;
      readonly branches: readonly { readonly when: Expression; readonly result: Expression }[];
      readonly otherwise?: Expression;
    }
  | { readonly kind: 'array'; readonly items: readonly Expression[] }
  | { readonly kind: 'struct'; readonly fields: readonly Field[] }
  /** `(SELECT …)`, `ARRAY(SELECT …)` and `EXISTS(SELECT …)`. */
  | { readonly kind: 'query'; readonly form: 'value' | 'array' | 'exists'; readonly query: Query }
);

/** The types of time literals, and of functions that read a time. */
export type TimeType = 'timestamp' | 'datetime' | 'date';
/** OFFSET counts from 0, ORDINAL from 1. */
export type IndexBase = 0 | 1;
/** Operators whose chains are one node. */
export type ChainOperator = 'AND' | 'OR' | '||';
/** The right side of IS. */
export type Test = 'NULL' | 'TRUE' | 'FALSE';

/** A function call, with what BigQuery allows inside and after the parentheses. */
export interface Call {
  readonly kind: 'call';
  readonly at: number;
  /** In lower case. */
  readonly name: string;
  readonly args: readonly Expression[];
  readonly isStar: boolean;
  readonly isSafe: boolean;
  readonly isDistinct: boolean;
  readonly nulls?: 'IGNORE' | 'RESPECT';
  readonly having?: { readonly extreme: 'MAX' | 'MIN'; readonly by: Expression };
  readonly orderBy: readonly Order[];
  readonly limit?: string;
  readonly over?: Window | Name;
}

/** A member of STRUCT(…). */
export interface Field {
  readonly value: Expression;
  readonly alias?: Name;
}

/** A unit of time, in capitals; `week(monday)` has a day. */
export interface Unit extends Name {
  readonly day?: string;
}

/** A type in CAST or in ARRAY<…>. */
export interface TypeName extends Name {
  /** The type in angle brackets. */
  readonly of?: TypeName;
}

/** The right side of IN. */
export type Among =
  | { readonly kind: 'list'; readonly values: readonly Expression[] }
  | { readonly kind: 'query'; readonly query: Query }
  | { readonly kind: 'unnest'; readonly array: Expression };

/** An element of ORDER BY. */
export interface Order {
  readonly value: Expression;
  readonly isDescending: boolean;
  readonly nulls?: 'FIRST' | 'LAST';
}

/** The parentheses after OVER, or an element of WINDOW. */
export interface Window {
  readonly base?: Name;
  readonly partitionBy: readonly Expression[];
  readonly orderBy: readonly Order[];
  /** As written, in upper case: only keywords and numbers. */
  readonly frame?: string;
}

/** A query with its WITH clause, ORDER BY and LIMIT; `body` is a SELECT or a set operation. */
export interface Query {
  readonly kind: 'query';
  readonly at: number;
  readonly tables: readonly { readonly name: Name; readonly query: Query }[];
  readonly body: Select | SetOperation | Query;
  readonly orderBy: readonly Order[];
  readonly limit?: string;
  readonly offset?: string;
}

/** Queries combined by one operator, in source order. */
export interface SetOperation {
  readonly kind: 'set';
  readonly at: number;
  readonly operator: 'UNION ALL' | 'UNION DISTINCT' | 'INTERSECT DISTINCT' | 'EXCEPT DISTINCT';
  readonly members: readonly (Select | Query)[];
}

/** One SELECT, without the ORDER BY and LIMIT that follow it. */
export interface Select {
  readonly kind: 'select';
  readonly at: number;
  readonly isDistinct: boolean;
  readonly items: readonly Item[];
  readonly from: readonly FromItem[];
  readonly where?: Expression;
  readonly groupBy: readonly Expression[] | 'ALL';
  readonly having?: Expression;
  readonly qualify?: Expression;
  readonly windows: readonly { readonly name: Name; readonly window: Window }[];
}

/** An element of the select list. */
export type Item =
  | { readonly kind: 'value'; readonly value: Expression; readonly alias?: Name }
  | {
      readonly kind: 'star';
      readonly at: number;
      readonly of?: Expression;
      readonly except: readonly Name[];
      readonly replace: readonly { readonly value: Expression; readonly name: Name }[];
    };

/** How a table is joined; a comma is a CROSS JOIN. */
export type JoinKind = 'CROSS' | 'INNER' | 'LEFT' | 'RIGHT' | 'FULL';

/** One table in FROM and how it is joined to the preceding ones. */
export interface FromItem {
  readonly at: number;
  readonly join: JoinKind;
  readonly source: Source;
  readonly alias?: Name;
  readonly on?: Expression;
  readonly using?: readonly Name[];
}

/** What one element of FROM reads. */
export type Source =
  | { readonly kind: 'table'; readonly parts: readonly Name[] }
  | { readonly kind: 'query'; readonly query: Query }
  | { readonly kind: 'unnest'; readonly array: Expression; readonly offset?: Name }
  /** A join in parentheses. */
  | { readonly kind: 'group'; readonly items: readonly FromItem[] };
