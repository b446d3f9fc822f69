// What functions do with types and NULL, as data: by it, arguments are converted as the dialect does and NULL is passed on.
import { castTo } from './cast/cast.ts';
import type { Application, Behaviour, Parameter, Rule, Rules } from './function.ts';
import { numberOfLiteral } from './implicit.ts';
import { isOpen, NEVER_NULL } from './operand.ts';
import { joinSql, sql } from './sql.ts';
import { float, isKind, isNumber, isTime, operand, value, type Value } from './value.ts';

/**
 * Rules with what they do.
 * @param parameters what the arguments are, the last one is that of those that follow, too: `text integer`
 */
export function taking(parameters: string, rules: Rules, ...more: More): Rules {
  return Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => [name, accepting(parameters, rule, ...more)]),
  );
}

type More = readonly [nulls?: Behaviour['nulls'], none?: Behaviour['none'], nan?: Behaviour['nan']];

/** A rule with what it does. */
export function accepting(
  parameters: string,
  rule: Rule,
  ...[nulls = 'propagate', none, nan = nanOf(parameters)]: More
): Rule {
  // Callers write the names of `Parameter`.
  return withBehaviour(rule, { takes: parameters.split(' ') as readonly Parameter[], nulls, none, nan });
}

/** Returns what functions of such arguments do with NaN, unless they say otherwise: it is no integer. */
const nanOf = (parameters: string): Behaviour['nan'] =>
  parameters.includes('number') ? 'propagate' : parameters.includes('integer') ? 'error' : undefined;

function withBehaviour(rule: Rule, behaviour: Behaviour): Rule {
  const whole: Rule = (application) => {
    const read = new Map<number, Value>();
    const arg = (index: number): Value => {
      const known = read.get(index) ?? accepted(application, index, behaviour);
      read.set(index, known);
      return known;
    };
    const { call } = application;
    const own = rule({
      ...application,
      arg,
      optional: (index) => (call.args.length > index ? arg(index) : undefined),
      all: () => call.args.map((_, index) => arg(index)),
    });
    return behaviour.nulls === 'propagate' ? ofNull(own, [...read.values()]) : own;
  };
  return Object.assign(whole, { behaviour });
}

/** A value that is NULL if an argument is; of an array, which ClickHouse has not as NULL, a condition says so. */
function ofNull(own: Value, args: readonly Value[]): Value {
  const nullable = args.filter(({ type }) => type.isNullable);
  if (nullable.length === 0 || own.type.isNullable) return own;
  if (!NEVER_NULL.has(own.type.kind)) return { ...own, type: { ...own.type, isNullable: true } };
  if (own.type.kind !== 'array' || own.absent !== undefined) return own;
  const isNull = nullable.map((each) => sql`${operand(each)} IS NULL`);
  return { ...own, absent: sql`(${joinSql(isNull, ' OR ')})` };
}

/** An argument in the type of its parameter. */
function accepted(application: Application, index: number, { takes }: Behaviour): Value {
  const own = application.arg(index);
  const parameter = takes[index] ?? takes.at(-1) ?? 'any';
  switch (parameter) {
    // Functions of times and arrays read their arguments themselves.
    case 'any':
    case 'time':
    case 'array':
      return own;
    case 'text':
      if (isKind(own, 'array', 'tuple', 'map'))
        return application.fail(`${application.call.name} requires a string here`);
      return isKind(own, 'text', 'bytes', 'null', 'unknown')
        ? own
        : application.context.asText(own, application.at);
    case 'document':
      return documentOf(own, application);
    case 'number':
      return numberOf(own, application);
    case 'integer':
      return integerOf(isOpen(own) ? own : numberOf(own, application), application);
  }
}

/** JSON, or a string that contains it. */
function documentOf(own: Value, { context, at, call, fail }: Application): Value {
  if (!context.shared.traits.hasNumericConditions) return own;
  if (isTime(own)) return fail(`${call.name} of a time is not converted`);
  return isKind(own, 'bool') || isNumber(own) ? context.asText(own, at) : own;
}

function numberOf(own: Value, { context, at, call, fail }: Application): Value {
  const { shared } = context;
  if (isNumber(own) || isKind(own, 'null', 'unknown', 'seconds', 'interval')) return own;
  if (isOpen(own)) return value('float', float(own));
  const options = { isSafe: false, at, context };
  if (isKind(own, 'bool') && shared.traits.hasNumericConditions)
    return castTo(own, { name: 'BIGINT', at }, options);
  if (isKind(own, 'text') && shared.traits.convertsArguments)
    return castTo(own, { name: 'DOUBLE', at }, options);
  const known = isKind(own, 'text') ? numberOfLiteral(own, context) : undefined;
  if (known !== undefined) return known;
  return fail(`${call.name} requires a number here`, 'Cast the value to a number.');
}

function integerOf(own: Value, { context, at, call, fail }: Application): Value {
  const { roundsArguments, hasExactTypes } = context.shared.traits;
  const hasFraction = isKind(own, 'decimal', 'numeric', 'float');
  if (hasFraction && hasExactTypes && !isOpen(own))
    return fail(`${call.name} requires an integer here`, 'Cast the value to INT64.');
  const isRounded = hasFraction && roundsArguments;
  if (!isRounded && !isOpen(own)) return own;
  return castTo(own, { name: 'BIGINT', at }, { isSafe: isOpen(own), at, context });
}

/** Rules that have a value of their own in place of an error: SAFE. changes nothing, or they read it. */
export function safely(rules: Rules): Rules {
  return Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => {
      const own: Rule = (application) => {
        void application.call.isSafe;
        return rule(application);
      };
      return [name, Object.assign(own, rule)];
    }),
  );
}
