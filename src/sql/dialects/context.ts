// The context that the translation of an expression needs, and how what cannot be translated is reported.
import type { Expression, Window } from './tree.ts';
import type { ConversionCode, ConversionNote, ConvertOptions } from './conversion.ts';
import type { Traits } from './traits.ts';
import type { Sql, Value } from './value.ts';
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

/** What rules for functions and operators need. Derived with changes for each nested query. */
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
  write(expression: Expression, context: Context): Value;
  /** A value of another type as a string. */
  asText(value: Value, at: number): Value;
  /** A value as a key that is grouped, ordered and counted by. */
  key(own: Value): Value;
  /** A value as an array. */
  elements(own: Value): Value;
}

/** Where something is written. */
export interface Place<Within extends Context = Context> {
  readonly at: number;
  readonly context: Within;
}

/** Rows that are the elements of an array, and the variable of one of them. */
export interface ArrayRows {
  readonly array: Sql;
  readonly variable: string;
}

/** The context of an operand whose value matters: NULL is not false there. */
export function asValue<Within extends Context>(context: Within): Within {
  return context.nullIsFalse === true ? { ...context, nullIsFalse: false } : context;
}

/** The context inside an expression: what joins conditions, or can use it, keeps that only truth matters. */
export function within<Of extends Context>(expression: Expression, context: Of): Of {
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
    (each) => each.offset === at && each.code === code && each.message === message,
  );
  if (isRepeated) return;
  shared.notes.push({ severity, code, offset: at, end, message, ...(hint === undefined ? {} : { hint }) });
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
