// What functions do with types and NULL, as data: by it, arguments are converted as the dialect does and NULL is passed on.
import { castTo } from './cast/cast.ts';
import type { Application, Behaviour, Parameter, Rule, Rules } from './function.ts';
import { numberOfLiteral } from './implicit.ts';
import { isOpen } from './operand.ts';
import { float, isKind, isNumber, isTime, value, type Value } from './value.ts';

/**
 * Rules with what they do.
 * @param parameters what the arguments are, the last one is that of those that follow, too: `text integer`
 */
export function taking(parameters: string, rules: Rules, nulls: Behaviour['nulls'] = 'propagate'): Rules {
  return Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => [name, accepting(parameters, rule, nulls)]),
  );
}

/** A rule with what it does. */
export function accepting(parameters: string, rule: Rule, nulls: Behaviour['nulls'] = 'propagate'): Rule {
  // Callers write the names of `Parameter`.
  return withBehaviour(rule, { takes: parameters.split(' ') as readonly Parameter[], nulls });
}

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
    const isNullable = [...read.values()].some(({ type }) => type.isNullable);
    return behaviour.nulls === 'propagate' && isNullable && !own.type.isNullable
      ? { ...own, type: { ...own.type, isNullable } }
      : own;
  };
  return Object.assign(whole, { behaviour });
}

/** Dialects that convert what is no number to one. */
const COERCING: ReadonlySet<string> = new Set(['mysql', 'mariadb', 'snowflake']);

/** An argument in the type of its parameter. */
function accepted(application: Application, index: number, { takes }: Behaviour): Value {
  const own = application.arg(index);
  const parameter = takes[index] ?? takes.at(-1) ?? 'any';
  switch (parameter) {
    case 'any':
      return own;
    case 'text':
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
  return isKind(own, 'bool') ? context.asText(own, at) : own;
}

function numberOf(own: Value, { context, at, call, fail }: Application): Value {
  const { shared } = context;
  if (isNumber(own) || isKind(own, 'null', 'unknown', 'seconds', 'interval')) return own;
  if (isOpen(own)) return value('float', float(own));
  const options = { isSafe: false, at, context };
  if (isKind(own, 'bool') && shared.traits.hasNumericConditions)
    return castTo(own, { name: 'BIGINT', at }, options);
  if (isKind(own, 'text') && COERCING.has(shared.dialect))
    return castTo(own, { name: 'DOUBLE', at }, options);
  const known = isKind(own, 'text') ? numberOfLiteral(own, context) : undefined;
  if (known !== undefined) return known;
  return fail(`${call.name} requires a number here`, 'Cast the value to a number.');
}

/** Dialects in which a number with a fraction is converted to an integer. */
const ROUNDING: ReadonlySet<string> = new Set(['mysql', 'mariadb', 'sqlite', 'snowflake']);

function integerOf(own: Value, { context, at }: Application): Value {
  const isRounded = isKind(own, 'decimal', 'numeric', 'float') && ROUNDING.has(context.shared.dialect);
  if (!isRounded && !isOpen(own)) return own;
  return castTo(own, { name: 'BIGINT', at }, { isSafe: false, at, context });
}

/** The behaviour of each function of a table that has one. */
export function behavioursOf(rules: Iterable<readonly [string, Rule]>): ReadonlyMap<string, Behaviour> {
  return new Map(
    [...rules].flatMap(([name, { behaviour }]) =>
      behaviour === undefined ? [] : [[name, behaviour] as const],
    ),
  );
}
