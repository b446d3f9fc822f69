// Values in the Jinja of several tools.
import { constantOf, type TemplateExpression } from './expression.ts';
import { isRawIn } from './jinja.ts';
import { valueOf, type Item, type Value } from './nodes.ts';
import type { Mark, RegionKind } from './source-lexer.ts';
import type { Declaration } from './template.ts';

type TemplateCall = Extract<TemplateExpression, { kind: 'call' }>;

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

export function unfiltered(expression: TemplateExpression): TemplateExpression {
  return expression.kind === 'filter' && HARMLESS.has(expression.name)
    ? unfiltered(expression.of)
    : expression;
}

export function valueItem(value: Value | undefined, inside: RegionKind): Item | undefined {
  return value && { kind: 'value', value: { ...value, ...isRawIn(inside) } };
}

/** The parameter that a call names: `var('name', default)`. */
export function argumentOf({ args, named }: TemplateCall): Value | undefined {
  const name = constantOf(args[0]);
  const fallback = constantOf(named.get('default') ?? args[1]);
  if (typeof name !== 'string') return undefined;
  return { name, ...(fallback === undefined ? {} : { default: fallback }) };
}

export function declaredOr(name: string, declarations: readonly Declaration[]): Value {
  const found = declarations.find((each) => each.name === name);
  if (found === undefined) return { name };
  return valueOf(found);
}

/** Functions that read times from strings only: the tools write all values as strings. */
const TEXT_ONLY = /\b(parseDateTime\w*|toDate\w*Or(Null|Zero|Default))\(\s*'?$/i;

/** The item as a text, if it is a time that such a function reads. */
export function asTextIn(text: string, { start }: Mark, item: Item): Item {
  const isTime = item.kind === 'value' && item.value.type?.startsWith('Date') === true;
  return isTime && TEXT_ONLY.test(text.slice(Math.max(0, start - 60), start))
    ? { kind: 'sql', parts: ['toString(', { kind: 'value', value: item.value }, ')'] }
    : item;
}
