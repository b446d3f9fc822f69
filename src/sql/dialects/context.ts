// The context that the translation needs, the calls that rules are given, and how what cannot be translated is reported.
import type { Call, Expression, IndexBase, Query, Window } from './tree.ts';
import type { ConversionCode, ConversionNote, ConvertOptions } from './conversion.ts';
import type { Grammar } from './read/grammar.ts';
import type { Traits } from './traits.ts';
import type { Sql, Type, Value } from './value.ts';
import type { Style } from './style.ts';

/** Thrown where a part cannot be translated; offline, caught by the nearest enclosing expression or element of FROM. */
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

/** Throws: a part that is not translated. */
export function unconverted(at: number, code: ConversionCode, message: string, hint?: string): never {
  throw new UnconvertedError(at, code, message, hint);
}

/** Throws: invalid syntax, or syntax that is not supported. */
export function syntax(at: number, message: string, hint?: string): never {
  throw new UnconvertedError(at, 'syntax', message, hint);
}

/** Throws: a clause that is valid, but not supported. */
export function unsupported(at: number, message: string, hint?: string): never {
  throw new UnconvertedError(at, 'clause', message, hint);
}

/** Throws: unknown table, column or function. */
export function unknown(at: number, message: string, hint?: string): never {
  throw new UnconvertedError(at, 'name_unknown', message, hint);
}

/** Throws: the query exceeds a limit on length, nesting or size. */
export function tooLarge(at: number, message: string): never {
  throw new UnconvertedError(at, 'too_large', message);
}

/** What is the same for all parts of one translation. */
export interface Shared {
  /** Its name, for messages. */
  readonly dialect: string;
  readonly traits: Traits;
  /** At run time: what may differ is an error, and nothing is noted. */
  readonly isStrict: boolean;
  readonly columnsOf: ConvertOptions['columnsOf'];
  readonly tableOf: ConvertOptions['tableOf'];
  readonly text: string;
  readonly notes: ConversionNote[];
  /** Settings that the query needs. */
  readonly settings: Map<string, string>;
  /** A name that the query does not use. */
  readonly fresh: (kind: string) => string;
  /** Names of all tables that there are, in lower case; undefined: any table can be read. */
  readonly tableNames: ReadonlySet<string> | undefined;
  /** Counts written expressions and columns, including repeats; at run time, throws above a limit. */
  readonly spend: (at: number, count?: number) => void;
  /** How names and lines are written. */
  readonly style: Style;
  /** Returns whether a name, in lower case, is never used as a whole value: it is followed by a dot, or does not occur. */
  readonly isRecordName: (name: string) => boolean;
}

/** A column of a query. */
export interface OutputColumn {
  readonly name: string;
  readonly value: Value;
}

/** A table that FROM may name without a qualifier: of an endpoint, or of WITH. */
export interface Table {
  readonly sql: Sql;
  /** Undefined if they are not known. */
  readonly columns: readonly OutputColumn[] | undefined;
}

/** A column of a relation, as spelled in its definition. */
export interface RelationColumn {
  readonly name: string;
  readonly value: Value;
  /** Its name without the table's, which people prefer where it is enough. */
  readonly bare?: Sql;
}

/** One table, array or record in FROM. */
export interface Relation {
  /** As in the source. */
  readonly alias: string | undefined;
  /** As in the SQL that is written. */
  readonly written: string;
  /** By name in lower case; undefined if they are not known, which happens only offline. */
  readonly columns: ReadonlyMap<string, RelationColumn> | undefined;
  /** The columns are written as expressions: the SQL has no table for them. */
  readonly isInline?: boolean;
  /** One element of an unnested array, or the record. */
  readonly element?: Value;
  /** Columns that USING merged with those of an earlier table, in lower case. */
  readonly merged?: ReadonlySet<string> | undefined;
  /** An outer join may add rows without values. */
  readonly isOptional?: boolean;
  /** At run time, the condition that a later outer join produced no row of it. */
  readonly marker?: Sql;
}

/** The names that an expression can refer to. */
export interface Scope {
  readonly relations: readonly Relation[];
  /** What is written for an alias of the select list, by name in lower case; empty until its columns are written. */
  readonly aliases: ReadonlyMap<string, Value>;
  /** Aliases come before columns. */
  readonly prefersAliases?: boolean;
  readonly parent?: Scope | undefined;
  /** Aliases that are not columns of the same name, in lower case: ClickHouse prefers the alias, so these columns are qualified. */
  readonly shadowed?: ReadonlySet<string> | undefined;
  /** Names that the select list uses, in lower case: with tables whose columns are unknown, they are columns. */
  readonly usedNames?: ReadonlySet<string> | undefined;
  /** Called if an expression inside uses a name of an outer query. */
  readonly onOuter?: () => void;
}

