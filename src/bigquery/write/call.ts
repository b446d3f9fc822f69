// Function calls: the function's rule, and its window.
import { didYouMean, nearest } from '../../core/nearest.ts';
import { AGGREGATE_FUNCTIONS } from '../functions/aggregate.ts';
import { ARRAY_FUNCTIONS } from '../functions/array.ts';
import { TEXT_FUNCTIONS } from '../functions/string.ts';
import { SHARED_FUNCTIONS } from '../functions/shared.ts';
import type { Context } from '../context.ts';
import type { Application, FunctionRule } from '../functions/function.ts';
import { replacementFor } from '../functions/unsupported.ts';
import { syntax, unknown, untranslated } from '../translation-error.ts';
import { type Sql, joinSql, located, sql } from '../../dialects/sql.ts';
import type { Call, Expression, Name, Order, Window } from '../../sql/syntax-tree.ts';
import { type Value } from '../../dialects/value.ts';
import { key, settled } from '../value.ts';

const FUNCTIONS: ReadonlyMap<string, FunctionRule> = new Map([
  ...Object.entries(TEXT_FUNCTIONS),
  ...SHARED_FUNCTIONS,
  ...Object.entries(ARRAY_FUNCTIONS),
  ...Object.entries(AGGREGATE_FUNCTIONS),
]);

/** Names of all translated functions. */
export const TRANSLATED_FUNCTIONS: readonly string[] = [...FUNCTIONS.keys()];

/** Functions that can fail at run time, so that SAFE. would change their result. */
const FAILING: ReadonlySet<string> = new Set([
  'mod',
  'div',
  'datetime',
  'date',
  'timestamp',
  'log',
  'sqrt',
  'ln',
]);

/**
 * Translates a call.
 * @throws UnconvertedError for an unknown function, or arguments that it does not accept
 */
export function writeCall(call: Call, context: Context): Value {
  const { application, rule } = apply(call, context);
  const { sql: own, ...rest } = rule.translate(application);
  if (call.over === undefined) return { sql: located(call.at, own), ...rest };
  if (rule.kind === 'plain') syntax(call.at, `${call.name} does not support OVER`);
  return { sql: located(call.at, sql`${own} OVER ${writeWindow(call.over, context)}`), ...rest };
}

/** Finds the function's rule and checks what does not depend on it. */
export function apply(
  call: Call,
  context: Context,
): { readonly application: Application; readonly rule: FunctionRule } {
  const { name, at } = call;
  const rule = FUNCTIONS.get(name) ?? functionUnknown(call);
  checkCount(call, rule);
  if (call.isSafe && FAILING.has(name))
    untranslated(at, `SAFE.${name} is not supported`, 'Guard the call with IF.');
  if (rule.kind === 'window' && call.over === undefined) syntax(at, `${name} requires OVER (…)`);
  const isPlain = rule.kind === 'plain';
  const hasExtras = call.orderBy.length > 0 || call.limit !== undefined || call.having !== undefined;
  if (isPlain && (call.isDistinct || call.isStar || hasExtras))
    syntax(at, `${name} accepts only plain arguments`);
  const inside: Context =
    rule.kind === 'aggregate'
      ? { ...context, isGrouped: false, aliases: context.aliases === 'first' ? 'last' : context.aliases }
      : context;
  return { rule, application: applicationOf(call, inside) };
}

function applicationOf(call: Call, context: Context): Application {
  const { name, at, args } = call;
  const values = new Map<Expression, Value>();
  const write = (expression: Expression): Value => {
    const known = values.get(expression) ?? settled(context.write(expression, context));
    values.set(expression, known);
    return known;
  };
  const source = (index: number) => args[index] ?? syntax(at, `${name} requires more arguments`);
  return {
    call,
    context,
    at,
    dialect: context.shared.dialect,
    source,
    arg: (index) => write(source(index)),
    optional: (index) => (args[index] === undefined ? undefined : write(args[index])),
    all: () => args.map(write),
    fail: (message, hint) => untranslated(at, message, hint),
  };
}

/** Whether the expression calls an aggregate function outside subqueries. */
export function hasAggregate(expression: Expression): boolean {
  if (expression.kind === 'query') return false;
  if (expression.kind === 'call' && FUNCTIONS.get(expression.name)?.kind === 'aggregate') return true;
  return Object.values(expression).some(hasAggregateWithin);
}

/** For any part of an expression: objects with a `kind` are expressions. */
function hasAggregateWithin(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false;
  // Only expressions and the nodes that contain them have a `kind`.
  return 'kind' in part ? hasAggregate(part as Expression) : Object.values(part).some(hasAggregateWithin);
}

function functionUnknown({ name, at }: Call): never {
  const instead = replacementFor(name);
  if (instead !== undefined) return untranslated(at, `${name} is not supported`, instead);
  const guess = didYouMean(nearest(name, FUNCTIONS.keys()));
  const rest = 'To call ClickHouse functions, send ClickHouse SQL with dialect=clickhouse.';
  return unknown(at, `${name} is not a supported function`, [guess, rest].filter(Boolean).join(' '));
}

function checkCount({ name, at, args, isStar }: Call, { least, most }: FunctionRule): void {
  if (isStar && name !== 'count') syntax(at, `* is only allowed in count(*)`);
  if (isStar || (args.length >= least && args.length <= most)) return;
  const wanted = least === most ? String(least) : `${least} to ${most}`;
  syntax(at, `${name} takes ${wanted} ${most === 1 ? 'argument' : 'arguments'}, not ${args.length}`);
}

const MAX_BASES = 8;

function writeWindow(over: Window | Name, context: Context): Sql {
  const window = 'name' in over ? { base: over, partitionBy: [], orderBy: [] } : over;
  const { partitionBy, orderBy, frame } = resolveWindow(window, context);
  const partition = partitionBy.map((each) => key(context.write(each, context)).sql);
  const parts: Sql[] = [];
  if (partition.length > 0) parts.push(sql`PARTITION BY ${joinSql(partition)}`);
  if (orderBy.length > 0)
    parts.push(sql`ORDER BY ${joinSql(orderBy.flatMap((each) => writeOrder(each, context)))}`);
  if (frame !== undefined) parts.push(frame);
  return sql`(${joinSql(parts, ' ')})`;
}

function resolveWindow(window: Window, { windows }: Context): Window {
  let whole = window;
  for (let count = 0; whole.base !== undefined; count++) {
    const { base, ...own } = whole;
    const named = windows.get(base.name.toLowerCase());
    if (named === undefined || count > MAX_BASES)
      return unknown(base.at, `There is no window ${base.name} here`);
    whole = {
      ...named,
      ...own,
      partitionBy: own.partitionBy.length > 0 ? own.partitionBy : named.partitionBy,
      orderBy: own.orderBy.length > 0 ? own.orderBy : named.orderBy,
    };
  }
  return whole;
}

/** An element of ORDER BY. BigQuery sorts NULL before all values, ClickHouse after. */
function writeOrder(order: Order, context: Context): readonly Sql[] {
  return orderSqls(key(context.write(order.value, context)), order);
}

/** An element of ORDER BY; dynamically typed values are ordered as numbers, then as strings. */
export function orderSqls({ sql: own, original }: Value, { isDescending, nulls }: Order): readonly Sql[] {
  const place = nulls ?? (isDescending ? 'LAST' : 'FIRST');
  const keys = original === undefined ? [own] : [sql`accurateCastOrNull(${own}, 'Float64')`, own];
  return keys.map(
    (each) => sql`${each} ${isDescending ? 'DESC' : 'ASC'}${place === 'FIRST' ? ' NULLS FIRST' : ''}`,
  );
}
