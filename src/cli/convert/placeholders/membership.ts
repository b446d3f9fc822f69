// Conditions with IN whose list depends on a value: the whole condition depends on it.
import { cutEnd, exclusive, textBefore, type RenderedArm, type Writer } from './arm.ts';
import { conditionParts } from './conditions.ts';
import type { Part, Value } from './nodes.ts';
import { emit, renderParts, type Rendering, type Sink, type Span } from './rendering.ts';
import { hasClause } from './sql-outline.ts';

/** A condition that begins here, up to IN; its operand uses no parameters. */
const CONDITION =
  '(?:^|\\(|\\b(?:where|prewhere|and|or|on|having|when|not))\\s*(?<all>(?<operand>(?:[\\w.]|"[^"]*"|`[^`]*`|\\([^()@:]*\\))+)\\s+(?<not>not\\s+)?in';
/** Up to the parenthesis of its list. */
const MEMBER = new RegExp(`${CONDITION}\\s*\\(\\s*)$`, 'i');
const LISTLESS = new RegExp(`${CONDITION}\\s*)$`, 'i');
const NO_OPERAND = /^(end|not|and|or|null)$/i;
const END_OF_LIST = /^\s*\)/;
/** How much of the SQL before a list is searched for its condition. */
const MAX_CONDITION = 300;

/** `a IN ($list)` of a list that may be empty: `(empty(:list) OR a IN (:list))`. */
export function renderMembership(value: Value, span: Span, sink: Sink, rendering: Rendering): boolean {
  const { all, operand, not } = MEMBER.exec(textBefore(sink, MAX_CONDITION))?.groups ?? {};
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

/** Alternatives that are lists after IN, or what its parentheses contain. */
export function writeMembership(arms: readonly RenderedArm[], { sink, span, rendering }: Writer): boolean {
  const { last, opener } = sink.position.expectation();
  const isInside = opener === 'IN' && last === undefined;
  if ((last !== 'IN' && !isInside) || arms.at(-1)?.when.kind !== 'constant') return false;
  const { all, operand, not } =
    (isInside ? MEMBER : LISTLESS).exec(textBefore(sink, MAX_CONDITION))?.groups ?? {};
  const isWhole = !isInside || END_OF_LIST.test(rendering.source.text.slice(span.end, span.end + 100));
  if (all === undefined || operand === undefined || NO_OPERAND.test(operand) || !isWhole) return false;
  if (!arms.every((arm) => isList(arm, isInside))) return false;
  cutEnd(sink, all.length);
  if (isInside) {
    sink.position.add(')'); // the parenthesis after IN, which is written again
    sink.cutNext = END_OF_LIST;
  }
  const add = (parts: readonly Part[]): void => renderParts(parts, span, sink, rendering);
  for (const [index, { when, sink: inner }] of exclusive(arms).entries()) {
    add([index === 0 ? '((' : ' OR (', ...conditionParts(when)]);
    add([` AND ${operand} ${not === undefined ? '' : 'NOT '}IN ${isInside ? '(' : ''}`]);
    for (const fragment of inner.fragments) emit(sink, fragment);
    add([isInside ? '))' : ')']);
  }
  add([')']);
  return true;
}

function isList({ outline: { tokens, isBalanced } }: RenderedArm, isInside: boolean): boolean {
  if (!isBalanced || tokens.length === 0 || hasClause(tokens)) return false;
  return isInside || tokens.length === 1;
}
