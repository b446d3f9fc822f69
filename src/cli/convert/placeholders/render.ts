// Writes the tree of a template as SQL, with parameters for its values and conditions for its optional parts.
import { renderChoice, renderOptional } from './choice.ts';
import { CHOICES, renderName } from './closed-choice.ts';
import { conditionParts, isOfNumbers, testedValues } from './conditions.ts';
import { answeredArms, demandsOf } from './demands.ts';
import { renderInterval, type StringContext } from './interval.ts';
import { lifted } from './lift.ts';
import { renderMembership } from './item-list.ts';
import { createNames } from './names.ts';
import { valuesOf, type Condition, type Node, type NodeSource, type Value } from './nodes.ts';
import {
  emit,
  lose,
  note,
  rejected,
  renderParts,
  renderUse,
  type Rendering,
  type Sink,
  type Span,
} from './rendering.ts';
import type { Fragment } from './output.ts';
import { createPosition, precedesCondition } from './sql-outline.ts';
import { renderString } from './string-literals.ts';

interface Rendered {
  readonly sink: Sink;
  readonly rendering: Rendering;
}

/** Most choices that become choices of the queries around them. */
const MAX_LIFTED = 3;

/** Writes all nodes. If alternatives have no form, those of the query around them may have one. */
export function renderTemplate(source: NodeSource, nodes: readonly Node[]): Rendered {
  let written = nodes;
  let found = renderUnmixed(source, nodes);
  for (let count = 0; count < MAX_LIFTED && source.dialect === 'clickhouse'; count++) {
    const [at] = found.rendering.failed;
    const next = at === undefined ? undefined : lifted(written, at, source);
    if (next === undefined) break;
    const rendered = renderUnmixed(source, next);
    if (rendered.rendering.failed.size >= found.rendering.failed.size) break;
    [written, found] = [next, rendered];
  }
  return found;
}

/** A parameter that would be a choice and something else, too, is no choice. */
function renderUnmixed(source: NodeSource, nodes: readonly Node[]): Rendered {
  const first = renderOnce(source, nodes, new Set());
  const mixed = mixedChoices(first.sink.fragments);
  return mixed.size === 0 ? first : renderOnce(source, nodes, mixed);
}

function renderOnce(source: NodeSource, nodes: readonly Node[], notChoices: ReadonlySet<string>): Rendered {
  const rendering = createRendering(source, nodes, notChoices);
  const sink: Sink = { fragments: [], position: createPosition(source.dialect), guards: new Set() };
  renderNodes(nodes, sink, rendering);
  return { sink, rendering };
}

/** Names of values that are choices, and values or other choices, too. */
function mixedChoices(fragments: readonly Fragment[]): ReadonlySet<string> {
  const uses = fragments.flatMap(({ use }) => (use === undefined ? [] : [use]));
  const shapes = new Map<string, Set<string>>();
  for (const { value, isCondition } of uses) {
    if (isCondition === true) continue;
    const shape = JSON.stringify(value.choices ?? null);
    shapes.set(value.name, (shapes.get(value.name) ?? new Set()).add(shape));
  }
  return new Set([...shapes].filter(([, { size }]) => size > 1).map(([name]) => name));
}

function createRendering(
  source: NodeSource,
  nodes: readonly Node[],
  notChoices: ReadonlySet<string>,
): Rendering {
  const demands = demandsOf(source.text, nodes);
  const rendering: Rendering = {
    source,
    names: createNames(),
    withDefaultsInPlace: defaultsInPlace(source.text, nodes),
    notes: [],
    lost: new Map(),
    failed: new Set(),
    demands,
    notChoices,
    limits: new Map(),
    depth: 0,
    parts: 0,
    render: (inner, sink) => renderNodes(inner, sink, rendering),
  };
  return rendering;
}

function renderNodes(nodes: readonly Node[], sink: Sink, rendering: Rendering): void {
  for (const [index, node] of nodes.entries()) renderNode(node, { sink, rendering, next: nodes[index + 1] });
}

function renderNode(node: Node, { sink, rendering, next }: StringContext): void {
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
    case 'name':
      renderName(item, span, sink, rendering);
      return;
    case 'reject':
      rejected(item, span, sink, rendering);
      return;
    case 'lost':
      lose(item, span, sink, rendering);
  }
}

