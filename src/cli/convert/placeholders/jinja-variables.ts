// The variables of a template, `{% set x = … %}`: those that a part sets are not known after it.
import { filtered, type TemplateExpression } from './expression.ts';

export interface Variables {
  /** Undefined: its value is not known. */
  readonly set: (name: string, value: TemplateExpression | undefined) => void;
  /** The expression with the values of its variables. */
  readonly resolve: (expression: TemplateExpression) => TemplateExpression;
  /** A part that depends on a condition begins. */
  readonly enter: (condition: TemplateExpression | undefined) => void;
  /** Its next alternative begins. */
  readonly next: () => void;
  readonly leave: () => void;
}

type Known = ReadonlyMap<string, TemplateExpression>;

interface VariablesLevel {
  /** The variables before the part. */
  readonly before: Known;
  readonly changed: Set<string>;
  /** The name that the part asks for, as in `not defined(x)`. */
  readonly absent: string | undefined;
  hasAlternatives: boolean;
}

const MAX_VARIABLES = 200;
/** The values of variables can contain each other: their size would double with each. */
const MAX_NODES = 400;

export function createVariables(): Variables {
  let known: Known = new Map();
  const levels: VariablesLevel[] = [];
  const change = (name: string, value: TemplateExpression): void => {
    if (known.size < MAX_VARIABLES || known.has(name)) known = new Map(known).set(name, value);
  };
  return {
    resolve: (expression) => (known.size === 0 ? expression : substituted(expression, known)),
    set: (name, value) => {
      levels.at(-1)?.changed.add(name);
      const resolved = value && substituted(value, known);
      change(name, resolved === undefined || sizeOf(resolved) > MAX_NODES ? unknown(name) : resolved);
    },
    enter: (condition) => {
      levels.push({
        before: known,
        changed: new Set(),
        absent: absentName(condition),
        hasAlternatives: false,
      });
    },
    next: () => {
      const level = levels.at(-1);
      if (level === undefined) return;
      level.hasAlternatives = true;
      known = level.before;
    },
    leave: () => {
      const level = levels.pop();
      if (level === undefined) return;
      const inside = known;
      known = level.before;
      for (const name of level.changed) {
        levels.at(-1)?.changed.add(name);
        const value = inside.get(name);
        const isDefault = !level.hasAlternatives && level.absent === name && value?.kind === 'literal';
        change(
          name,
          isDefault
            ? { kind: 'filter', of: { kind: 'name', name }, name: 'default', args: [value] }
            : unknown(name),
        );
      }
    },
  };
}

/** An expression that no tool knows. */
function unknown(name: string): TemplateExpression {
  return { kind: 'element', of: { kind: 'name', name } };
}

/** The name in `not defined(x)` and `x is none`. */
function absentName(condition: TemplateExpression | undefined): string | undefined {
  if (condition?.kind === 'test' && !condition.isNot && /^(undefined|none)$/.test(condition.name))
    return condition.of.kind === 'name' ? condition.of.name : undefined;
  const of = condition?.kind === 'not' ? condition.of : undefined;
  if (of?.kind === 'name') return of.name;
  if (of?.kind === 'test' && !of.isNot && of.name === 'defined')
    return of.of.kind === 'name' ? of.of.name : undefined;
  if (of?.kind !== 'call' || of.of.kind !== 'name' || of.of.name !== 'defined') return undefined;
  const [asked] = of.args;
  return asked?.kind === 'name' ? asked.name : undefined;
}

function substituted(expression: TemplateExpression, known: Known): TemplateExpression {
  const each = (inner: TemplateExpression): TemplateExpression => substituted(inner, known);
  switch (expression.kind) {
    case 'name':
      return known.get(expression.name) ?? expression;
    case 'attribute': {
      const path =
        expression.of.kind === 'name' ? known.get(`${expression.of.name}.${expression.name}`) : undefined;
      return path ?? { ...expression, of: each(expression.of) };
    }
    case 'literal':
    case 'dict':
      return expression;
    case 'list':
      return { ...expression, items: expression.items.map(each) };
    case 'element':
    case 'test':
    case 'not':
      return { ...expression, of: each(expression.of) };
    case 'call': {
      const named = new Map([...expression.named].map(([name, value]) => [name, each(value)] as const));
      const of =
        expression.of.kind === 'attribute' ? { ...expression.of, of: each(expression.of.of) } : expression.of;
      return { kind: 'call', of, args: expression.args.map(each), named };
    }
    case 'filter':
      // The default of a variable is for the parameter of the same name.
      return expression.name === 'default' && expression.of.kind === 'name'
        ? expression
        : filtered({ ...expression, of: each(expression.of), args: expression.args.map(each) });
    case 'binary':
      return { ...expression, left: each(expression.left), right: each(expression.right) };
  }
}

function sizeOf(expression: TemplateExpression): number {
  switch (expression.kind) {
    case 'name':
    case 'literal':
    case 'dict':
      return 1;
    case 'list':
      return sum(expression.items);
    case 'attribute':
    case 'element':
    case 'test':
    case 'not':
      return 1 + sizeOf(expression.of);
    case 'call':
      return sum([expression.of, ...expression.args, ...expression.named.values()]);
    case 'filter':
      return sum([expression.of, ...expression.args]);
    case 'binary':
      return sum([expression.left, expression.right]);
  }
}

function sum(expressions: readonly TemplateExpression[]): number {
  return expressions.reduce((total, each) => total + sizeOf(each), 1);
}
