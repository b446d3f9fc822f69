// Alternatives in ORDER BY: a key for each, which is NULL unless the alternative is used, so that types never mix.
import { cutEnd, exclusive, textBefore, type RenderedArm, type Writer } from './arm.ts';
import { conditionParts } from './conditions.ts';
import { commasOf, sliceFragments } from './item-list.ts';
import type { Condition, Part } from './nodes.ts';
import type { Fragment } from './output.ts';
import { emit, renderParts } from './rendering.ts';
import { hasClause } from './sql-outline.ts';
import type { TemplateDialect } from './template.ts';

const DIRECTION = /\s+(asc|desc|ascending|descending)?(\s*nulls\s+(first|last))?\s*$/i;
const NEXT_DIRECTION = /^\s*(asc|desc)\b(\s+nulls\s+(first|last)\b)?/i;

/** Alternatives that are elements of ORDER BY, or directions of one. */
export function writeOrder(arms: readonly RenderedArm[], writer: Writer): boolean {
  const { clause, isItem } = writer.sink.position.expectation();
  if (clause !== 'ORDER' || arms.at(-1)?.when.kind !== 'constant') return false;
  return isItem ? writeElements(arms, writer) : writeDirections(arms, writer);
}

interface OrderKey {
  readonly when: Condition;
  readonly fragments: readonly Fragment[];
  readonly direction: string;
}

function writeElements(arms: readonly RenderedArm[], writer: Writer): boolean {
  const { sink, span, rendering } = writer;
  const { dialect, text } = rendering.source;
  const [after = ''] = NEXT_DIRECTION.exec(text.slice(span.end, span.end + 100)) ?? [];
  const keys: OrderKey[] = [];
  for (const { when, sink: inner, outline } of exclusive(arms)) {
    const elements = hasClause(outline.tokens) ? undefined : elementsOf(inner.fragments, dialect);
    if (elements === undefined) return false;
    for (const [index, element] of elements.entries()) {
      const isLast = index === elements.length - 1;
      if (isLast && after !== '' && element.direction !== '') return false;
      keys.push({
        when,
        fragments: element.fragments,
        direction: isLast && after !== '' ? after : element.direction,
      });
    }
  }
  if (after !== '') sink.cutNext = NEXT_DIRECTION;
  writeKeys(keys, writer);
  return true;
}

function writeKeys(keys: readonly OrderKey[], { sink, span, rendering }: Writer): void {
  const add = (parts: readonly Part[]): void => renderParts(parts, span, sink, rendering);
  for (const [index, { when, fragments, direction }] of keys.entries()) {
    add([index === 0 ? '' : ', ', 'CASE WHEN ', ...conditionParts(when), ' THEN (']);
    for (const fragment of fragments) emit(sink, fragment);
    add([') END', direction === '' ? ' ' : ` ${direction.trim()} `]);
  }
}

interface Element {
  readonly fragments: readonly Fragment[];
  readonly direction: string;
}

/** Undefined if an element is a position, which only a number alone can be, or more than an expression with a direction. */
function elementsOf(
  fragments: readonly Fragment[],
  dialect: TemplateDialect,
): readonly Element[] | undefined {
  const text = fragments.map((each) => each.text).join('');
  const commas = commasOf(text, dialect);
  if (commas === undefined || /\b(with\s+fill|collate|all)\b/i.test(text)) return undefined;
  const elements: Element[] = [];
  let start = 0;
  for (const end of [...commas, text.length]) {
    const written = text.slice(start, end);
    const direction = DIRECTION.exec(written)?.[0] ?? '';
    const expression = written.slice(0, written.length - direction.length);
    if (/^\s*[-\d]*\s*$/.test(expression)) return undefined;
    elements.push({
      fragments: sliceFragments(fragments, start, start + expression.length),
      direction: direction.trim(),
    });
    start = end + 1;
  }
  return elements;
}

/** How much of the SQL before a direction is searched for its element. */
const MAX_ELEMENT = 500;
const ELEMENT = /(?:\bby|,)\s*((?:[\w.]|"[^"]*"|`[^`]*`|\([^()@:]*\))+)\s*$/i;

/** `x DESC` or `x ASC`: one key for each direction. */
function writeDirections(arms: readonly RenderedArm[], writer: Writer): boolean {
  const { sink } = writer;
  const shapes = arms.map(({ outline }) => outline.tokens.join(' '));
  if (!shapes.every((shape) => /^(ASC|DESC)?$/.test(shape))) return false;
  const [, element] = ELEMENT.exec(textBefore(sink, MAX_ELEMENT)) ?? [];
  if (element === undefined || /^\d+$/.test(element)) return false;
  cutEnd(sink, textBefore(sink, MAX_ELEMENT).length - textBefore(sink, MAX_ELEMENT).lastIndexOf(element));
  const fragments: readonly Fragment[] = [{ text: element, at: writer.span.start, isCopied: false }];
  writeKeys(
    exclusive(arms).map(({ when }, index) => ({ when, fragments, direction: shapes[index] ?? '' })),
    writer,
  );
  return true;
}