/** Keys of GROUP BY by their SQL. */
export interface GroupKeys {
  readonly keys: ReadonlySet<string>;
  /** Keys that are grouped in lower case: elsewhere, any of their values is read. */
  readonly caseless: ReadonlySet<string>;
  /** Other columns depend on the keys, or the source returns any of their values. */
  readonly hasOthers: boolean;
  /** Keys that a grouping leaves out are NULL. */
  readonly isOptional?: boolean;
}

/** Joins that subqueries in expressions add to FROM. */
export interface AddedJoins {
  readonly pieces: Sql[];
  /** Without groups: a joined column can be used everywhere. */
  readonly isOpen: boolean;
}

/** What the writers and the rules for functions and operators need. Derived with changes for each nested query. */
export interface Context {
  readonly shared: Shared;
  /** Named windows, in lower case. */
  readonly windows: ReadonlyMap<string, Window>;
  /** It is true if aggregates see no rows if there are none: there is no GROUP BY. */
  readonly isUngrouped: boolean;
  /** The condition of a join. */
  readonly isJoin?: boolean;
  /** The expression is evaluated for each row of the result: what is an error there is an error of the query. */
  readonly isEvaluated?: boolean;
  /** Aggregates are over the elements of this array. */
  readonly rows?: ArrayRows | undefined;
  /** A condition of which only truth matters, as in WHERE: NULL may be false. */
  readonly nullIsFalse?: boolean;
  readonly scope: Scope;
  /** The functions that only the dialect has, or that mean something else elsewhere. */
  readonly functions: OwnFunctions;
  /** By name in lower case. */
  readonly tables: ReadonlyMap<string, Table>;
  /** In a grouped query, a dynamically typed path outside aggregate functions is a string. */
  readonly isGrouped: boolean;
  /** Inside of a condition, or of what is evaluated only if a condition is met: what would be an error there may not be evaluated. */
  readonly isGuarded: boolean;
  /** The keys of GROUP BY, outside of aggregate functions, for dialects in which other columns can be read. */
  readonly grouped?: GroupKeys | undefined;
  readonly joins?: AddedJoins | undefined;
  /** Keys of GROUP BY may be NULL, for ROLLUP and similar. */
  readonly hasRollup?: boolean;
  // Passed here to avoid circular imports between the files that define them. Both throw UnconvertedError.
  write(expression: Expression, context: Context): Value;
  query(query: Query, context: Context, use: Use): WrittenQuery;
  /** A value of another type as a string. */
  asText(value: Value, at: number): Value;
  /** A value as a key that is grouped, ordered and counted by. */
  key(own: Value): Value;
  /** A value as an array. */
  elements(own: Value): Value;
}

/** How the rows of a query are used, which decides how its columns are written. */
export interface Use {
  /** The rows are the result. */
  readonly isShown: boolean;
  /** The columns are combined with those of other queries: no dynamically typed paths. */
  readonly isPlain: boolean;
}

/** The use of a subquery whose columns are read by name. */
export const READ: Use = { isShown: false, isPlain: false };

/** A query in ClickHouse SQL, without parentheses, and its columns in order; undefined if they are not known. */
export interface WrittenQuery {
  readonly sql: Sql;
  readonly columns: readonly OutputColumn[] | undefined;
}

/** FROM while it is written. */
export interface FromState {
  readonly pieces: Sql[];
  relations: readonly Relation[];
  /** Conditions of joins with arrays, which must be in WHERE. */
  readonly conditions: Sql[];
}

/** The rows of an element of FROM that is an array in ClickHouse. */
export interface RowSource {
  readonly array: Sql;
  readonly columns: readonly RowColumn[];
  /** A column with the places of the elements. */
  readonly offset?: { readonly name: string; readonly base: IndexBase };
  /** What is unnested, which at run time may be a record. */
  readonly written?: Value;
  readonly alias: string | undefined;
  /** It is true if it reads earlier tables. */
  readonly isCorrelated: boolean;
}

