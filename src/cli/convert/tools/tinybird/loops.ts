// Loops whose passes write conditions, as one condition over all elements: `{% for x in JSON(xs) %} AND a = {{ x }} {% end %}` becomes
// `AND arrayAll(x -> a = JSONExtractString(x), JSONExtractArrayRaw({{ JSON(xs) }}))`.
import { calledName, type TemplateExpression } from '../../placeholders/expression.ts';
import {
  createPosition,
  hasClause,
  outlineOf,
  precedesCondition,
  type SqlPosition,
} from '../../placeholders/sql-outline.ts';
import { composed, type Unrolled } from '../../placeholders/unroll.ts';
import { readLoops, type LoopArm, type LoopNode, type TemplateLoop } from './loop-tree.ts';
import {
  elementsIn,
  listOf,
  outputOf,
  usesVariables,
  writtenCondition,
  type LoopScope,
} from './loop-values.ts';

/** The text with conditions in place of such loops; undefined if it has none. */
export function withLoopConditions(text: string): Unrolled | undefined {
  const pieces: { text: string; at: number; isCopied: boolean }[] = [];
  let at = 0;
  for (const loop of readLoops(text)) {
    const written = conditionsOf(loop, text);
    if (typeof written !== 'string') continue;
    pieces.push(
      { text: text.slice(at, loop.start), at, isCopied: true },
      { text: written, at: loop.start, isCopied: false },
    );
    at = loop.end;
  }
  return pieces.length === 0
    ? undefined
    : composed([...pieces, { text: text.slice(at), at, isCopied: true }]);
}

/** Why the loop that begins at this offset is no condition; undefined if there is no such loop. */
export function loopReason(text: string, start: number): string | undefined {
  const loop = readLoops(text).find((each) => each.start === start);
  const written = loop && conditionsOf(loop, text);
  return typeof written === 'object' ? written.reason : undefined;
}

interface Unwritten {
  readonly reason: string;
}

type LoopCondition = string | Unwritten;

/** A condition that is added to those before it. */
interface Added {
  readonly operator: 'AND' | 'OR';
  readonly condition: string;
}

function conditionsOf(loop: TemplateLoop, text: string): LoopCondition {
  if (loop.names.length > 1) return { reason: COUNTED };
  const list = parameterOf(loop.list);
  if (list === undefined) return { reason: 'Its list is neither JSON(…) nor split_to_array(…)' };
  const place = placeReason(text.slice(0, loop.start));
  if (place !== undefined) return { reason: place };
  const added = overElements(loop, list, { elements: new Map(), set: new Map() });
  if ('reason' in added) return added;
  const { operator, condition } = added;
  if (list.json === undefined) return `${operator} ${condition}`;
  const check = `throwIf(JSONType(${list.json}) != 'Array', '${list.name} is not a JSON array')`;
  return operator === 'AND' ? `AND NOT ${check} AND ${condition}` : `OR ${check} OR ${condition}`;
}

const COUNTED = 'It counts its passes';

interface LoopList {
  readonly name: string;
  /** An expression of SQL. */
  readonly array: string;
  /** The placeholder of a parameter with JSON. */
  readonly json?: string;
}

function parameterOf(list: TemplateExpression | undefined): LoopList | undefined {
  const name = list && calledName(list);
  if (list?.kind !== 'call' || (name !== 'JSON' && name !== 'split_to_array')) return undefined;
  const [of, fallback] = list.args;
  const isPlain = list.args.length <= 2 && list.named.size === 0;
  const hasDefault = fallback?.kind === 'literal' && typeof fallback.value === 'string';
  if (of?.kind !== 'name' || !isPlain || (fallback !== undefined && !hasDefault)) return undefined;
  const more = hasDefault ? `, '${fallback.value.replace(/[\\']/g, String.raw`\$&`)}'` : '';
  const written = `{{ ${name}(${of.name}${more}) }}`;
  return name === 'JSON'
    ? { name: of.name, array: `JSONExtractArrayRaw(${written})`, json: written }
    : { name: of.name, array: written };
}

