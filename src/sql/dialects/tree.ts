// The syntax tree of a query that is translated to ClickHouse SQL, of any dialect. `at` is always an offset in the query.

export interface Name {
  readonly name: string;
  readonly at: number;
}

/** An expression at an offset, by kind. AND, OR and || are flat; all other operators nest. */
export type Expression = { readonly at: number } & (
  | { readonly kind: 'string'; readonly value: string }
  /** Each character of `value` is one byte. */
  | { readonly kind: 'bytes'; readonly value: string }
  /** A sign is a part of it. */
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' }
  /** `timestamp '…'` and similar literals. */
  | { readonly kind: 'time'; readonly type: TimeType; readonly value: string }
  /** A parameter of an endpoint file, `@name`. */
  | { readonly kind: 'parameter'; readonly name: string }
  | { readonly kind: 'path'; readonly parts: readonly Name[] }
  | { readonly kind: 'field'; readonly of: Expression; readonly name: Name }
  /** `isSafe`: NULL if there is no such element. */
  | {
      readonly kind: 'index';
      readonly of: Expression;
      readonly index: Expression;
      readonly base: IndexBase;
      readonly isSafe?: boolean;
    }
  | Call
  | { readonly kind: 'cast'; readonly value: Expression; readonly type: TypeName; readonly isSafe: boolean }
  | {
      readonly kind: 'extract';
      readonly part: Unit;
      readonly value: Expression;
      readonly zone?: Expression | undefined;
    }
  /** `value AT TIME ZONE zone`. */
  | { readonly kind: 'at_zone'; readonly value: Expression; readonly zone: Expression }
  | { readonly kind: 'interval'; readonly value: Expression; readonly unit: Unit }
  /** An interval of several units, such as `INTERVAL '1 day 2 hours'`. */
  | {
      readonly kind: 'intervals';
      readonly parts: readonly { readonly value: Expression; readonly unit: Unit }[];
    }
  | { readonly kind: 'unary'; readonly operator: 'NOT' | '-' | '+' | '~'; readonly value: Expression }
  /** `value COLLATE name`. */
  | { readonly kind: 'collate'; readonly value: Expression; readonly collation: Name }
  /** Several operands joined by AND, OR or ||. */
  | { readonly kind: 'chain'; readonly operator: ChainOperator; readonly values: readonly Expression[] }
  | {
      readonly kind: 'binary';
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    }
  /** LIKE and its relatives. */
  | {
      readonly kind: 'like';
      readonly operator: LikeOperator;
      readonly value: Expression;
      readonly pattern: Expression;
      /** `undefined`: the escape character of the dialect. */
      readonly escape?: Expression | undefined;
      readonly isNot: boolean;
    }
  /** `value = ANY(array)`, `value > ALL(SELECT …)`. */
  | {
      readonly kind: 'quantified';
      readonly operator: string;
      readonly quantifier: 'ANY' | 'ALL';
      readonly value: Expression;
      /** An array, or a query of kind `value`. */
      readonly among: Expression;
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
      readonly subject?: Expression | undefined;
      readonly branches: readonly { readonly when: Expression; readonly result: Expression }[];
      readonly otherwise?: Expression | undefined;
    }
  | { readonly kind: 'array'; readonly items: readonly Expression[] }
  | { readonly kind: 'struct'; readonly fields: readonly Field[] }
  /** `(a, b)`. */
  | { readonly kind: 'row'; readonly items: readonly Expression[] }
  /** `(x, y) -> body`. */
  | { readonly kind: 'lambda'; readonly parameters: readonly Name[]; readonly body: Expression }
  /** `name => value` in the arguments of a call. */
  | { readonly kind: 'named_argument'; readonly name: Name; readonly value: Expression }
  /** A slice of an array, `value[from:to]`; both ends are inclusive and count from 1. */
  | {
      readonly kind: 'slice';
      readonly of: Expression;
      readonly from?: Expression | undefined;
      readonly to?: Expression | undefined;
    }
  /** `(SELECT …)`, `ARRAY(SELECT …)` and `EXISTS(SELECT …)`. */
  | { readonly kind: 'query'; readonly form: 'value' | 'array' | 'exists'; readonly query: Query }
  /** An expression that the reader does not know: its source text, and why. */
  | { readonly kind: 'unread'; readonly text: string; readonly reason: string }
);

/** The expressions of one kind. */
export type Of<K extends Expression['kind']> = Extract<Expression, { kind: K }>;

/** The types of time literals, and of functions that read a time. */
export type TimeType = 'timestamp' | 'datetime' | 'date';
/** Operators that match a pattern; those of regular expressions match a part of the value. */
export type LikeOperator = 'LIKE' | 'ILIKE' | 'SIMILAR TO' | 'REGEXP' | 'IREGEXP' | 'GLOB';
/** OFFSET counts from 0, ORDINAL from 1. */
export type IndexBase = 0 | 1;
/** Operators whose chains are one node. */
export type ChainOperator = 'AND' | 'OR' | '||';
/** The right side of IS. */
export type Test = 'NULL' | 'TRUE' | 'FALSE';

