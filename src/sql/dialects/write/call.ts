// Function calls.
import { didYouMean, nearest } from '../../base/nearest.ts';
import { applied } from '../function.ts';
import { unconverted, unknown, type Rule, type Context } from '../context.ts';
import { QUANTILE_ELEMENT } from '../functions/collect.ts';
import { isAggregate, rowRule } from '../functions/row-functions.ts';
import { VALUE_FUNCTIONS } from '../functions/value-functions.ts';
import { joinSql, sql, loose, value, type Value } from '../value.ts';
import type { KnownFunctions } from '../traits.ts';
import type { Call, Of } from '../tree.ts';
import { columnsByName, inAggregate, inRelations } from './scope.ts';

/** What the reader of templates calls a function of ClickHouse. */
const DIRECT = 'clickhouse__';

/**
 * Writes a call.
 * @throws UnconvertedError for an unknown function, or arguments that it does not accept
 */
function writeCall(call: Call, context: Context): Value {
  const { isStrict } = context.shared;
  if (call.name.startsWith(DIRECT) && !isStrict) {
    const args = call.args.map((each) => context.write(each, context).sql);
    return value('unknown', sql`${call.name.slice(DIRECT.length)}(${joinSql(args)})`);
  }
  const named = { ...call, name: call.name.replace(/^pg_catalog\./, '') };
  const rule = ruleOf(named, context) ?? unknownFunction(named, context);
  const isWithin = isAggregate(named) && call.over === undefined;
  return applied(named, isWithin ? inAggregate(context) : context, rule);
}

/** At run time, the functions that the dialect has. */
const knownFunctions = ({ shared }: Context): KnownFunctions | undefined =>
  shared.isStrict ? shared.traits.functions : undefined;

function ruleOf(call: Call, context: Context): Rule | undefined {
  const { name } = call;
  if (knownFunctions(context)?.names.has(name) === false && name !== QUANTILE_ELEMENT) return undefined;
  const { values, aggregates } = context.functions;
  const own = Object.hasOwn(values, name) ? values[name] : undefined;
  return rowRule(call, aggregates) ?? own ?? VALUE_FUNCTIONS.get(name);
}

function unknownFunction({ name, at }: Call, context: Context): never {
  const functions = knownFunctions(context);
  if (functions === undefined) {
    const guess = nearest(name, [...VALUE_FUNCTIONS.keys(), ...Object.keys(context.functions.values)]);
    const hint = guess === name ? undefined : didYouMean(guess);
    return unconverted(at, 'function', `The function ${name} is not converted`, hint);
  }
  if (functions.names.has(name))
    return unconverted(at, 'function', `${name} does not accept these arguments`);
  const instead = functions.replacements.get(name);
  if (instead !== undefined) return unconverted(at, 'function', `${name} is not supported`, instead);
  const guess = didYouMean(nearest(name, functions.names));
  const rest = 'To call ClickHouse functions, send ClickHouse SQL with dialect=clickhouse.';
  return unknown(at, `${name} is not a supported function`, [guess, rest].filter(Boolean).join(' '));
}

/** `(x, y) -> body`. */
function writeLambda({ parameters, body, at }: Of<'lambda'>, context: Context): Value {
  if (context.shared.isStrict) return unconverted(at, 'expression', 'Lambdas are not supported');
  const { name } = context.shared.style;
  const names = parameters.map((each) => name(each.name));
  const columns = parameters.map((each, index) => ({
    name: each.name,
    value: value('unknown', names[index] ?? ''),
  }));
  const relation = { alias: undefined, written: '', columns: columnsByName(columns), isInline: true };
  const written = context.write(body, inRelations(context, [relation]));
  return loose(
    written.type.kind,
    sql`${names.length === 1 ? names.join('') : `(${names.join(', ')})`} -> ${written.sql}`,
    written.type.isNullable,
  );
}

export const CALLS = {
  call: writeCall,
  lambda: writeLambda,
  named_argument: ({ at, name: { name } }: Of<'named_argument'>): never =>
    unconverted(at, 'expression', `The named argument ${name} is not converted`),
};
