// Lists of items, such as `a AS x, f(b, c) AS y`, and conditions with IN whose list depends on a value.
import type { Fragment } from './output.ts';
import { readRegions } from './source-lexer.ts';
import type { TemplateDialect } from './template.ts';
import { cutEnd, exclusive, textBefore, type RenderedArm, type Writer } from './arm.ts';
import { conditionParts } from './conditions.ts';
import type { Part, Value } from './nodes.ts';
import { emit, renderParts, type Rendering, type Sink, type Span } from './rendering.ts';
import { hasClause } from './sql-outline.ts';

export interface ItemList {
  readonly items: readonly { readonly fragments: readonly Fragment[]; readonly name: string }[];
  /** A comma follows the last item. */
  readonly hasEnd: boolean;
}

const ALIAS = /\s+as\s+([A-Za-z_]\w*|"[^"]+"|`[^`]+`)\s*$/i;
/** After a call or a literal, a name is an alias, unless it ends the value. */
const BARE_ALIAS = /(?<=[)\]'\d])\s+(?!end\b|desc\b|asc\b)([A-Za-z_]\w*|"[^"]+"|`[^`]+`)\s*$/i;

/** The items; undefined if one has no name, or if the list ends inside parentheses. */
export function readItems(fragments: readonly Fragment[], dialect: TemplateDialect): ItemList | undefined {
  const text = fragments.map((fragment) => fragment.text).join('');
  const commas = commasOf(text, dialect);
  if (commas === undefined) return undefined;
  const hasEnd = commas.length > 0 && text.slice((commas.at(-1) ?? 0) + 1).trim() === '';
  const ends = hasEnd ? commas : [...commas, text.length];
  const items: ItemList['items'][number][] = [];
  let start = 0;
  for (const end of ends) {
    const item = text.slice(start, end);
    const match = ALIAS.exec(item) ?? BARE_ALIAS.exec(item);
    const name = match?.[1] ?? /^\s*(?:\w+\.)*([A-Za-z_]\w*)\s*$/.exec(item)?.[1];
    if (name === undefined) return undefined;
    items.push({ fragments: sliceFragments(fragments, start, start + (match?.index ?? item.length)), name });
    start = end + 1;
  }
  return { items, hasEnd };
}

/** The commas outside of parentheses; undefined if they do not match. */
export function commasOf(text: string, dialect: TemplateDialect): readonly number[] | undefined {
  const commas: number[] = [];
  let depth = 0;
  for (const { kind, start, end } of readRegions(text, dialect, () => undefined)) {
    if (kind === 'comment') return undefined; // could hide the name of an item
    if (kind !== 'code') continue;
    for (let at = start; at < end; at++) {
      const char = text[at];
      if (char === '(' || char === '[') depth++;
      else if (char === ')' || char === ']') depth--;
      else if (char === ',' && depth === 0) commas.push(at);
    }
  }
  return depth === 0 ? commas : undefined;
}

/** The fragments between two offsets of their text. */
export function sliceFragments(
  fragments: readonly Fragment[],
  from: number,
  to: number,
): readonly Fragment[] {
  const found: Fragment[] = [];
  let at = 0;
  for (const fragment of fragments) {
    const [low, high] = [Math.max(from - at, 0), Math.min(to - at, fragment.text.length)];
    const isUseOnly = fragment.text === '' && at >= from && at <= to; // a parameter of a choice
    if (low < high || isUseOnly) {
      const isWhole = low === 0 && high === fragment.text.length;
      const moved = {
        text: fragment.text.slice(low, high),
        at: fragment.at + (fragment.isCopied ? low : 0),
        isCopied: fragment.isCopied,
      };
      found.push(isWhole ? fragment : moved);
    }
    at += fragment.text.length;
  }
  return found;
}

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