/** A placeholder in code: a value, unless the text needs a name or part of one there. */
function renderValue(written: Value, span: Span, sink: Sink, rendering: Rendering): void {
  const value = withNumber(written);
  const { text } = rendering.source;
  const { value: isExpected, clause, isItem, last, opener } = sink.position.expectation();
  const isPasted = /[\w.]/.test(text.charAt(span.start - 1)) || /[\w.]/.test(text.charAt(span.end));
  const isTable = last === 'FROM' || last === 'JOIN' || (clause === 'FROM' && last === ',');
  const isName =
    isItem &&
    (clause === 'ORDER' ||
      clause === 'GROUP' ||
      (clause === 'SELECT' && value.isRaw === true && !isNumber(value)));
  // A name of a list in the tool is a choice.
  if ((isTable || isName) && !isPasted && value.isRaw === true && value.enum !== undefined)
    return renderName({ kind: 'name', value, what: text.slice(span.start, span.end) }, span, sink, rendering);
  if ((isTable || isPasted) && value.isRaw === true && /^\w*$/.test(value.saved ?? '-'))
    return renderSaved(value, span, sink, rendering);
  if (isTable || isPasted || isName || !isExpected) {
    const what = isTable ? 'A table' : isName ? 'A column or expression' : 'A part of the query';
    lose(
      { message: `${what} by placeholder is not supported: parameters are values`, hint: CHOICES },
      span,
      sink,
      rendering,
    );
    return;
  }
  if (
    value.isRaw === true &&
    value.type !== 'Bool' &&
    isWholeCondition(last, text.slice(span.end, span.end + 100))
  )
    return lose(
      { message: 'A condition by placeholder is not supported: parameters are values' },
      span,
      sink,
      rendering,
    );
  if (last === 'INTERVAL' && !/^(mysql|mariadb)$/.test(rendering.source.dialect))
    return renderInterval(value, span, sink, rendering);
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

/** Writes a name, or a part of one, as it was when the source was saved. */
function renderSaved({ name, saved = '' }: Value, span: Span, sink: Sink, rendering: Rendering): void {
  note(rendering, span, {
    severity: 'differs',
    message: `A name is made of ${name}, which has its saved value here, ${JSON.stringify(saved)}: calls do not choose another`,
    hint: CHOICES,
  });
  emit(sink, { text: saved, at: span.start, isCopied: false });
}

/** Returns whether a condition stands here, and nothing else of it. */
function isWholeCondition(last: string | undefined, after: string): boolean {
  return (
    precedesCondition(last) && /^\s*($|[);\]]|\{[%{]|(and|or|group|order|limit|having|union)\b)/i.test(after)
  );
}

/** A value that is inserted as SQL, and of which all known values are numbers, is a number. */
function withNumber(value: Value): Value {
  const { isRaw, isList, type = 'String', default: fallback, example, enum: values = [] } = value;
  if (isRaw !== true || isList === true || type !== 'String') return value;
  const known = [fallback, example, ...values].filter((each) => each !== undefined).map(String);
  if (known.length === 0 || !known.every((each) => /^-?\d{1,15}(\.\d{1,15})?$/.test(each))) return value;
  return { ...value, type: known.some((each) => each.includes('.')) ? 'Float64' : 'Int64' };
}

function isNumber({ type, default: value }: Value): boolean {
  return isOfNumbers(type) || typeof value === 'number';
}

/** Names with a default that must not be the parameter's. */
function defaultsInPlace(source: string, nodes: readonly Node[]): ReadonlySet<string> {
  const found = new Set<string>();
  const defaults = new Map<string, string>();
  const see = ({ name, default: value }: Value): void => {
    if (value === undefined) return;
    const text = JSON.stringify(value);
    if (defaults.has(name) && defaults.get(name) !== text) found.add(name);
    defaults.set(name, text);
  };
  visit(source, nodes, {
    value: see,
    condition: (condition) => {
      for (const part of conditionParts(condition))
        if (typeof part === 'object' && part.kind === 'value') see(part.value);
      for (const value of testedValues(condition)) if (value.default === undefined) found.add(value.name);
    },
  });
  return found;
}

/** Calls for each value and condition, in order, except for those of rejected calls. */
function visit(
  text: string,
  nodes: readonly Node[],
  calls: { readonly value: (value: Value) => void; readonly condition: (condition: Condition) => void },
): void {
  for (const node of nodes) {
    if (node.kind === 'item') for (const value of valuesOf(node.item)) calls.value(value);
    else if (node.kind === 'string') visit(text, node.parts, calls);
    else if (node.kind === 'optional') visit(text, node.body, calls);
    else if (node.kind === 'choice')
      for (const arm of answeredArms(node, text)) {
        calls.condition(arm.when);
        visit(text, arm.body, calls);
      }
  }
}