const TAGS = /\{\{.*?\}\}|\{[%#].*?[%#]\}/gs;

/** The brackets that are open at the end of a text, from the outermost. */
function openLevels(text: string): ReturnType<SqlPosition['levels']> {
  const position = createPosition('clickhouse');
  position.add(text.replace(TAGS, ' '));
  return position.levels();
}

/** Why no condition can be here. In a negation, the condition of a row without a value would not be that of the template. */
function placeReason(before: string): string | undefined {
  const levels = openLevels(before);
  const at = levels.findLastIndex(({ clause }) => clause !== undefined);
  if (!precedesCondition(levels[at]?.clause)) return 'It is in no condition';
  return isNegated(levels.slice(at + 1)) ? 'It is in a negation' : undefined;
}

function isNegated(levels: ReturnType<typeof openLevels>): boolean {
  return levels.some(({ opener }) => opener === 'NOT');
}

/** The passes of a loop as one condition. */
function overElements(loop: TemplateLoop, list: LoopList, outer: LoopScope): Added | Unwritten {
  const [variable, more] = loop.names;
  if (variable === undefined || variable === '' || more !== undefined) return { reason: COUNTED };
  const name = freeName(variable, loop.body);
  const elements = new Map(outer.elements).set(variable, { name, isJson: list.json !== undefined });
  const set = new Map(outer.set);
  set.delete(variable);
  const body = writtenNodes(loop.body, { elements, set });
  const added = typeof body === 'string' ? addedBy(body) : body;
  if ('reason' in added) return added;
  const call = added.operator === 'AND' ? 'arrayAll' : 'arrayExists';
  return {
    operator: added.operator,
    condition: `${call}(${name} -> ${added.condition}, ${list.array})`,
  };
}

/** A name that no column in the body has. */
function freeName(variable: string, body: readonly LoopNode[]): string {
  let name = variable;
  while (hasWord(body, name)) name += '_';
  return name;
}

function hasWord(nodes: readonly LoopNode[], word: string): boolean {
  const pattern = new RegExp(String.raw`\b${word}\b`);
  return nodes.some((node) => {
    if (node.kind === 'text') return pattern.test(node.text);
    if (node.kind === 'for') return hasWord(node.body, word);
    return node.kind === 'if' && node.arms.some(({ body }) => hasWord(body, word));
  });
}

/** The condition that a text such as `AND a = 1` adds. */
function addedBy(text: string): Added | Unwritten {
  const [, operator = '', condition = ''] = /^\s*(AND|OR)\b\s*(.*?)\s*$/is.exec(text) ?? [];
  if (operator === '') return { reason: 'Its passes do more than add a condition' };
  const { tokens, isBalanced } = outlineOf(condition, 'clickhouse');
  if (/\bSELECT\b/i.test(condition)) return { reason: 'Its passes add subqueries' };
  const isOne = isBalanced && tokens.length > 0 && !hasClause(tokens) && !tokens.includes(',');
  const isSame = operator.toUpperCase() === 'OR' || !tokens.includes('OR');
  if (!isOne || !isSame) return { reason: 'Its passes do more than add a condition' };
  return { operator: operator.toUpperCase() === 'AND' ? 'AND' : 'OR', condition };
}

function writtenNodes(nodes: readonly LoopNode[], scope: LoopScope): LoopCondition {
  let text = '';
  const set = new Map(scope.set); // that of this part
  const inner: LoopScope = { elements: scope.elements, set };
  for (const node of nodes) {
    if (node.kind === 'set') {
      if (node.value === undefined) return { reason: `{% set ${node.name} %} is not supported` };
      set.set(node.name, resolved(node.value, inner));
      continue;
    }
    const written = writtenNode(node, text, inner);
    if (typeof written !== 'string') return written;
    text = written;
  }
  return text;
}

/** A variable that is set to another has its value of now. */
function resolved(value: TemplateExpression, { set }: LoopScope): TemplateExpression {
  return value.kind === 'name' ? (set.get(value.name) ?? value) : value;
}

/** The text before with what the node writes. */
function writtenNode(
  node: Exclude<LoopNode, { kind: 'set' }>,
  before: string,
  scope: LoopScope,
): LoopCondition {
  if (node.kind === 'text') return before + node.text;
  if (node.kind === 'output') return withOutput(before, node, scope);
  const added = node.kind === 'if' ? alternatives(node.arms, scope) : nested(node, before, scope);
  if (added === undefined) return before;
  return 'reason' in added ? added : `${before} ${added.operator} ${added.condition}`;
}

function nested(
  loop: Extract<LoopNode, { kind: 'for' }>,
  before: string,
  scope: LoopScope,
): Added | Unwritten {
  const array = loop.list && listOf(loop.list, scope);
  if (array === undefined) return { reason: 'A loop in it is over no list of the element' };
  if (isNegated(openLevels(before))) return { reason: 'A loop in it is in a negation' };
  return overElements(loop, { name: '', array }, scope);
}

function alternatives(arms: readonly LoopArm[], scope: LoopScope): Added | Unwritten | undefined {
  const found: { readonly when: string; readonly added: Added | undefined }[] = [];
  for (const { when, body } of arms) {
    const condition = when === undefined ? '' : writtenCondition(when, scope);
    if (condition === undefined) return { reason: `The condition ${(when ?? '').trim()} is not supported` };
    const text = writtenNodes(body, scope);
    if (typeof text !== 'string') return text;
    const added = text.trim() === '' ? undefined : addedBy(text);
    if (added !== undefined && 'reason' in added) return added;
    found.push({ when: condition, added });
  }
  const operators = new Set(found.flatMap(({ added }) => (added === undefined ? [] : [added.operator])));
  const [operator = 'AND'] = operators;
  if (operators.size === 0) return undefined;
  if (operators.size > 1) return { reason: 'Its alternatives add conditions with AND and with OR' };
  const neutral = operator === 'AND' ? '1' : '0';
  const isComplete = found.at(-1)?.when === '';
  const lines = [
    ...found.map(({ when, added }) => `${when === '' ? '' : `${when}, `}${added?.condition ?? neutral}`),
    ...(isComplete ? [] : [neutral]),
  ];
  if (lines.length === 2) return { operator, condition: `if(${lines.join(', ')})` };
  return { operator, condition: `multiIf(${lines.map((line) => `\n      ${line}`).join(',')})` };
}

const MEMBERSHIP = /(?<column>[\w.]+)\s+(?<not>NOT\s+)?IN\s*$/i;
const PATTERN = /\bI?LIKE\b(?:(?!\b(?:AND|OR|THEN|ELSE|AS)\b).)*$/is;

/** In a pattern, `%` of a value is a character, as in other queries of the tool. */
function withOutput(
  before: string,
  { expression, text }: Extract<LoopNode, { kind: 'output' }>,
  scope: LoopScope,
): LoopCondition {
  if (expression === undefined) return { reason: `${text} is not supported` };
  if (!usesVariables(expression, scope)) return before + text;
  const elements = elementsIn(expression, scope);
  const membership = elements === undefined ? undefined : MEMBERSHIP.exec(before);
  if (membership?.groups !== undefined) {
    const { column = '', not } = membership.groups;
    const has = `has(${elements}, ${column})`;
    const condition = not === undefined ? has : `(${column} IS NOT NULL AND NOT ${has})`;
    return before.slice(0, membership.index) + condition;
  }
  const value = elements ?? outputOf(expression, scope);
  if (value === undefined) return { reason: `${text} is not supported` };
  const isPattern = PATTERN.test(before);
  return before + (isPattern ? String.raw`replaceAll(${value}, '%', '\\%')` : value);
}
