// Jinja and the templates that look like it: `{{ … }}`, `{% … %}` and `{# … #}`.
import { filtered, type TemplateExpression, constantOf, readExpression } from './expression.ts';
import { conditionParts } from './conditions.ts';
import { toCondition, type JinjaTool } from './jinja-conditions.ts';
import { ALWAYS, type Item, type Part, type Syntax, type Value } from './nodes.ts';
import type { MarkEnd, RegionKind } from './source-lexer.ts';

const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['{{', '}}'],
  ['{%', '%}'],
  ['{#', '#}'],
]);
const MAX_MARK = 10_000;

/** Most characters that are searched for the ends of all tags of a text: each search can be in vain. */
const MAX_SEARCHED = 5_000_000;

/** The end of a tag that begins at `at`; strings inside may contain its closing delimiter. */
function createMarkEnd(): MarkEnd {
  let left = MAX_SEARCHED;
  return (text, at) => {
    const close = text[at] === '{' ? CLOSERS.get(text.slice(at, at + 2)) : undefined;
    if (close === undefined || left < 0) return undefined;
    const inner = text.slice(at + 2, at + MAX_MARK);
    const found = close === '#}' ? endOf(inner.indexOf(close), at) : tagEnd(inner, close, at);
    left -= found === undefined ? inner.length : found - at;
    return found;
  };
}

/** Braces of a dictionary inside do not close the tag. */
function tagEnd(inner: string, close: string, at: number): number | undefined {
  let quote: string | undefined;
  let depth = 0;
  for (let index = 0; index < inner.length; index++) {
    const char = inner[index];
    if (quote !== undefined) {
      if (char === '\\') index++;
      else if (char === quote) quote = undefined;
    } else if (depth === 0 && inner.startsWith(close, index)) return endOf(index, at);
    else if (char === "'" || char === '"') quote = char;
    else if (char === '{') depth++;
    else if (char === '}' && depth > 0) depth--;
  }
  return endOf(inner.indexOf(close), at); // an apostrophe, not a string
}

function endOf(index: number, at: number): number | undefined {
  return index < 0 ? undefined : at + 2 + index + 2;
}

export function jinjaSyntax(text: string, tool: JinjaTool): Syntax {
  const variables = createVariables();
  const resolved = variables.resolve;
  const value = (expression: TemplateExpression): Value | undefined => {
    if (expression.kind !== 'filter' || expression.name !== 'default') return tool.value(expression);
    const [found, fallback] = [value(expression.of), constantOf(expression.args[0])];
    return found && { ...found, ...(fallback === undefined ? {} : { default: fallback }) };
  };
  const reader: TagReader = {
    tool: {
      output: (expression, inside) => tool.output(resolved(expression), inside),
      value: (expression) => value(resolved(expression)),
      condition: (expression) => tool.condition?.(resolved(expression)),
    },
    variables,
  };
  return {
    markEnd: createMarkEnd(),
    interpret: (mark, inside) => {
      const source = text.slice(mark.start, mark.end);
      const item = interpret(source, reader, inside);
      follow(item, source, variables);
      return item;
    },
  };
}

/** Variables that are set in a part belong to that part. */
function follow(item: Item, source: string, variables: Variables): void {
  if (item.kind === 'open' || item.kind === 'loop') variables.enter(conditionOf(source));
  else if (item.kind === 'elif' || item.kind === 'else') variables.next();
  else if (item.kind === 'close') variables.leave();
}

function conditionOf(source: string): TemplateExpression | undefined {
  const [, written = ''] = /^\{%[-+]?\s*if\b(.*?)[-+]?%\}$/s.exec(source) ?? [];
  return readExpression(written);
}

interface TagReader {
  readonly tool: JinjaTool;
  readonly variables: Variables;
}

function interpret(source: string, reader: TagReader, inside: RegionKind): Item {
  if (source.startsWith('{#')) return { kind: 'dropped' };
  const content = source
    .slice(2, -2)
    .replace(/^[-+~]|[-+~]$/g, '')
    .trim();
  if (source.startsWith('{%')) return readTag(content, reader);
  const expression = readExpression(content);
  const item = expression && (reader.tool.output(expression, inside) ?? computed(expression, reader, inside));
  return item ?? { kind: 'lost', message: `{{ ${shortened(content)} }} is not supported`, hint: COMPUTED };
}

