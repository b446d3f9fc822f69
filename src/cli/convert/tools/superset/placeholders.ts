// Superset's functions in Jinja. Source: https://superset.apache.org/docs/configuration/sql-templating
import { calledName, type TemplateExpression } from '../../placeholders/expression.ts';
import { jinjaSyntax } from '../../placeholders/jinja.ts';
import { argumentOf, asTextIn, declaredOr, unfiltered, valueItem } from '../../placeholders/jinja-values.ts';
import type { Item, Syntax, Value } from '../../placeholders/nodes.ts';
import type { TemplateReading } from '../../placeholders/template-reader.ts';
import type { RegionKind } from '../../placeholders/source-lexer.ts';
import type { Declaration } from '../../placeholders/template.ts';

const TIMES: ReadonlySet<string> = new Set(['from_dttm', 'to_dttm']);
const USERS: ReadonlySet<string> = new Set(['current_username', 'current_user_id', 'current_user_email']);

/** What a chart asks of its dataset: names and lists, and no values. */
const CONTEXT: ReadonlySet<string> = new Set([
  'columns',
  'filter',
  'filters',
  'groupby',
  'metrics',
  'table_columns',
  'time_column',
]);
const NUMBERS: ReadonlySet<string> = new Set(['row_limit', 'row_offset']);

export function supersetSyntax(text: string, { declarations }: TemplateReading): Syntax {
  const value = (expression: TemplateExpression): Value | undefined => {
    const name = calledName(expression);
    if (expression.kind === 'name') return named(expression.name, declarations);
    if (expression.kind !== 'call') return undefined;
    if (name === 'filter_values') {
      const found = argumentOf(expression);
      return found && { ...found, isList: true };
    }
    return name === 'url_param' ? argumentOf(expression) : undefined;
  };
  const syntax = jinjaSyntax(text, {
    value,
    output: (expression, inside) => supersetOutput(expression, { value, inside }),
  });
  return {
    ...syntax,
    interpret: (mark, inside) => asTextIn(text, mark, syntax.interpret(mark, inside)),
  };
}

function named(name: string, declarations: readonly Declaration[]): Value | undefined {
  const declared = declarations.find((each) => each.name === name);
  if (declared === undefined && CONTEXT.has(name)) return undefined;
  if (TIMES.has(name)) return { name, type: 'DateTime64(3)' };
  return NUMBERS.has(name) ? { name, type: 'UInt64' } : declaredOr(name, declarations);
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