/** A column of the rows, written from one element. */
export interface RowColumn {
  readonly name: string;
  readonly type: Type;
  readonly of: (element: Sql) => Sql;
}

/** A call that is being written. */
export interface Application {
  readonly call: Call;
  readonly context: Context;
  readonly at: number;
  readonly traits: Traits;
  /** An argument as in the source; throws if there are fewer. */
  readonly source: (index: number) => Expression;
  readonly arg: (index: number) => Value;
  readonly optional: (index: number) => Value | undefined;
  readonly all: () => readonly Value[];
  /** The call is not converted. */
  readonly fail: (message: string, hint?: string) => never;
}

/** What an argument is: `document` is JSON, or a string that contains it. */
export type Parameter = 'any' | 'number' | 'integer' | 'text' | 'document' | 'time' | 'array';

/** What a function does with its arguments. */
export interface Behaviour {
  /** The last one is that of the arguments that follow, too. */
  readonly takes: readonly Parameter[];
  /**
   * `propagate`: NULL of NULL. `skip`: rows whose argument is NULL are left out. `keep`: they are not. `decide`: the value depends on
   * more than one argument, or on what NULL is in.
   */
  readonly nulls: 'propagate' | 'skip' | 'keep' | 'decide';
  /** The value of an aggregate over no rows, and over an empty frame; an empty array is NULL in the source. */
  readonly none?: 'null' | '0' | '[]' | undefined;
  /**
   * It says what the call does with NaN, in dialects that have it. `propagate`: it returns NaN. `error`: it is an error, or the
   * call is not converted. `keep`: it is a value like others. `decide`: the value depends on the dialect, or on other arguments.
   * Undefined: no argument is a number.
   */
  readonly nan: 'propagate' | 'error' | 'keep' | 'decide' | undefined;
}

export type Rule = ((application: Application) => Value) & {
  readonly behaviour?: Behaviour;
};
export type Rules = Readonly<Record<string, Rule>>;

/** The functions of one dialect that others do not have, or that mean something else there. */
export interface OwnFunctions {
  readonly values: Rules;
  readonly aggregates: Rules;
}

/** How a dialect is read, how it differs from others, and the functions that only it has. */
export interface Dialect {
  readonly grammar: Grammar;
  readonly traits: Traits;
  readonly functions: OwnFunctions;
}

/** Where something is written. */
export interface Place {
  readonly at: number;
  readonly context: Context;
}

/** Rows that are the elements of an array, and the variable of one of them. */
export interface ArrayRows {
  readonly array: Sql;
  readonly variable: string;
}

/** The context of an operand whose value matters: NULL is not false there. */
export function asValue(context: Context): Context {
  return context.nullIsFalse === true ? { ...context, nullIsFalse: false } : context;
}

/** The context inside an expression: what joins conditions, or can use it, keeps that only truth matters. */
export function within(expression: Expression, context: Context): Context {
  const { kind } = expression;
  const isKept = kind === 'in' || kind === 'quantified' || (kind === 'chain' && expression.operator !== '||');
  return isKept ? context : asValue(context);
}

const WORD = /[\w$."`]*/y;

/** Reports what may differ, or what the reader should know; not at run time. */
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
  if (shared.isStrict) return;
  WORD.lastIndex = at;
  const end = at + Math.max(1, WORD.exec(shared.text)?.[0].length ?? 1);
  const isRepeated = shared.notes.some(
    (each) => each.start === at && each.code === code && each.message === message,
  );
  if (isRepeated) return;
  shared.notes.push({ severity, code, start: at, end, message, ...(hint === undefined ? {} : { hint }) });
}

/** Reports what the reader should know of the whole query, once. */
export function noteOnce(context: Context, at: number, code: ConversionCode, message: string): void {
  if (context.shared.notes.every((each) => each.message !== message))
    note(context, 'note', { at, code, message });
}

/** Reports a case in which the result differs: at run time, as an error. */
export function differs(context: Context, at: number, code: ConversionCode, message: string): void {
  if (context.shared.isStrict) unconverted(at, code, message);
  note(context, 'differs', { at, code, message });
}

/** What is written in the place of a part that was not converted: a name that ClickHouse rejects, and a comment. */
export function placeholder(context: Context, error: UnconvertedError): string {
  note(context, 'not_converted', error);
  const line = context.shared.text.slice(0, error.at).split('\n').length;
  const comment = `line ${line}: ${error.message}`.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ');
  return `not_converted /* ${comment} */`;
}
