// Writes the tree of a template as SQL, with parameters for its values and conditions for its optional parts.
import { renderChoice, renderOptional } from './choice.ts';
import { conditionParts, testedValues } from './conditions.ts';
import { createNames } from './names.ts';
import { valuesOf, type Condition, type Node, type NodeSource, type Part, type Value } from './nodes.ts';
import {
  emit,
  lose,
  note,
  renderParts,
  renderUse,
  type Rendering,
  type Sink,
  type Span,
} from './rendering.ts';
import { createPosition } from './sql-outline.ts';
import { renderString } from './string-literals.ts';

/** Writes all nodes. */
export function renderTemplate(
  source: NodeSource,
  nodes: readonly Node[],
): { readonly sink: Sink; readonly rendering: Rendering } {
  const rendering = createRendering(source, nodes);
  const sink: Sink = { fragments: [], position: createPosition(source.dialect), guards: new Set() };
  renderNodes(nodes, sink, rendering);
  return { sink, rendering };
}

function createRendering(source: NodeSource, nodes: readonly Node[]): Rendering {
  const rendering: Rendering = {
    source,
    names: createNames(),
    withDefaultsInPlace: defaultsInPlace(nodes),
    notes: [],
    lost: new Map(),
    depth: 0,
    render: (inner, sink) => renderNodes(inner, sink, rendering),
  };
  return rendering;
}

function renderNodes(nodes: readonly Node[], sink: Sink, rendering: Rendering): void {
  for (const [index, node] of nodes.entries()) renderNode(node, { sink, rendering, next: nodes[index + 1] });
}

interface NodeContext {
  readonly sink: Sink;
  readonly rendering: Rendering;
  readonly next: Node | undefined;
}

function renderNode(node: Node, { sink, rendering, next }: NodeContext): void {
  const { text } = rendering.source;
  switch (node.kind) {
    case 'text':
      renderText(text.slice(node.start, node.end), node.start, sink);
      return;
    case 'item':
      renderItem(node.item, node, sink, rendering);
      return;
    case 'string':
      renderString(node, { sink, rendering, next });
      return;
    case 'choice':
      renderChoice(node, sink, rendering);
      return;
    case 'optional':
      renderOptional(node, sink, rendering);
      return;
    case 'unsupported':
      lose(node, node, sink, rendering);
  }
}

function renderText(text: string, at: number, sink: Sink): void {
  const cut = sink.cutNext?.exec(text)?.[0].length ?? 0;
  sink.cutNext = undefined;
  emit(sink, { text: text.slice(cut), at: at + cut, isCopied: true });
}

function renderItem(
  item: Extract<Node, { kind: 'item' }>['item'],
  span: Span,
  sink: Sink,
  rendering: Rendering,
): void {
  switch (item.kind) {
    case 'value':
      renderValue(item.value, span, sink, rendering);
      return;
    case 'sql':
      if (item.note !== undefined) note(rendering, span, item.note);
      renderParts(item.parts, span, sink, rendering);
      return;
    case 'inserted':
      emit(sink, { text: item.text, at: span.start, isCopied: false });
      return;
    case 'dropped':
      if (item.note !== undefined) note(rendering, span, item.note);
      emit(sink, { text: ' ', at: span.start, isCopied: false });
      return;
    case 'lost':
      lose(item, span, sink, rendering);
  }
}

/** A placeholder in code: a value, unless the text needs a name or part of one there. */
function renderValue(value: Value, span: Span, sink: Sink, rendering: Rendering): void {
  const { text } = rendering.source;
  const { value: isExpected, clause, isItem, last, opener } = sink.position.expectation();
  const isPasted = /[\w.]/.test(text.charAt(span.start - 1)) || /[\w.]/.test(text.charAt(span.end));
  const isTable = last === 'FROM' || last === 'JOIN' || (clause === 'FROM' && last === ',');
  const isName =
    isItem &&
    (clause === 'ORDER' ||
      clause === 'GROUP' ||
      (clause === 'SELECT' && value.isRaw === true && !isNumber(value)));
  if (isTable || isPasted || isName || !isExpected) {
    const what = isTable ? 'A table' : isName ? 'A column or expression' : 'A part of the query';
    const hint = isTable
      ? 'Write one query for each table'
      : "Write out the choices, as in multiIf(@order = 'name', name, …)";
    lose(
      { message: `${what} by placeholder is not supported: parameters are values`, hint },
      span,
      sink,
      rendering,
    );
    return;
  }
  const isList = value.isRaw === true && opener === 'IN' && last === undefined;
  if (value.isAllAllowed === true && renderMembership(value, span, sink, rendering)) return;
  renderUse(isList ? { ...value, isList: true } : value, span, sink, { rendering });
  if (
    value.isRaw !== true ||
    isList ||
    isNumber(value) ||
    last === 'INTERVAL' ||
    clause === 'LIMIT' ||
    clause === 'OFFSET'
  )
    return;
  const severity = clause === 'WHERE' || clause === 'HAVING' || clause === 'ON' ? 'note' : 'differs';
  note(rendering, span, {
    severity,
    message: `${text.slice(span.start, span.end)} is not in quotes, so that its value can be any SQL there; as a parameter, it is one value`,
  });
}

