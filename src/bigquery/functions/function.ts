// Translated functions: the rule type, and helpers for the tables of functions.
import { type Kind, UNKNOWN, type Value, value } from '../../dialects/value.ts';
import type { Application as AnyApplication } from '../../dialects/function.ts';
import type { Context } from '../context.ts';
import { syntax } from '../translation-error.ts';
import type { Sql } from '../../dialects/sql.ts';
import type { Unit } from '../../dialects/tree.ts';
import { condition, key, number, text, whole } from '../value.ts';

/** One call being translated. */
export type Application = AnyApplication<Context>;

/** How one function is translated. The number of arguments has been checked before `translate` is called. */
export interface FunctionRule {
  readonly least: number;
  readonly most: number;
  readonly kind: 'plain' | 'aggregate' | 'window';
  readonly translate: (application: Application) => Value;
}

/** How an argument is converted. */
type Reading = 'text' | 'number' | 'any' | 'key' | 'condition';

const READINGS: Readonly<Record<Reading, (value: Value) => Sql>> = {
  text,
  number,
  condition,
  any: whole,
  key: (each) => key(each).sql,
};

/** Arguments by their conversions: `'text number?'`; `text*` for any number of them. */
export function takes(
  parameters: string,
  result: Kind | 'first',
  build: (...args: readonly Sql[]) => Sql,
): FunctionRule {
  const list = parameters.split(' ').filter((each) => each !== '');
  const last = list.at(-1) ?? '';
  const isOpen = last.endsWith('*');
  return {
    least: list.filter((each) => !/[?*]$/.test(each)).length,
    most: isOpen ? 200 : list.length,
    kind: 'plain',
    translate: (application) => {
      const { args } = application.call;
      const values = args.map((_, index) => application.arg(index));
      const sqls = values.map((each, index) => READINGS[readingOf(list[index] ?? last)](each));
      const built = build(...sqls);
      const [first] = values;
      return result === 'first' ? { sql: built, type: first?.type ?? UNKNOWN } : value(result, built);
    },
  };
}

function readingOf(parameter: string): Reading {
  const name = parameter.replace(/[?*]$/, '');
  // The tables of functions contain only valid names.
  return name as Reading;
}

/** A rule for `least` to `most` arguments. */
export function rule(
  least: number,
  most: number,
  translate: FunctionRule['translate'],
  kind: FunctionRule['kind'] = 'plain',
): FunctionRule {
  return { least, most, kind, translate };
}

/** An argument that must be a string constant. */
export function constantText({ call, source: written }: Application, index: number, what: string): string {
  const argument = written(index);
  if (argument.kind === 'string') return argument.value;
  return syntax(argument.at, `${call.name} requires ${what} as a string literal`);
}

/** An argument that must be an integer constant. */
export function constantCount({ call, source: written }: Application, index: number): number {
  const argument = written(index);
  if (argument.kind === 'number' && /^\d{1,9}$/.test(argument.text)) return Number(argument.text);
  return syntax(argument.at, `${call.name} requires an integer here`);
}

/** An argument that is a unit of time: `HOUR` or `WEEK(MONDAY)`. */
export function unitOf({ call, source: written }: Application, index: number): Unit {
  const argument = written(index);
  const { at } = argument;
  if (argument.kind === 'path') {
    const [only, more] = argument.parts;
    if (only !== undefined && more === undefined) return { name: only.name.toUpperCase(), at };
  }
  if (argument.kind === 'call' && argument.name === 'week') {
    const [day] = argument.args;
    if (day?.kind === 'path') return { name: 'WEEK', at, day: day.parts[0]?.name.toUpperCase() ?? '' };
  }
  return syntax(at, `${call.name} requires a unit such as HOUR here`);
}
