// dbt's functions in Jinja. Source: https://docs.getdbt.com/reference/dbt-jinja-functions
import { calledName, constantOf, pathOf, type TemplateExpression } from '../../placeholders/expression.ts';
import { jinjaSyntax } from '../../placeholders/jinja.ts';
import { argumentOf, declaredOr, unfiltered, valueItem } from '../../placeholders/jinja-values.ts';
import type { Item, Syntax, Value } from '../../placeholders/nodes.ts';
import type { RegionKind } from '../../placeholders/source-lexer.ts';
import type { Declaration } from '../../placeholders/template.ts';

/** `ref`, `source`, `var` and `config`; other names are parameters. */
export function dbtSyntax(text: string, declarations: readonly Declaration[]): Syntax {
  const value = (expression: TemplateExpression): Value | undefined => {
    const name = calledName(expression);
    if (expression.kind === 'call' && (name === 'var' || name === 'env_var')) return argumentOf(expression);
    if (expression.kind !== 'name' || CONTEXT.test(expression.name)) return undefined;
    return declaredOr(expression.name, declarations);
  };
  return jinjaSyntax(text, {
    value,
    output: (expression, inside) =>
      dbtOutput(expression, { inside, declarations }) ?? valueItem(value(unfiltered(expression)), inside),
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
  if (path !== undefined && CONTEXT.test(path))
    return { kind: 'lost', message: `{{ ${path} }} is not supported`, hint: 'Write what it produces' };
  const constant = constantOf(expression);
  return typeof constant === 'string' || typeof constant === 'number'
    ? { kind: 'inserted', text: String(constant) }
    : undefined;
}