/** A condition that begins here, up to the list after IN. */
const MEMBER =
  /(?:^|\(|\b(?:where|prewhere|and|or|on|having|when|not))\s*(?<all>(?<operand>(?:[\w.]|"[^"]*"|`[^`]*`|\([^()]*\))+)\s+(?<not>not\s+)?in\s*\(\s*)$/i;
const NO_OPERAND = /^(end|not|and|or|null)$/i;
const END_OF_LIST = /^\s*\)/;
/** How much of the SQL before a list is searched for its condition. */
const MAX_CONDITION = 300;

/** `a IN ($list)` of a list that may be empty: `(empty(:list) OR a IN (:list))`. */
function renderMembership(value: Value, span: Span, sink: Sink, rendering: Rendering): boolean {
  let before = '';
  for (let at = sink.fragments.length - 1; at >= 0 && before.length < MAX_CONDITION; at--)
    before = (sink.fragments[at]?.text ?? '') + before;
  const { all, operand, not } = MEMBER.exec(before.slice(-MAX_CONDITION))?.groups ?? {};
  const isEnd = END_OF_LIST.test(rendering.source.text.slice(span.end, span.end + 100));
  if (all === undefined || operand === undefined || NO_OPERAND.test(operand) || !isEnd) return false;
  cutEnd(sink, all.length);
  sink.position.add(')'); // the parenthesis after IN, which is written again
  sink.cutNext = END_OF_LIST;
  const use = { kind: 'value', value, isAsked: true } as const;
  const membership = not === undefined ? ' IN (' : ' NOT IN (';
  const parts: readonly Part[] = [
    '(',
    { kind: 'function', name: 'empty' },
    '(',
    use,
    ') OR ',
    operand,
    membership,
    use,
    '))',
  ];
  renderParts(parts, span, sink, rendering);
  return true;
}

function cutEnd({ fragments }: Sink, length: number): void {
  let left = length;
  for (let last = fragments.pop(); last !== undefined; last = fragments.pop()) {
    if (last.text.length > left) {
      fragments.push({ ...last, text: last.text.slice(0, last.text.length - left) });
      return;
    }
    left -= last.text.length;
    if (left === 0) return;
  }
}

function isNumber({ type = '', default: value }: Value): boolean {
  return /^U?Int|^Float|^Decimal|^Bool/.test(type) || typeof value === 'number';
}

/** Names with a default that must not be the parameter's. */
function defaultsInPlace(nodes: readonly Node[]): ReadonlySet<string> {
  const found = new Set<string>();
  const defaults = new Map<string, string>();
  const see = ({ name, default: value }: Value): void => {
    if (value === undefined) return;
    const text = JSON.stringify(value);
    if (defaults.has(name) && defaults.get(name) !== text) found.add(name);
    defaults.set(name, text);
  };
  visit(nodes, {
    value: see,
    condition: (condition) => {
      for (const part of conditionParts(condition))
        if (typeof part === 'object' && part.kind === 'value') see(part.value);
      for (const value of testedValues(condition)) if (value.default === undefined) found.add(value.name);
    },
  });
  return found;
}

/** Calls for each value and condition, in order. */
function visit(
  nodes: readonly Node[],
  calls: { readonly value: (value: Value) => void; readonly condition: (condition: Condition) => void },
): void {
  for (const node of nodes) {
    if (node.kind === 'item') for (const value of valuesOf(node.item)) calls.value(value);
    else if (node.kind === 'string') visit(node.parts, calls);
    else if (node.kind === 'optional') visit(node.body, calls);
    else if (node.kind === 'choice')
      for (const { when, body } of node.arms) {
        calls.condition(when);
        visit(body, calls);
      }
  }
}
