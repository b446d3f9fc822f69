// Functions as data: what they do with types and NULL, how their rules are applied, and how their arguments are read.
import type { Expression, Call } from './tree.ts';
import {
  type Application,
  type Rule,
  unconverted,
  type Context,
  type Behaviour,
  type Parameter,
  type Rules,
} from './context.ts';
import { joinSql, sql, value, isNullable, type Kind, type Type, type Sql, int, operand, text, type Value, settled, isOpen, NEVER_NULL, float, isKind, isNumber, isTime } from './value.ts'; // prettier-ignore
import { recorded, recordedList, unreadOf } from './consume.ts';
import { castTo } from './cast/cast.ts';
import { numberOfLiteral } from './implicit.ts';

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

/** An argument as a string, or as bytes. */
export function asText({ arg, at, context }: Application, index: number): Value {
  const own = arg(index);
  const isPlain = ['text', 'bytes', 'null', 'unknown'].includes(own.type.kind);
  return isPlain ? own : context.asText(own, at);
}

/** The integer of a literal, with its sign; undefined for other expressions. Not exact above 2^53. */
export function signedInteger(expression: Expression | undefined): number | undefined {
  if (expression?.kind === 'unary' && expression.operator === '-') {
    const inner = signedInteger(expression.value);
    return inner === undefined ? undefined : -inner;
  }
  return integer(expression);
}

/** The text of a literal argument; null for NULL, undefined for other expressions. */
export function literalText({ source }: Application, index: number): string | null | undefined {
  const each = source(index);
  if (each.kind === 'null') return null;
  return each.kind === 'string' ? each.value : undefined;
}

/** A number of characters or repetitions, which must not be negative. */
export function count(application: Application, index: number): Sql {
  const { source, arg, context, fail, call } = application;
  const literal = signedInteger(source(index));
  if (literal !== undefined && literal < 0 && call.isSafe) return 'NULL';
  if (literal !== undefined && literal < 0)
    return fail(`${call.name} does not accept a negative number here`);
  const own = arg(index);
  if (literal === undefined && call.isSafe) return sql`if(${own.sql} < 0, NULL, ${own.sql})`;
  if (literal !== undefined || context.isEvaluated !== true) return own.sql;
  const type = own.type.isNullable ? 'Nullable(UInt64)' : 'UInt64';
  return sql`accurateCast(${own.sql}, '${type}')`;
}

/** NULL of NULL: an array cannot be NULL in ClickHouse. */
export function unlessNull(
  values: readonly Value[],
  ofNull: Sql,
  build: (...own: readonly Sql[]) => Sql,
): Sql {
  const nullable = values.filter(({ type }) => type.isNullable);
  if (nullable.length === 0) return build(...values.map(text));
  const isNull = joinSql(
    nullable.map((each) => sql`${operand(each)} IS NULL`),
    ' OR ',
  );
  const present = values.map((each) =>
    each.type.isNullable ? sql`assumeNotNull(${text(each)})` : text(each),
  );
  return sql`if(${isNull}, ${ofNull}, ${build(...present)})`;
}

/** A number of characters, or a position of one. */
export const characters = (own: Sql, nullable: boolean): Value => int(own, nullable, { bits: 32 });

/** What the parts of a call are called, beside its arguments. */
const PARTS: Readonly<Record<string, string>> = {
  isStar: '*',
  isSafe: 'SAFE.',
  isDistinct: 'DISTINCT',
  nulls: 'IGNORE NULLS or RESPECT NULLS',
  having: 'HAVING',
  orderBy: 'ORDER BY',
  limit: 'LIMIT',
  over: 'OVER',
  filter: 'FILTER',
  withinGroup: 'WITHIN GROUP',
  separator: 'SEPARATOR',
};

/**
 * The value of a call by a rule.
 * @throws UnconvertedError for what the rule has not read
 */
export function applied(call: Call, context: Context, rule: Rule): Value {
  const { application, check } = applicationOf(call, context);
  const result = rule(application);
  check();
  return result;
}

/** A call whose arguments are written when a rule asks for them; `check` throws for what was not asked for. */
export function applicationOf(
  call: Call,
  context: Context,
): { readonly application: Application; readonly check: () => void } {
  const { at, name, args } = call;
  // Arguments are recorded one by one.
  const read = new Set<string>(['name', 'args']);
  const readArguments = new Set<number>();
  const written = new Map<number, Value>();
  const source = (index: number): Expression => {
    readArguments.add(index);
    return args[index] ?? unconverted(at, 'function', `${name} requires more arguments`);
  };
  const arg = (index: number): Value => {
    const known = written.get(index) ?? settled(context.write(source(index), context));
    readArguments.add(index);
    written.set(index, known);
    return known;
  };
  const application: Application = {
    call: recorded({ ...call, args: recordedList(args, readArguments) }, read),
    context,
    at,
    traits: context.shared.traits,
    source,
    arg,
    optional: (index) => (args[index] === undefined ? undefined : arg(index)),
    all: () => args.map((_, index) => arg(index)),
    fail: (message, hint) => unconverted(at, 'function', message, hint),
  };
  const check = (): void => {
    const extra = args.findIndex((_, index) => !readArguments.has(index));
    const place = args[extra];
    if (place !== undefined)
      unconverted(place.at, 'function', `${name} does not accept this argument (number ${extra + 1})`);
    const unread = unreadOf(call, read);
    if (unread !== undefined)
      unconverted(unread.at, 'function', `${name} does not accept ${PARTS[unread.part] ?? unread.part} here`);
  };
  return { application, check };
}

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
