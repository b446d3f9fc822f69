// Writes expressions, and makes the context in which a whole query is written.
import { consumed } from '../consume.ts';
import {
  placeholder,
  UnconvertedError,
  within,
  type Context,
  type GroupKeys,
  type Shared,
} from '../context.ts';
import { key, located, sql, operand, value, type Value, settled } from '../value.ts';
import type { Expression } from '../tree.ts';
import { optionalKey } from './key.ts';
import { resolve } from './scope.ts';
import { containsAggregate } from './nested.ts';
import { WRITERS } from './writers.ts';
import { castTo } from '../cast/cast.ts';
import { caselessKey } from '../equality.ts';
import { elementsOf } from '../functions/array-value.ts';
import { writeQuery } from './query.ts';

/** Kinds with one part, and those whose parts are recorded where they are written: calls and queries. */
const READ_WHOLE: ReadonlySet<string> = new Set([
  'string',
  'bytes',
  'number',
  'boolean',
  'null',
  'parameter',
  'path',
  'array',
  'row',
  'call',
  'unread',
]);

/** Writes an expression; offline, a part that cannot be converted becomes a comment. At run time, operators are in parentheses. */
function writeExpression(expression: Expression, context: Context): Value {
  context.shared.spend(expression.at);
  const { isStrict } = context.shared;
  const written = isStrict
    ? tight(writeWhole(expression, context), expression.at)
    : orPlaceholder(() => writeWhole(expression, context), context);
  const { kind } = written.type;
  return context.isGrouped && (kind === 'dynamic' || kind === 'object') ? key(written) : written;
}

/** With its place in the source. */
function tight(own: Value, at: number): Value {
  const { isLoose, ...rest } = own;
  return { ...rest, sql: located(at, isLoose === true ? sql`(${own.sql})` : own.sql) };
}

function writeWhole(expression: Expression, context: Context): Value {
  const inside = evaluating(expression, within(expression, context));
  return inside.grouped === undefined
    ? writeAny(expression, inside)
    : writeGrouped(expression, inside.grouped, inside);
}

function writeAny(expression: Expression, context: Context): Value {
  const writer: Context['write'] = WRITERS[expression.kind];
  if (READ_WHOLE.has(expression.kind)) return writer(expression, context);
  return consumed(expression, `this expression (${expression.kind})`, (node) => writer(node, context));
}

function orPlaceholder(write: () => Value, context: Context): Value {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof UnconvertedError)) throw error;
    return value('unknown', placeholder(context, error));
  }
}

/** Functions that evaluate an argument only if another one is NULL, or a condition is met. */
const GUARDS: ReadonlySet<string> = new Set(['if', 'ifnull', 'coalesce', 'nullif', 'iferror']);

function isGuard(expression: Expression): boolean {
  if (expression.kind === 'chain') return expression.operator !== '||';
  return expression.kind === 'case' || (expression.kind === 'call' && GUARDS.has(expression.name));
}

/** The context inside of an expression: whether an error of its operator is one of the query. Keys of groups are written in one form. */
function evaluating(expression: Expression, context: Context): Context {
  if (!context.shared.isStrict) return context;
  if (isGuard(expression)) return { ...context, isGuarded: true, isEvaluated: false };
  if (!['binary', 'unary', 'call', 'index', 'query'].includes(expression.kind)) return context;
  const isEvaluated = !context.isGuarded && (!context.isGrouped || containsAggregate(expression));
  return context.isEvaluated === isEvaluated ? context : { ...context, isEvaluated };
}

/** Outside of aggregate functions, a grouped query can read only the keys, and any value of other columns. */
function writeGrouped(
  expression: Expression,
  { keys, caseless, hasOthers, isOptional = false }: GroupKeys,
  context: Context,
): Value {
  const plain = writeAny(expression, { ...context, grouped: undefined });
  const any = { ...plain, sql: sql`any(${plain.sql})`, isLoose: false };
  const own = String(context.shared.isStrict ? operand(plain) : plain.sql);
  if (keys.has(own) && isOptional) return optionalKey(plain);
  if (keys.has(own)) return caseless.has(own) ? any : plain;
  if (expression.kind !== 'path') return writeAny(expression, context);
  const found = resolve(expression.parts, context);
  return hasOthers && found?.isColumn === true && !found.isOuter ? any : plain;
}

/** @param own the tables that FROM may name, and the functions of the dialect */
export function contextOf(shared: Shared, own: Pick<Context, 'tables' | 'functions'>): Context {
  const context: Context = {
    shared,
    ...own,
    scope: { relations: [], aliases: new Map() },
    windows: new Map(),
    isGrouped: false,
    isGuarded: false,
    isUngrouped: true,
    write: writeExpression,
    query: writeQuery,
    asText: (own, at) => castTo(own, { name: 'TEXT', at }, { isSafe: false, at, context }),
    key: (own) => caselessKey(key(settled(own)), context),
    elements: elementsOf,
  };
  return context;
}
