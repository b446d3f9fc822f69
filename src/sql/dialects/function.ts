// What a rule for a function is given, and how rules are composed.
import type { Call, Expression } from './tree.ts';
import type { Context } from './context.ts';
import type { Traits } from './traits.ts';
import { joinSql, sql, value, isNullable, type Kind, type Type, type Value } from './value.ts';

/** A call that is being written. */
export interface Application<Within extends Context = Context> {
  readonly call: Call;
  readonly context: Within;
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

export type Rule<Within extends Context = Context> = ((application: Application<Within>) => Value) & {
  readonly behaviour?: Behaviour;
};
export type Rules<Within extends Context = Context> = Readonly<Record<string, Rule<Within>>>;

/** The functions of one dialect that others do not have, or that mean something else there. */
export interface OwnFunctions {
  readonly values: Rules;
  readonly aggregates: Rules;
}

/** The same function under ClickHouse's name. */
export function same(name: string, kind: Kind, more: Partial<Type> = {}): Rule {
  return ({ all }) => {
    const args = all();
    return value(kind, sql`${name}(${joinSql(args.map((each) => each.sql))})`, isNullable(...args), more);
  };
}

/** The text of a literal string argument. */
export function literal({ source, fail }: Application, index: number): string {
  const each = source(index);
  return each.kind === 'string' ? each.value : fail('This argument is converted only if it is a literal');
}

/** The integer of a literal argument; undefined if it is not one. */
export function integer(expression: Expression | undefined): number | undefined {
  return expression?.kind === 'number' && /^-?\d+$/.test(expression.text)
    ? Number(expression.text)
    : undefined;
}
