// Function calls.
import { joinSql, sql } from '../../dialects/sql.ts';
import { didYouMean, nearest } from '../../core/nearest.ts';
import type { Call, Expression } from '../../sql/syntax-tree.ts';
import { isAggregate, writeAggregate } from '../functions/aggregate.ts';
import { ARRAY_FUNCTIONS } from '../functions/array.ts';
import { CONDITION_FUNCTIONS } from '../functions/condition.ts';
import type { Application, Rule } from '../../dialects/function.ts';
import { JSON_FUNCTIONS } from '../../dialects/functions/json.ts';
import { NUMBER_FUNCTIONS } from '../functions/number.ts';
import { TEXT_FUNCTIONS } from '../functions/text.ts';
import { TIME_FUNCTIONS } from '../../dialects/time/functions.ts';
import { isWindowFunction, writeWindowFunction } from '../functions/window.ts';
import { unconverted } from '../../dialects/context.ts';
import type { Context } from './context.ts';
import { value, type Value } from '../../dialects/value.ts';

const FUNCTIONS: ReadonlyMap<string, Rule> = new Map([
  ...Object.entries(TEXT_FUNCTIONS),
  ...Object.entries(NUMBER_FUNCTIONS),
  ...Object.entries(TIME_FUNCTIONS),
  ...Object.entries(JSON_FUNCTIONS),
  ...Object.entries(ARRAY_FUNCTIONS),
  ...Object.entries(CONDITION_FUNCTIONS),
]);

/** The names of all functions that are converted, but for aggregate and window functions. */
export const FUNCTION_NAMES: readonly string[] = [...FUNCTIONS.keys()];

const DIRECT = 'clickhouse__';

/** Writes a call. */
export function writeCall(call: Call, context: Context): Value {
  const { at } = call;
  const name = call.name.replace(/^pg_catalog\./, '');
  if (name.startsWith(DIRECT)) {
    const args = call.args.map((each) => context.write(each, context).sql);
    return value('unknown', sql`${name.slice(DIRECT.length)}(${joinSql(args)})`);
  }
  const isWithin = isAggregate(call);
  const application = apply(
    { ...call, name },
    isWithin && call.over === undefined ? { ...context, grouped: undefined, prefersAliases: false } : context,
  );
  if (isWindowFunction(call)) return writeWindowFunction(application);
  if (isWithin) return writeAggregate(application);
  if (call.over !== undefined || call.filter !== undefined || call.isDistinct)
    return unconverted(at, 'function', `${name} is not converted as an aggregate or window function`);
  const rule = FUNCTIONS.get(name);
  if (rule === undefined) return unknownFunction(name, at);
  return rule(application);
}

function unknownFunction(name: string, at: number): never {
  const guess = nearest(name, FUNCTIONS.keys());
  return unconverted(
    at,
    'function',
    `The function ${name} is not converted`,
    guess === name ? undefined : didYouMean(guess),
  );
}

/** A call whose arguments are written when a rule asks for them. */
function apply(call: Call, context: Context): Application {
  const { at, name, args } = call;
  const written = new Map<Expression, Value>();
  const write = (expression: Expression): Value => {
    const known = written.get(expression) ?? context.write(expression, context);
    written.set(expression, known);
    return known;
  };
  const source = (index: number): Expression =>
    args[index] ?? unconverted(at, 'function', `${name} needs more arguments to be converted`);
  return {
    call,
    context,
    at,
    dialect: context.shared.dialect,
    source,
    arg: (index) => write(source(index)),
    optional: (index) => (args[index] === undefined ? undefined : write(args[index])),
    all: () => args.map(write),
    fail: (message, hint) => unconverted(at, 'function', message, hint),
  };
}
