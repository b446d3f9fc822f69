// The context that the conversion of a query or an expression needs, and how what cannot be converted is reported.
import type { Expression, FromItem, Query, Window } from '../../sql/syntax-tree.ts';
import type { ConversionCode, ConversionNote, ConvertOptions, ForeignDialect } from '../conversion.ts';
import type { Traits } from './dialect.ts';
import type { Joined, Relation, WithColumns } from './scope.ts';
import type { Value } from './value.ts';

/** Thrown where a part cannot be converted; caught by the nearest enclosing expression or element of FROM. */
export class UnconvertedError extends Error {
  readonly at: number;
  readonly code: ConversionCode;
  readonly hint: string | undefined;

  constructor(at: number, code: ConversionCode, message: string, hint?: string) {
    super(message);
    this.at = at;
    this.code = code;
    this.hint = hint;
  }
}

export function unconverted(at: number, code: ConversionCode, message: string, hint?: string): never {
  throw new UnconvertedError(at, code, message, hint);
}

/** What is the same for all parts of one conversion. */
export interface Shared {
  readonly dialect: ForeignDialect;
  readonly traits: Traits;
  readonly columnsOf: ConvertOptions['columnsOf'];
  readonly tableOf: ConvertOptions['tableOf'];
  readonly text: string;
  readonly notes: ConversionNote[];
  /** Settings that the query needs. */
  readonly settings: Map<string, string>;
  /** A name that the query does not use. */
  readonly fresh: (kind: string) => string;
}

/** Derived with changes for each nested query. */
export interface Context {
  readonly shared: Shared;
  readonly relations: readonly Relation[];
  /** Tables of WITH, in lower case. */
  readonly withTables: ReadonlyMap<string, WithColumns>;
  readonly parent?: Context | undefined;
  /** Aliases of the select list that this expression can refer to, in lower case. */
  readonly aliases: ReadonlyMap<string, { readonly name: string; readonly value: Value }>;
  /** Named windows, in lower case. */
  readonly windows: ReadonlyMap<string, Window>;
  /** Aliases of the select list, in lower case, that are not columns of the same name. */
  readonly shadowed?: ReadonlySet<string>;
  /** Names that the select list uses, in lower case: with tables whose columns are unknown, they are columns. */
  readonly usedNames?: ReadonlySet<string>;
  /** The condition of a join. */
  readonly isJoin?: boolean;
  /** HAVING of MySQL: aliases come before columns. */
  readonly prefersAliases?: boolean;
  /** The keys of GROUP BY, outside of aggregate functions. */
  readonly grouped?: GroupKeys | undefined;
  /** Joins that subqueries in expressions add to FROM. */
  readonly joins?: AddedJoins | undefined;
  /** Keys of GROUP BY may be NULL, for ROLLUP and similar. */
  readonly hasRollup?: boolean;
  /** Whether aggregates see no rows if there are none: there is no GROUP BY. */
  readonly isUngrouped: boolean;
  /** Called if a name of an outer query is used. */
  readonly onOuter?: (() => void) | undefined;
  readonly write: (expression: Expression, context: Context) => Value;
  readonly query: (query: Query, context: Context) => WrittenQuery;
  /** A join with a lateral subquery; undefined if it does not refer to earlier tables. */
  readonly lateral: (item: FromItem, context: Context) => Joined | undefined;
}

/** Keys of GROUP BY by their SQL. */
export interface GroupKeys {
  readonly keys: ReadonlySet<string>;
  /** Keys that are grouped in lower case: elsewhere, any of their values is read. */
  readonly caseless: ReadonlySet<string>;
  /** Other columns depend on the keys, or the source returns any of their values. */
  readonly hasOthers: boolean;
}

export interface AddedJoins {
  readonly pieces: string[];
  /** Without groups: a joined column can be used everywhere. */
  readonly isOpen: boolean;
}

/** A query in ClickHouse SQL, without parentheses, and its columns. */
export interface WrittenQuery {
  readonly sql: string;
  readonly columns: readonly { readonly name: string; readonly value: Value }[] | undefined;
}

const WORD = /[\w$."`]*/y;

/** Reports what may differ, or what the reader should know. */
export function note(
  { shared }: Context,
  severity: ConversionNote['severity'],
  {
    at,
    code,
    message,
    hint,
  }: Pick<UnconvertedError, 'at' | 'code' | 'message'> & { readonly hint?: string | undefined },
): void {
  WORD.lastIndex = at;
  const end = at + Math.max(1, WORD.exec(shared.text)?.[0].length ?? 1);
  const isRepeated = shared.notes.some(
    (each) => each.offset === at && each.code === code && each.message === message,
  );
  if (isRepeated) return;
  shared.notes.push({ severity, code, offset: at, end, message, ...(hint === undefined ? {} : { hint }) });
}

/** Reports a case in which the result differs. */
export function differs(context: Context, at: number, code: ConversionCode, message: string): void {
  note(context, 'differs', { at, code, message });
}

/** What is written in the place of a part that was not converted: a name that ClickHouse rejects, and a comment. */
export function placeholder(context: Context, error: UnconvertedError): string {
  note(context, 'not_converted', error);
  const line = context.shared.text.slice(0, error.at).split('\n').length;
  const comment = `line ${line}: ${error.message}`.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ');
  return `not_converted /* ${comment} */`;
}
