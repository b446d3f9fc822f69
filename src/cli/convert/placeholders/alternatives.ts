// Alternatives in ORDER BY, a key for each, and alternatives that are whole queries, as UNION ALL: types never mix.
import { cutEnd, exclusive, textBefore, type RenderedArm, type Writer } from './arm.ts';
import { conditionParts } from './conditions.ts';
import { commasOf, sliceFragments } from './item-list.ts';
import type { Condition, Part } from './nodes.ts';
import type { Fragment } from './output.ts';
import { emit, renderParts } from './rendering.ts';
import { hasClause } from './sql-outline.ts';
import type { TemplateDialect } from './template.ts';
import { columnsOfQueries, mixedTimes } from './time-kinds.ts';

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

/** A whole query or subquery: all alternatives, each of them with a condition that selects all or none of its rows. */
export function writeUnion(
  arms: readonly RenderedArm[],
  { sink, span, rendering, mixesTimes, isQuery }: Writer,
): boolean {
  const { last } = sink.position.expectation();
  const after = rendering.source.text.slice(span.end, span.end + 200);
  const isAlone = last === undefined || last === ';';
  const isWhole = isQuery === true || (isAlone && /^\s*($|[);]|\{%-?\s*(end|else|elif))/.test(after));
  if (!isWhole || arms.length < 2 || arms.at(-1)?.when.kind !== 'constant') return false;
  if (isQuery === true && arms.some(({ outline }) => isUnion(outline.tokens))) return false;
  const names = arms.map(({ outline }) => columnNames(outline.tokens));
  const [first] = names;
  if (first === undefined || names.some((each) => each === undefined || each.join() !== first.join()))
    return false;
  const mixed = mixedTimes(columnsOfQueries(arms), { span, sink, rendering, mixesTimes });
  if (mixed === undefined) return false;
  const casts = [...mixed].map((name) => `CAST(${name} AS Dynamic) AS ${name}`);
  const columns = casts.length === 0 ? '*' : `* REPLACE (${casts.join(', ')})`;
  const add = (parts: readonly Part[]): void => renderParts(parts, span, sink, rendering);
  // A WITH clause before it counts for all of them.
  add([isAlone ? '' : 'SELECT * FROM (']);
  for (const [index, arm] of exclusive(arms).entries()) {
    add([`${index === 0 ? '' : '\nUNION ALL\n'}SELECT ${columns} FROM (`]);
    for (const fragment of arm.sink.fragments) emit(sink, fragment);
    add([`) AS alternative_${index + 1} WHERE `, ...conditionParts(arm.when)]);
  }
  add([isAlone ? '' : ')']);
  return true;
}

function isUnion(tokens: readonly string[]): boolean {
  return tokens.filter((token) => token === 'SELECT').length > 1;
}

/** The names of the columns of a SELECT; undefined if one has none, or if it is no plain SELECT. */
function columnNames(tokens: readonly string[]): readonly string[] | undefined {
  if (tokens[0] !== 'SELECT') return undefined;
  const end = tokens.findIndex((token) => token === 'FROM' || token === 'WHERE' || token === 'LIMIT');
  const names: string[] = [];
  let previous = 'SELECT';
  for (const token of [...tokens.slice(1, end < 0 ? undefined : end), ',']) {
    if (token !== ',') previous = token;
    else if (/^\w+$/.test(previous) && previous !== 'SELECT') names.push(previous);
    else return undefined;
  }
  return names;
}