/** A function call, with what the dialects allow inside and after the parentheses. */
export interface Call {
  readonly kind: 'call';
  readonly at: number;
  /** In lower case. */
  readonly name: string;
  readonly args: readonly Expression[];
  readonly isStar: boolean;
  readonly isSafe: boolean;
  readonly isDistinct: boolean;
  readonly nulls?: 'IGNORE' | 'RESPECT' | undefined;
  readonly having?: { readonly extreme: 'MAX' | 'MIN'; readonly by: Expression } | undefined;
  readonly orderBy: readonly Order[];
  readonly limit?: string | undefined;
  readonly over?: Window | Name | undefined;
  /** The condition of FILTER (WHERE …). */
  readonly filter?: Expression | undefined;
  /** WITHIN GROUP (ORDER BY …). */
  readonly withinGroup?: readonly Order[] | undefined;
  /** The separator of GROUP_CONCAT. */
  readonly separator?: Expression | undefined;
}

/** A member of STRUCT(…). */
export interface Field {
  readonly value: Expression;
  readonly alias?: Name | undefined;
}

/** A unit of time, in capitals; `week(monday)` has a day. */
export interface Unit extends Name {
  readonly day?: string | undefined;
}

/** A type in CAST or in ARRAY<…>. */
export interface TypeName extends Name {
  /** The type of the elements of an array. */
  readonly of?: TypeName | undefined;
  /** The fields of a record, or the key and the value of a map; the name then has all of it. */
  readonly fields?: readonly TypeField[] | undefined;
  /** The numbers in parentheses, such as precision and scale. */
  readonly sizes?: readonly number[] | undefined;
}

/** A field of a record type. */
export interface TypeField {
  readonly name?: Name | undefined;
  readonly type: TypeName;
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
  readonly nulls?: 'FIRST' | 'LAST' | undefined;
}

/** The parentheses after OVER, or an element of WINDOW. */
export interface Window {
  readonly base?: Name | undefined;
  readonly partitionBy: readonly Expression[];
  readonly orderBy: readonly Order[];
  /** As written, in upper case: only keywords and numbers. */
  readonly frame?: string | undefined;
}

/** A query with its WITH clause, ORDER BY and LIMIT; `body` is a SELECT or a set operation. */
export interface Query {
  readonly kind: 'query';
  readonly at: number;
  readonly tables: readonly WithTable[];
  readonly body: Select | SetOperation | Query | Rows;
  readonly orderBy: readonly Order[];
  /** A number, or `@name` of a parameter. */
  readonly limit?: string | undefined;
  readonly offset?: string | undefined;
  /** FETCH FIRST … WITH TIES. */
  readonly hasTies?: boolean | undefined;
}

/** An element of WITH. */
export interface WithTable {
  readonly name: Name;
  readonly query: Query;
  readonly columns?: readonly Name[] | undefined;
  /** It is true if it reads itself. */
  readonly isRecursive?: boolean | undefined;
}

/** VALUES. */
export interface Rows {
  readonly kind: 'rows';
  readonly at: number;
  readonly rows: readonly (readonly Expression[])[];
}

/** Queries combined by one operator, in source order. */
export interface SetOperation {
  readonly kind: 'set';
  readonly at: number;
  readonly operator: SetOperator;
  readonly members: readonly (Select | Query)[];
}

/** ALL of INTERSECT and EXCEPT keeps duplicates. */
export type SetOperator =
  | 'UNION ALL'
  | 'UNION DISTINCT'
  | 'INTERSECT DISTINCT'
  | 'EXCEPT DISTINCT'
  | 'INTERSECT ALL'
  | 'EXCEPT ALL';

/** One SELECT, without the ORDER BY and LIMIT that follow it. */
export interface Select {
  readonly kind: 'select';
  readonly at: number;
  readonly isDistinct: boolean;
  readonly distinctOn?: readonly Expression[] | undefined;
  readonly items: readonly Item[];
  readonly from: readonly FromItem[];
  readonly where?: Expression | undefined;
  readonly groupBy: readonly Expression[] | 'ALL';
  /** Groupings in addition to the expressions of `groupBy`. */
  readonly groupings?: readonly Grouping[] | undefined;
  readonly having?: Expression | undefined;
  readonly qualify?: Expression | undefined;
  readonly windows: readonly { readonly name: Name; readonly window: Window }[];
}

/** ROLLUP, CUBE and GROUPING SETS: lists of expressions, each of which is one grouping or one element of it. */
export interface Grouping {
  readonly kind: 'rollup' | 'cube' | 'sets';
  readonly at: number;
  readonly sets: readonly (readonly Expression[])[];
}

/** An element of the select list. */
export type Item =
  | { readonly kind: 'value'; readonly value: Expression; readonly alias?: Name | undefined }
  | {
      readonly kind: 'star';
      readonly at: number;
      readonly of?: Expression | undefined;
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
  readonly alias?: Name | undefined;
  readonly on?: Expression | undefined;
  readonly using?: readonly Name[] | undefined;
  readonly isNatural?: boolean | undefined;
  /** It is true if a subquery or a call can refer to preceding tables. */
  readonly isLateral?: boolean | undefined;
  /** Names of the columns, after the alias. */
  readonly columns?: readonly Name[] | undefined;
}

/** What one element of FROM reads. */
export type Source =
  | { readonly kind: 'table'; readonly parts: readonly Name[] }
  | { readonly kind: 'query'; readonly query: Query }
  /** `offset` names a column that counts from `offsetBase`, or from 0; `more` are arrays that are read in parallel. */
  | {
      readonly kind: 'unnest';
      readonly array: Expression;
      readonly more?: readonly Expression[] | undefined;
      readonly offset?: Name | undefined;
      readonly offsetBase?: IndexBase | undefined;
    }
  /** A function that returns rows, such as `generate_series(1, 10)`. */
  | { readonly kind: 'function'; readonly call: Call }
  /** A join in parentheses. */
  | { readonly kind: 'group'; readonly items: readonly FromItem[] };
