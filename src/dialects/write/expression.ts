// Expressions: what is the same for all kinds, and the kinds that do not depend on the dialect.
import type { Expression } from '../tree.ts';
import { consumed } from '../consume.ts';
import { placeholder, unconverted, UnconvertedError, within } from '../context.ts';
import { key } from '../operand.ts';
import { sql } from '../sql.ts';
import { loose, value, type Value } from '../value.ts';
import type { Context, GroupKeys } from './context.ts';
import { fieldOf, writePath } from './path.ts';
import { columnsByName, inRelations, resolve } from './scope.ts';
import { writeSubquery } from './subquery.ts';
import { containsAggregate } from './walk.ts';

type Of<K extends Expression['kind']> = Extract<Expression, { kind: K }>;
type Writer<K extends Expression['kind']> = (expression: Of<K>, context: Context) => Value;

/** How each kind of expression is written. */
export type Writers = { readonly [K in Expression['kind']]: Writer<K> };

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

/** The function that writes expressions. Offline, a part that cannot be converted becomes a comment. */
export function expressionWriter(writers: Writers): Context['write'] {
  const writeAny = (expression: Expression, context: Context): Value => {
    // The writer of a kind accepts the expressions of that kind.
    const writer = writers[expression.kind] as (each: Expression, context: Context) => Value;
    if (READ_WHOLE.has(expression.kind)) return writer(expression, context);
    return consumed(expression, `this expression (${expression.kind})`, (node) => writer(node, context));
  };
  const writeWhole = (expression: Expression, context: Context): Value => {
    const inside = evaluating(expression, within(expression, context));
    return inside.grouped === undefined
      ? writeAny(expression, inside)
      : writeGrouped(expression, inside.grouped, { context: inside, writeAny });
  };
  // The contexts of expressions are always those of queries.
  return (expression, context) => {
    context.shared.spend(expression.at);
    const written = context.shared.isStrict
      ? writeWhole(expression, context)
      : orPlaceholder(() => writeWhole(expression, context), context);
    const { kind } = written.type;
    return context.isGrouped && (kind === 'dynamic' || kind === 'object') ? key(written) : written;
  };
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
  if (!['binary', 'unary', 'call'].includes(expression.kind)) return context;
  const isEvaluated = !context.isGuarded && (!context.isGrouped || containsAggregate(expression));
  return context.isEvaluated === isEvaluated ? context : { ...context, isEvaluated };
}

interface Place {
  readonly context: Context;
  readonly writeAny: Context['write'];
}

/** Outside of aggregate functions, a grouped query can read only the keys, and any value of other columns. */
function writeGrouped(
  expression: Expression,
  { keys, caseless, hasOthers }: GroupKeys,
  { context, writeAny }: Place,
): Value {
  const plain = writeAny(expression, { ...context, grouped: undefined });
  const any = { ...plain, sql: sql`any(${plain.sql})`, isLoose: false };
  const own = String(plain.sql);
  if (keys.has(own)) return caseless.has(own) ? any : plain;
  if (expression.kind !== 'path') return writeAny(expression, context);
  const found = resolve(expression.parts, context);
  return hasOthers && found?.isColumn === true && !found.isOuter ? any : plain;
}

/** The kinds that both entry points write alike. */
export const COMMON = {
  boolean: ({ value: own }) => value('bool', own ? 'true' : 'false', false),
  null: () => value('null', 'NULL'),
  parameter: ({ name }) => value('unknown', `@${name}`),
  path: writePath,
  field: ({ of, name }, context) =>
    // An operand whose field is read is not itself the key of a group.
    fieldOf(context.write(of, { ...context, isGrouped: false }), name, context),
  query: writeSubquery,
  lambda: writeLambda,
  named_argument: ({ at, name: { name } }) =>
    unconverted(at, 'expression', `The named argument ${name} is not converted`),
  unread: ({ at, reason }) => unconverted(at, 'expression', `Not converted: ${reason}`),
} satisfies Partial<Writers>;

function writeLambda({ parameters, body }: Of<'lambda'>, context: Context): Value {
  const { name } = context.supplied.style;
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