/** Arithmetic with values, and conditions: `{{ Int32(page) * 20 }}`, `{{ defined(x) }}`. */
function computed(
  written: TemplateExpression,
  { tool, variables }: TagReader,
  inside: RegionKind,
): Item | undefined {
  if (inside !== 'code') return undefined;
  const expression = variables.resolve(written);
  const parts = arithmetic(expression, tool);
  if (parts !== undefined) return { kind: 'sql', parts };
  const isCondition = expression.kind === 'call' || expression.kind === 'binary' || expression.kind === 'not';
  const condition = isCondition ? toCondition(expression, tool) : undefined;
  return condition && { kind: 'sql', parts: ['(', ...conditionParts(condition), ')'] };
}

function arithmetic(expression: TemplateExpression, tool: JinjaTool): readonly Part[] | undefined {
  if (expression.kind === 'literal')
    return typeof expression.value === 'number' ? [String(expression.value)] : undefined;
  if (expression.kind !== 'binary') {
    const value = tool.value(expression);
    return value && [{ kind: 'value', value }];
  }
  if (!/^[+*-]$/.test(expression.operator)) return undefined;
  const [left, right] = [arithmetic(expression.left, tool), arithmetic(expression.right, tool)];
  return left && right && ['(', ...left, ` ${expression.operator} `, ...right, ')'];
}

const COMPUTED = 'Write what it produces, or pass it as a parameter';

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

function readTag(content: string, reader: TagReader): Item {
  const [, word = '', rest = ''] = /^(\w+)\s*(.*)$/s.exec(content) ?? [];
  switch (word.toLowerCase()) {
    case 'if':
      return opening('open', rest, reader);
    case 'elif':
    case 'elseif':
    case 'elsif':
      return opening('elif', rest, reader);
    case 'else':
      return { kind: 'else' };
    case 'end':
    case 'endif':
    case 'endfor':
    case 'endset':
    case 'endmacro':
    case 'endcall':
    case 'endfilter':
    case 'endraw':
    case 'endwith':
    case 'endwhile':
    case 'endsnapshot':
      return { kind: 'close' };
    case 'set':
      return setting(rest, reader);
    case 'comment':
    case 'import':
    case 'from':
    case 'do':
      return { kind: 'dropped', note: { severity: 'note', message: `{% ${word} %} is left out` } };
    default:
      return block(word);
  }
}

/** The queries that loops usually write. */
const LOOP =
  'Write its conditions over all values at once: has(@list, x), arrayAll(v -> …, @list), or arrayAll(v -> …, JSONExtractArrayRaw(@json)) for a parameter with JSON';

const BLOCKS: ReadonlySet<string> = new Set([
  'for',
  'macro',
  'call',
  'filter',
  'raw',
  'with',
  'while',
  'snapshot',
]);

function block(word: string): Item {
  const isLoop = word === 'for' || word === 'while';
  const message = isLoop
    ? 'A loop over the values of a parameter, or of a result, is not supported'
    : `{% ${word} %} is not supported`;
  const hint = isLoop ? LOOP : 'Write what it produces';
  return BLOCKS.has(word) ? { kind: 'loop', message, hint } : { kind: 'lost', message, hint };
}

function setting(rest: string, { variables }: TagReader): Item {
  const [, name = '', source] = /^([\w.]+)\s*=\s*(.*)$/s.exec(rest) ?? [];
  if (source === undefined)
    return { kind: 'loop', message: '{% set %} of a block is not supported', hint: COMPUTED };
  variables.set(name, readExpression(source));
  return { kind: 'dropped' };
}

function opening(kind: 'open' | 'elif', text: string, { tool, variables }: TagReader): Item {
  const expression = readExpression(text);
  const when = expression && toCondition(variables.resolve(expression), tool);
  if (when !== undefined) return { kind, when };
  const message = `The condition ${shortened(text)} is not supported`;
  // The alternatives after it are part of what is not converted.
  return kind === 'open' ? { kind: 'loop', message } : { kind: 'elif', when: ALWAYS, lost: { message } };
}

/** Returns whether an output in this region is inserted as SQL. */
export function isRawIn(inside: RegionKind): { readonly isRaw?: true } {
  return inside === 'code' ? { isRaw: true } : {};
}

interface Variables {
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

function createVariables(): Variables {
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
