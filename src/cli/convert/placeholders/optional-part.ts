// Parts of ClickHouse SQL that are there in some calls: `/* if @a */ AND x = @a /* end */`, `/* if not @a = day */ hour /* end */`.
import { conditionText } from '../../../sql/clickhouse/part-condition.ts';
import { exclusive, type RenderedArm, type Writer } from './arm.ts';
import { givenValues } from './conditions.ts';
import { textOf, type Fragment, type Use } from './output.ts';
import { partTerms, termOf, type PartTerm } from './part-terms.ts';
import type { Condition } from './nodes.ts';
import { demanded, emit, type Rendering, type Sink } from './rendering.ts';
import { hasClause, isFilter, precedesCondition } from './sql-outline.ts';

/** As in endpoint files. */
const MAX_PARTS = 100;

/** One alternative that depends on values that are given, or on one value, and can be absent. */
export function writePart(arms: readonly RenderedArm[], writer: Writer): boolean {
  const { sink, rendering } = writer;
  const [arm] = arms;
  if (rendering.source.dialect !== 'clickhouse' || arm === undefined || arms.length > 1) return false;
  if (isInToken(arms, writer)) return false;
  if (rendering.parts >= MAX_PARTS || !canBeAbsent(arm, sink)) return false;
  const terms = givenTerms(arm.when, rendering) ?? onlyTerms(arm.when, rendering);
  if (terms === undefined || terms.length === 0) return false;
  addPart(terms, arm.sink.fragments, writer);
  for (const { text } of arm.sink.fragments) sink.position.add(text);
  separate(writer);
  return true;
}

function givenTerms(when: Condition, { demands }: Rendering): readonly PartTerm[] | undefined {
  const values = givenValues(when);
  return (
    values && [...new Map(values.map((value) => [value.name, termOf(demanded(value, demands))])).values()]
  );
}

/** The terms of a condition that are all about one value, such as `@a and not @a = all`. */
function onlyTerms(when: Condition, rendering: Rendering): readonly PartTerm[] | undefined {
  const [terms, ...others] = partTerms(when, rendering) ?? [];
  return others.length === 0 && new Set(terms?.map(({ name }) => name)).size === 1 ? terms : undefined;
}

/** Any alternatives whose conditions parts can have; the last one is for all other calls, or each of them can be absent. */
export function writeParts(arms: readonly RenderedArm[], writer: Writer): boolean {
  const isWhole = arms.at(-1)?.when.kind === 'constant';
  return (isWhole || arms.every((arm) => canBeAbsent(arm, writer.sink))) && writeAlternatives(arms, writer);
}

/** Does the same for alternatives of which one is always there, or none can be. */
export function writeAlternatives(arms: readonly RenderedArm[], writer: Writer): boolean {
  const { sink, rendering } = writer;
  if (rendering.source.dialect !== 'clickhouse' || isInToken(arms, writer)) return false;
  const parts: { readonly terms: readonly PartTerm[]; readonly arm: RenderedArm }[] = [];
  for (const arm of exclusive(arms)) {
    const { tokens, isBalanced } = arm.outline;
    if (!isBalanced) return false;
    if (tokens.includes('OR') && !hasClause(tokens)) return false;
    const lists = partTerms(arm.when, rendering);
    if (lists === undefined) return false;
    if (tokens.length > 0) parts.push(...lists.map((terms) => ({ terms, arm })));
  }
  if (rendering.parts + parts.length > MAX_PARTS || parts.some(({ terms }) => terms.length === 0))
    return false;
  for (const { terms, arm } of parts) addPart(terms, arm.sink.fragments, writer);
  for (const { text } of parts[0]?.arm.sink.fragments ?? []) sink.position.add(text);
  separate(writer);
  return true;
}

/** Returns whether an alternative and what stands beside it are one name or number. */
function isInToken(arms: readonly RenderedArm[], { sink, span, rendering }: Writer): boolean {
  const isAfter = /\w$/.test(sink.fragments.at(-1)?.text ?? '');
  const isBefore = /^\w/.test(rendering.source.text.slice(span.end, span.end + 1));
  return arms.some((arm) => {
    const text = textOf(arm.sink.fragments);
    return (isAfter && /^\w/.test(text)) || (isBefore && /\w$/.test(text));
  });
}

/** The comments are no part of the SQL that positions follow, and neither are alternatives but the first one. */
function addPart(
  terms: readonly PartTerm[],
  fragments: readonly Fragment[],
  { sink, span, rendering }: Writer,
): void {
  rendering.parts++;
  const add = (text: string): void => void sink.fragments.push({ text, at: span.start, isCopied: false });
  const body = textOf(fragments);
  add(`${space(/(^|\s)$/.test(sink.fragments.at(-1)?.text ?? ''))}/* if `);
  for (const [index, { isNot, value: compared, use: value }] of terms.entries()) {
    const name = rendering.names.of(value.name);
    const use: Use = {
      name,
      value,
      isGuarded: true,
      isPartOfString: false,
      isCondition: true,
      at: span.start,
      end: span.end,
    };
    const text = conditionText({ name, isNot, value: compared });
    add(index > 0 ? ' and ' : '');
    sink.fragments.push({ text, at: span.start, isCopied: false, use });
  }
  add(` */${space(/^\s/.test(body))}`);
  sink.fragments.push(...fragments);
  add(`${space(/\s$/.test(body))}/* end */`);
}

/** Writes a space if the text goes on with a token that would join the one before. */
function separate({ sink, span, rendering }: Writer): void {
  if (/^[\w(]/.test(rendering.source.text.slice(span.end, span.end + 1)))
    emit(sink, { text: ' ', at: span.start, isCopied: false });
}

function space(isThere: boolean): string {
  return isThere ? '' : ' ';
}

/** Returns whether SQL is left without the part, and means the same with it. */
function canBeAbsent({ outline }: RenderedArm, sink: Sink): boolean {
  const { tokens, isBalanced } = outline;
  if (!isBalanced || tokens.length === 0) return false;
  const [first = '', end = ''] = [tokens[0], tokens.at(-1)];
  if (first === 'OR' || isFilter(first)) return false;
  const isCondition = first === 'AND' || end === 'AND';
  if (isCondition) return !tokens.includes('OR');
  const { last, value } = sink.position.expectation();
  const isOperand = value && precedesCondition(last);
  return !isOperand || hasClause(tokens);
}
