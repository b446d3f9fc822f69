// dbt's functions in Jinja. Source: https://docs.getdbt.com/reference/dbt-jinja-functions
import { calledName, constantOf, pathOf, type TemplateExpression } from '../../placeholders/expression.ts';
import { withInlineConditions } from '../../placeholders/inline-conditions.ts';
import { jinjaSyntax } from '../../placeholders/jinja.ts';
import { argumentOf, declaredOr, unfiltered, valueItem } from '../../placeholders/jinja-values.ts';
import type { Item, Syntax, Value } from '../../placeholders/nodes.ts';
import type { Declaration } from '../../placeholders/template.ts';
import type { TemplateReading } from '../../placeholders/template-reader.ts';
import { chained, composed, unrolled, type Unrolled } from '../../placeholders/unroll.ts';
import { CROSS_DATABASE } from './cross-database-macros.ts';
import { COMPILE, writeCall, expandMacros } from './project-macros.ts';
import { ASKS_DATABASE, DBT_UTILS } from './utils-macros.ts';

/** The model with the macros of its project, and its loops, written out. */
export function expandModel(text: string, { declarations }: TemplateReading): Unrolled | undefined {
  return chained(text, [
    (each) => expandMacros(each, declarations),
    (each) => withTarget(each, declarations),
    withEnvironment,
    withInlineConditions,
    unrolled,
  ]);
}

/** `target.type` and the like, which the profile says, as variables. */
function withTarget(text: string, declarations: readonly Declaration[]): Unrolled | undefined {
  const known = declarations.filter(({ name }) => name.startsWith('target.') && text.includes(name));
  if (known.length === 0) return undefined;
  const set = known.map(({ name, text: value = '' }) => `{% set ${name} = ${JSON.stringify(value)} %}`);
  return composed([
    { text: set.join(''), at: 0, isCopied: false },
    { text, at: 0, isCopied: true },
  ]);
}

const ENVIRONMENT = /\benv_var\(\s*(?:'\w+'|"\w+")\s*,\s*('[^'\\]*'|"[^"\\]*")\s*\)/g;

/** The defaults of `env_var`: the environment is that of the person who runs dbt, and never a caller's. */
function withEnvironment(text: string): Unrolled | undefined {
  const calls = [...text.matchAll(ENVIRONMENT)];
  if (calls.length === 0) return undefined;
  let at = 0;
  const pieces = calls.flatMap((call) => {
    const before = { text: text.slice(at, call.index), at, isCopied: true };
    at = call.index + call[0].length;
    return [before, { text: call[1] ?? '', at: call.index, isCopied: false }];
  });
  return composed([...pieces, { text: text.slice(at), at, isCopied: true }]);
}

/** `ref`, `source`, `var`, `config`, and macros; other names are parameters. */
export function dbtSyntax(text: string, { dialect, declarations }: TemplateReading): Syntax {
  const value = (expression: TemplateExpression): Value | undefined => {
    const name = calledName(expression);
    if (expression.kind === 'call' && (name === 'var' || name === 'env_var')) {
      const found = argumentOf(expression);
      const known = declarations.find((each) => each.name === `var:${found?.name}`)?.default;
      return found && { ...(known === undefined ? {} : { default: known }), ...found };
    }
    if (expression.kind !== 'name' || CONTEXT.test(expression.name)) return undefined;
    return declaredOr(expression.name, declarations);
  };
  return jinjaSyntax(text, {
    value,
    output: (expression, inside) =>
      dbtOutput(expression, { dialect, declarations }) ?? valueItem(value(unfiltered(expression)), inside),
    condition: (expression) => {
      if (calledName(expression) === 'is_incremental') return { kind: 'constant', value: false };
      const isExecuted = expression.kind === 'name' && expression.name === 'execute';
      return isExecuted ? { kind: 'constant', value: true } : undefined;
    },
  });
}

/** What dbt knows while it compiles, and an export does not contain. */
const CONTEXT =
  /^(this|target|model|graph|flags|builtins|modules|adapter|api|exceptions|invocation_id|run_started_at|dbt_version|project_name|schema|database|thread_id|local_md5|selected_resources)(\.|$)/;

function dbtOutput(expression: TemplateExpression, context: TemplateReading): Item | undefined {
  const name = calledName(expression);
  if (name === 'config' || name === 'log' || name === 'return') return { kind: 'dropped' };
  if (expression.kind === 'call' && name !== 'var' && name !== 'env_var' && name !== 'is_incremental') {
    const written = calledText(expression, context);
    if (typeof written === 'string') return { kind: 'inserted', text: written };
    return { kind: 'lost', ...(written ?? unsupported(name ?? '')) };
  }
  const path = pathOf(expression);
  if (path !== undefined && CONTEXT.test(path))
    return { kind: 'lost', message: `{{ ${path} }} is not supported`, hint: 'Write what it produces' };
  const constant = constantOf(expression);
  return typeof constant === 'string' || typeof constant === 'number'
    ? { kind: 'inserted', text: String(constant) }
    : undefined;
}

/** The table of `ref` and `source`, and what known macros write. */
function calledText(
  expression: Extract<TemplateExpression, { kind: 'call' }>,
  { dialect, declarations }: TemplateReading,
): ReturnType<typeof writeCall> {
  const name = calledName(expression) ?? '';
  if (name === 'ref' || name === 'source') return relationOf(name, expression.args, declarations);
  const [, own] = /^(?:(?:dbt_utils|dbt)\.)?(\w+)$/.exec(name) ?? [];
  const write = own === undefined ? undefined : (entry(DBT_UTILS, own) ?? entry(CROSS_DATABASE, own));
  if (write === undefined) return undefined;
  const textOf = (argument: TemplateExpression): string | undefined => {
    if (argument.kind === 'binary' && argument.operator === '~') {
      const [left, right] = [textOf(argument.left), textOf(argument.right)];
      return left === undefined || right === undefined ? undefined : left + right;
    }
    const constant = constantOf(argument);
    if (typeof constant === 'string' || typeof constant === 'number') return String(constant);
    const written = argument.kind === 'call' ? calledText(argument, { dialect, declarations }) : undefined;
    return typeof written === 'string' ? written : undefined;
  };
  return writeCall(write, expression, { textOf, dialect });
}

function entry<Found>(table: Readonly<Record<string, Found>>, name: string): Found | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function relationOf(
  name: string,
  args: readonly TemplateExpression[],
  declarations: readonly Declaration[],
): string | undefined {
  const parts = args.map((each) => constantOf(each)).filter((each) => typeof each === 'string');
  if (parts.length === 0 || parts.length !== args.length) return undefined;
  const known = declarations.find((each) => each.name === `${name}:${parts.join('.')}`)?.text;
  return known ?? (name === 'ref' ? (parts.at(-1) ?? '') : parts.join('.'));
}

function unsupported(name: string): { readonly message: string; readonly hint: string } {
  const asks = entry(ASKS_DATABASE, name.split('.').at(-1) ?? '');
  const reason = asks === undefined ? 'is not supported' : `${asks}, which dbt asks of the database`;
  return { message: `The macro ${name} ${reason}`, hint: COMPILE };
}
