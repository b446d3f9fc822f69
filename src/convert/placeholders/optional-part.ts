// Parts of ClickHouse SQL that are there if values are given: `/* if @a */ AND x = @a /* end */`.
import type { RenderedArm, Writer } from './arm.ts';
import { givenValues } from './conditions.ts';
import { textOf, type Use } from './output.ts';
import { demanded, emit, type Sink } from './rendering.ts';
import { hasClause, isFilter, precedesCondition } from './sql-outline.ts';

/** As in endpoint files. */
const MAX_PARTS = 100;

/** One alternative that depends on nothing but values that are given, and can be absent. */
export function writePart(arms: readonly RenderedArm[], { sink, span, rendering }: Writer): boolean {
  const [arm] = arms;
  if (rendering.source.dialect !== 'clickhouse' || arm === undefined || arms.length > 1) return false;
  const values = givenValues(arm.when);
  if (values === undefined || values.length === 0 || rendering.parts >= MAX_PARTS || !canBeAbsent(arm, sink))
    return false;
  rendering.parts++;
  const add = (text: string): void => void sink.fragments.push({ text, at: span.start, isCopied: false });
  const body = textOf(arm.sink.fragments);
  // The comments are no part of the SQL that positions follow.
  add(`${space(/(^|\s)$/.test(sink.fragments.at(-1)?.text ?? ''))}/* if `);
  const given = new Map(values.map((value) => [value.name, demanded(value, rendering.demands)]));
  for (const [index, { default: _, ...value }] of [...given.values()].entries()) {
    const use: Use = {
      name: rendering.names.of(value.name),
      value,
      isGuarded: true,
      isPartOfString: false,
      isCondition: true,
      at: span.start,
      end: span.end,
    };
    if (index > 0) add(' and ');
    sink.fragments.push({ text: `@${use.name}`, at: span.start, isCopied: false, use });
  }
  add(` */${space(/^\s/.test(body))}`);
  for (const fragment of arm.sink.fragments) emit(sink, fragment);
  add(`${space(/\s$/.test(body))}/* end */`);
  if (/^[\w(]/.test(rendering.source.text.slice(span.end, span.end + 1))) add(' ');
  return true;
}

function space(isThere: boolean): string {
  return isThere ? '' : ' ';
}

/** Whether SQL is left without the part, and means the same with it. */
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
