// dbt's and Superset's functions in Jinja, and plain Jinja.
import { calledName, constantOf, pathOf, type TemplateExpression } from '../expression.ts';
import { isRawIn, jinjaSyntax } from '../jinja.ts';
import { valueOf, type Item, type Syntax, type Value } from '../nodes.ts';
import type { RegionKind } from '../source-lexer.ts';
import type { Declaration } from '../template.ts';

type Call = Extract<TemplateExpression, { kind: 'call' }>;

/** dbt: ref, source, var and config; other names are parameters. Source: https://docs.getdbt.com/reference/dbt-jinja-functions */
export function dbtSyntax(text: string, declarations: readonly Declaration[]): Syntax {
  const value = (expression: TemplateExpression): Value | undefined => {
    const name = calledName(expression);
    if (expression.kind === 'call' && (name === 'var' || name === 'env_var')) return argument(expression);
    return expression.kind === 'name' ? declaredOr(expression.name, declarations) : undefined;
  };
  return jinjaSyntax(text, {
    value,
    output: (expression, inside) =>
      dbtOutput(expression, { inside, declarations }) ?? valueItem(value(unfiltered(expression)), inside),
    condition: (expression) =>
      calledName(expression) === 'is_incremental' ? { kind: 'constant', value: false } : undefined,
  });
}

interface OutputContext {
  readonly inside: RegionKind;
  readonly declarations: readonly Declaration[];
}

function dbtOutput(expression: TemplateExpression, { declarations }: OutputContext): Item | undefined {
  const name = calledName(expression);
  if (expression.kind === 'call' && (name === 'ref' || name === 'source')) {
    const parts = expression.args.map((each) => constantOf(each)).filter((each) => typeof each === 'string');
    if (parts.length === 0 || parts.length !== expression.args.length) return undefined;
    const key = `${name}:${parts.join('.')}`;
    const known = declarations.find((each) => each.name === key)?.text;
    return { kind: 'inserted', text: known ?? (name === 'ref' ? (parts.at(-1) ?? '') : parts.join('.')) };
  }
  if (name === 'config' || name === 'log' || name === 'return') return { kind: 'dropped' };
  if (expression.kind === 'call' && name !== 'var' && name !== 'env_var' && name !== 'is_incremental')
    return {
      kind: 'lost',
      message: `The macro ${name ?? ''} is not supported`,
      hint: 'Run dbt compile, and import the folder with its target/compiled',
    };
  const path = pathOf(expression);
  if (path === 'this' || path?.startsWith('this.') === true || path?.startsWith('target.') === true)
    return { kind: 'lost', message: `{{ ${path} }} is not supported`, hint: 'Write the name' };
  const constant = constantOf(expression);
  return typeof constant === 'string' || typeof constant === 'number'
    ? { kind: 'inserted', text: String(constant) }
    : undefined;
}

const TIMES: ReadonlySet<string> = new Set(['from_dttm', 'to_dttm']);
const USERS: ReadonlySet<string> = new Set(['current_username', 'current_user_id', 'current_user_email']);

/** Superset. Source: https://superset.apache.org/docs/configuration/sql-templating */
export function supersetSyntax(text: string, declarations: readonly Declaration[]): Syntax {
  const value = (expression: TemplateExpression): Value | undefined => {
    const name = calledName(expression);
    if (expression.kind === 'name')
      return TIMES.has(expression.name)
        ? { name: expression.name, type: 'DateTime64(3)' }
        : declaredOr(expression.name, declarations);
    if (expression.kind !== 'call') return undefined;
    if (name === 'filter_values') {
      const found = argument(expression);
      return found && { ...found, isList: true };
    }
    return name === 'url_param' ? argument(expression) : undefined;
  };
  return jinjaSyntax(text, {
    value,
    output: (expression, inside) => supersetOutput(expression, { value, inside }),
  });
}

function supersetOutput(
  expression: TemplateExpression,
  {
    value,
    inside,
  }: { readonly value: (of: TemplateExpression) => Value | undefined; readonly inside: RegionKind },
): Item | undefined {
  const name = calledName(expression);
  if (name !== undefined && USERS.has(name))
    return {
      kind: 'sql',
      parts: [
        {
          kind: 'value',
          value: { name, type: name === 'current_user_id' ? 'UInt64' : 'String', required: true },
        },
      ],
      note: {
        severity: 'differs',
        message: `${name}() is the signed-in user in Superset; as a parameter, the caller chooses it`,
        hint: 'Lock the parameter in each key',
      },
    };
  if (name === 'cache_key_wrapper' && expression.kind === 'call' && expression.args[0] !== undefined)
    return supersetOutput(expression.args[0], { value, inside });
  if (expression.kind === 'filter' && expression.name === 'where_in') {
    const list = value(expression.of);
    return list && { kind: 'sql', parts: ['(', { kind: 'value', value: { ...list, isList: true } }, ')'] };
  }
  const joined = joinedList(expression);
  const list = joined && value(joined);
  if (list !== undefined) return { kind: 'value', value: { ...list, isList: true } };
  const found = value(unfiltered(expression));
  return found?.isList === true ? { kind: 'value', value: found } : valueItem(found, inside);
}

/** The list of `"'" + "','".join(list) + "'"` and `list | join(',')`. */
function joinedList(expression: TemplateExpression): TemplateExpression | undefined {
  if (expression.kind === 'binary' && (expression.operator === '+' || expression.operator === '~'))
    return joinedList(expression.left) ?? joinedList(expression.right);
  if (expression.kind === 'filter')
    return expression.name === 'join' ? expression.of : joinedList(expression.of);
  const isJoin =
    expression.kind === 'call' && expression.of.kind === 'attribute' && expression.of.name === 'join';
  return isJoin ? expression.args[0] : undefined;
}

/** Filters that do not change a value that is bound. */
const HARMLESS: ReadonlySet<string> = new Set([
  'safe',
  'sqlsafe',
  'string',
  'int',
  'float',
  'trim',
  'e',
  'escape',
  'tojson',
]);

function unfiltered(expression: TemplateExpression): TemplateExpression {
  return expression.kind === 'filter' && HARMLESS.has(expression.name)
    ? unfiltered(expression.of)
    : expression;
}

function valueItem(value: Value | undefined, inside: RegionKind): Item | undefined {
  return value && { kind: 'value', value: { ...value, ...isRawIn(inside) } };
}

/** The parameter that a call names: `var('name', default)`. */
function argument({ args, named }: Call): Value | undefined {
  const name = constantOf(args[0]);
  const fallback = constantOf(named.get('default') ?? args[1]);
  if (typeof name !== 'string') return undefined;
  return { name, ...(fallback === undefined ? {} : { default: fallback }) };
}

function declaredOr(name: string, declarations: readonly Declaration[]): Value {
  const found = declarations.find((each) => each.name === name);
  if (found === undefined) return { name };
  return valueOf(found);
}
