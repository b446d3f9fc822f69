// Tinybird's templates: {{String(name, 'default', description='…')}}, {% if defined(name) %} … {% end %}.
// Source: https://www.tinybird.co/docs/cli/advanced-templates and /docs/cli/template-functions
import { calledName, constantOf, type TemplateExpression } from '../../placeholders/expression.ts';
import { jinjaSyntax } from '../../placeholders/jinja.ts';
import type { Condition, Item, Syntax, Value } from '../../placeholders/nodes.ts';
import type { Declaration } from '../../placeholders/template.ts';

type Call = Extract<TemplateExpression, { kind: 'call' }>;

const TYPE =
  /^(String|Boolean|U?Int(8|16|32|64|128|256)|Float(32|64)|Decimal(32|64|128|256)?|Date|Date32|DateTime|DateTime64|UUID|Symbol|JSON|Array)$/;
const TYPES: ReadonlyMap<string, string> = new Map([
  ['Boolean', 'Bool'],
  ['DateTime64', 'DateTime64(3)'],
  ['Decimal', 'Float64'],
  ['Decimal32', 'Decimal32(4)'],
  ['Decimal64', 'Decimal64(8)'],
  ['Decimal128', 'Decimal128(12)'],
  ['Decimal256', 'Decimal256(12)'],
  ['JSON', 'String'],
]);
const NAMES: ReadonlySet<string> = new Set(['column', 'columns', 'symbol', 'table', 'Symbol']);

export function tinybirdSyntax(text: string, declarations: readonly Declaration[]): Syntax {
  const typed = typedNames(text);
  const value = (expression: TemplateExpression): Value | undefined => {
    if (expression.kind === 'call') return declared(expression);
    if (expression.kind !== 'name') return undefined;
    return typed.get(expression.name) ?? { name: expression.name };
  };
  const syntax = jinjaSyntax(text, {
    output: (expression) => output(expression, typed, declarations),
    value,
    condition: (expression): Condition | undefined => {
      if (expression.kind !== 'call' || calledName(expression) !== 'defined') return undefined;
      const [name] = expression.args;
      const found = name?.kind === 'literal' ? { name: String(name.value) } : name && value(name);
      if (found === undefined) return undefined;
      const { default: _, ...asked } = found; // whether it is sent, whatever its default
      return { kind: 'given', value: asked };
    },
  });
  const first = /^\s*%[ \t]*(?=\r?\n|$)/.exec(text)?.[0]; // marks a template
  if (first === undefined) return syntax;
  return {
    markEnd: (source, at, inside) => (at === 0 ? first.length : syntax.markEnd(source, at, inside)),
    interpret: (mark, inside) => (mark.start === 0 ? { kind: 'dropped' } : syntax.interpret(mark, inside)),
  };
}

function output(
  expression: TemplateExpression,
  typed: ReadonlyMap<string, Value>,
  declarations: readonly Declaration[],
): Item | undefined {
  const name = calledName(expression);
  if (expression.kind === 'name') {
    const text = declarations.find((each) => each.name === expression.name)?.text;
    if (text !== undefined) return { kind: 'inserted', text };
    return { kind: 'value', value: typed.get(expression.name) ?? { name: expression.name } };
  }
  const constant = constantOf(expression);
  if (typeof constant === 'string' || typeof constant === 'number')
    return { kind: 'sql', parts: [{ kind: 'literal', value: constant }] };
  if (expression.kind !== 'call' || name === undefined) return undefined;
  if (NAMES.has(name))
    return {
      kind: 'lost',
      message: `${name}(…) makes a name from a placeholder: parameters are values`,
      hint: "Write out the choices, as in multiIf(@order = 'name', name, …)",
    };
  if (name === 'max_threads' || name === 'backend_hint') return { kind: 'dropped' };
  if (name === 'error' || name === 'custom_error')
    return {
      kind: 'dropped',
      note: {
        severity: 'differs',
        message: `${name}(…) is left out: declare the parameter required, or with enum, min or max`,
      },
    };
  if (name === 'split_to_array') return { kind: 'value', value: splitValue(expression) };
  const value = declared(expression);
  return value && { kind: 'value', value };
}

function splitValue({ args, named }: Call): Value {
  const [of, fallback] = args;
  const inner = of?.kind === 'call' ? declared(of) : undefined;
  const name = inner?.name ?? (of?.kind === 'name' ? of.name : 'values');
  const value = constantOf(named.get('default') ?? fallback) ?? inner?.default;
  return { ...inner, name, type: 'String', isList: true, ...(value === undefined ? {} : { default: value }) };
}

/** `Type(name, default, description='…', required=True, enum=[…], example='…')`. */
function declared(call: Call): Value | undefined {
  const type = calledName(call);
  const [first, ...rest] = call.args;
  if (type === undefined || !TYPE.test(type) || first === undefined) return undefined;
  const name =
    first.kind === 'name' ? first.name : first.kind === 'literal' ? String(first.value) : undefined;
  if (name === undefined) return undefined;
  const isList = type === 'Array';
  const element = isList ? constantOf(rest[0]) : undefined;
  const positional = isList ? rest[1] : rest[0];
  const fallback = constantOf(call.named.get('default') ?? positional);
  const choices = constantOf(call.named.get('enum'));
  const description = constantOf(call.named.get('description'));
  const example = constantOf(call.named.get('example'));
  const base = isList ? (typeof element === 'string' && element !== '' ? element : 'String') : type;
  return {
    name,
    type: TYPES.get(base) ?? base,
    ...(isList ? { isList } : {}),
    ...(fallback === undefined || fallback === '' ? {} : { default: fallback }),
    ...(fallback === '' && type === 'String' ? { required: false } : {}),
    ...(typeof choices === 'object' ? { enum: choices } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(example === undefined ? {} : { example }),
    ...(constantOf(call.named.get('required')) === true ? { required: true } : {}),
  };
}

/** Names that are typed somewhere in the text, for places that use the bare name. */
function typedNames(text: string): ReadonlyMap<string, Value> {
  const found = new Map<string, Value>();
  for (const [, type = '', name = ''] of text.matchAll(/\b([A-Z][A-Za-z0-9]*)\(\s*(\w+)\s*[,)]/g)) {
    if (!TYPE.test(type) || found.has(name)) continue;
    found.set(name, { name, ...(type === 'Array' ? { isList: true } : { type: TYPES.get(type) ?? type }) });
  }
  return found;
}
