// Parts of a query that depend on conditions, as conditions in the query: `[[AND a = {{x}}]]` becomes `AND (:x IS NULL OR (a = :x))`.
import { conditionParts, negated, requiresValue, simplified } from './conditions.ts';
import { ALWAYS, valuesOf, type Condition, type Node, type Part, type Value } from './nodes.ts';
import { textOf, type Fragment } from './output.ts';
import { emit, forkSink, lose, renderParts, type Rendering, type Sink, type Span } from './rendering.ts';
import { readItems, type ItemList } from './item-list.ts';
import { hasClause, outlineOf, type Outline } from './sql-outline.ts';

type ChoiceNode = Extract<Node, { kind: 'choice' }>;

/** Metabase's `[[ … ]]`: used if all its values are given. */
export function renderOptional(
  node: Extract<Node, { kind: 'optional' }>,
  sink: Sink,
  rendering: Rendering,
): void {
  const conditions = node.body.flatMap((each): Condition[] => {
    const items =
      each.kind === 'item' ? [each.item] : each.kind === 'string' ? each.parts.flatMap(itemOf) : [];
    return items.flatMap((item) => {
      const values = valuesOf(item).filter((value) => value.default === undefined);
      const given = values.map((value): Condition => ({ kind: 'given', value }));
      return item.kind === 'sql' && item.isOptional === true ? [{ kind: 'any' as const, of: given }] : given;
    });
  });
  const filters = node.body.filter(
    (each) => each.kind === 'item' && each.item.kind === 'sql' && each.item.isOptional,
  );
  if (filters.length === 1 && conditions.length === 1) return rendering.render(node.body, sink); // absent: its condition holds
  renderArms([{ when: { kind: 'all', of: unique(conditions) }, body: node.body }], node, sink, rendering);
}

function itemOf(node: Node) {
  return node.kind === 'item' ? [node.item] : [];
}

function unique(conditions: readonly Condition[]): readonly Condition[] {
  return [...new Map(conditions.map((each) => [JSON.stringify(each), each])).values()];
}

/** `{% if … %}`. */
export function renderChoice({ arms, ...span }: ChoiceNode, sink: Sink, rendering: Rendering): void {
  renderArms(arms, span, sink, rendering);
}

/** An alternative, rendered. */
interface RenderedArm {
  readonly when: Condition;
  readonly sink: Sink;
  readonly outline: Outline;
}

function renderArms(all: ChoiceNode['arms'], span: Span, sink: Sink, rendering: Rendering): void {
  const arms = reachable(all);
  const [first] = arms;
  if (first === undefined) return;
  if (arms.length === 1 && first.when.kind === 'constant') return rendering.render(first.body, sink);
  const rendered = arms.map(({ when, body }): RenderedArm => {
    const guards = new Set(sink.guards);
    for (const node of body)
      for (const { name } of namesIn(node)) if (requiresValue(when, name)) guards.add(name);
    const inner = forkSink(sink, guards);
    rendering.render(body, inner);
    return { when, sink: inner, outline: outlineOf(textOf(inner.fragments), rendering.source.dialect) };
  });
  const writer = { span, sink, rendering };
  if (rendered.every(({ outline }) => outline.tokens.length === 0)) return;
  const forms = [writeLimit, writeConditions, writeValue, writeItems, writeUnion];
  if (forms.some((write) => write(rendered, writer))) return;
  for (const fragment of rendered[0]?.sink.fragments ?? []) emit(sink, fragment);
  lose(
    {
      message:
        'A part of the query that depends on a condition, and is not a condition itself, is not supported',
      hint: 'Write the part always, or write one query for each case',
      isPlaced: false,
    },
    span,
    sink,
    rendering,
  );
}

/** Without alternatives that are never used. */
function reachable(arms: ChoiceNode['arms']): ChoiceNode['arms'] {
  const found: ChoiceNode['arms'][number][] = [];
  for (const { when, body } of arms) {
    const condition = simplified(when);
    if (condition.kind === 'constant' && !condition.value) continue;
    found.push({ when: condition, body });
    if (condition.kind === 'constant') break;
  }
  return found;
}

function namesIn(node: Node): readonly { readonly name: string }[] {
  if (node.kind === 'item') return valuesOf(node.item);
  if (node.kind === 'string') return node.parts.flatMap(namesIn);
  if (node.kind === 'optional') return node.body.flatMap(namesIn);
  return node.kind === 'choice' ? node.arms.flatMap(({ body }) => body.flatMap(namesIn)) : [];
}

interface Writer {
  readonly span: Span;
  readonly sink: Sink;
  readonly rendering: Rendering;
}

/** Most rows of a response: a query without LIMIT returns no more. */
const MAX_ROWS = 10_000;

/** `LIMIT :n` is always there, with a default. */
function writeLimit(arms: readonly RenderedArm[], { sink }: Writer): boolean {
  const [arm] = arms;
  if (arm === undefined || arms.length > 1) return false;
  const shape = arm.outline.tokens.map((token) => token.replace(/^[:@].*/, '?')).join(' ');
  if (!/^(LIMIT \?|OFFSET (\?|\(\))|LIMIT \? OFFSET (\?|\(\)))$/.test(shape)) return false;
  let isOffset = shape.startsWith('OFFSET');
  for (const fragment of arm.sink.fragments) {
    if (fragment.use === undefined) {
      emit(sink, fragment);
      continue;
    }
    const { value } = fragment.use;
    const fallback = isOffset ? (value.default ?? 0) : MAX_ROWS;
    const kept: Value = { ...value, default: fallback, type: 'UInt64', hasOneDefault: true };
    emit(sink, { ...fragment, use: { ...fragment.use, value: kept } });
    isOffset = true;
  }
  return true;
}

const LEADING = /^(AND|OR|WHERE|PREWHERE|HAVING)$/;

/** Alternatives that are conditions, with the same keyword before or after them. */
function writeConditions(arms: readonly RenderedArm[], writer: Writer): boolean {
  const { sink, span, rendering } = writer;
  const present = arms.filter(({ outline }) => outline.tokens.length > 0);
  const firsts = new Set(present.map(({ outline }) => outline.tokens[0] ?? ''));
  const lasts = new Set(present.map(({ outline }) => outline.tokens.at(-1) ?? ''));
  const [leading = ''] = firsts.size === 1 ? firsts : [];
  const [last = ''] = lasts.size === 1 ? lasts : [];
  const keyword = LEADING.test(leading) ? leading : '';
  const trailing = last === 'AND' || last === 'OR' ? last : '';
  const { last: before, value } = sink.position.expectation();
  const isCondition = before !== undefined && /^(WHERE|PREWHERE|HAVING|AND|OR|NOT|ON)$/.test(before);
  const isInPlace = keyword === '' && isCondition && value;
  if (keyword === '' && trailing === '' && !isInPlace) return false;
  const bodies = arms.map((arm) => bodyOf(arm, keyword, trailing));
  if (bodies.some((body) => body === undefined)) return false;
  const isOr = keyword === 'OR' || (keyword === '' && trailing === 'OR');
  const add = (parts: readonly Part[]): void => renderParts(parts, span, sink, rendering);
  add([keyword === '' ? '' : ` ${keyword} `, '(']);
  const passed: Condition[] = []; // the alternatives before this one are not used
  for (const [index, arm] of arms.entries()) {
    const body = bodies[index];
    const when = simplified({ kind: 'all', of: [...passed, arm.when] });
    if (index > 0) add([' OR ']);
    writeArm({ when, body, isOnly: arms.length === 1 && !isOr }, writer);
    passed.push(negated(arm.when));
  }
  const none = simplified({ kind: 'all', of: passed });
  if (!isOr && arms.length > 1 && none.kind !== 'constant') add([' OR ', ...conditionParts(none)]);
  add([')', trailing === '' ? '' : ` ${trailing} `]);
  return true;
}

function writeArm(
  {
    when,
    body,
    isOnly,
  }: { readonly when: Condition; readonly body: Sink | undefined; readonly isOnly: boolean },
  { sink, span, rendering }: Writer,
): void {
  const add = (parts: readonly Part[]): void => renderParts(parts, span, sink, rendering);
  if (isOnly) add([...conditionParts(simplified(negated(when))), ' OR (']);
  else if (when.kind === 'constant') add(['(']);
  else add(['(', ...conditionParts(when), ' AND (']);
  for (const fragment of body?.fragments ?? []) emit(sink, fragment);
  add([isOnly || when.kind === 'constant' ? ')' : '))']);
}

/** The alternative without its keyword; undefined if more than a condition is left. */
function bodyOf({ sink, outline }: RenderedArm, keyword: string, trailing: string): Sink | undefined {
  const { tokens, isBalanced } = outline;
  const inner = tokens.slice(keyword === '' ? 0 : 1, trailing === '' ? undefined : -1);
  if (!isBalanced || hasClause(inner) || inner.includes(',')) return undefined;
  if (tokens.length === 0) return { ...sink, fragments: [{ text: '1 = 1', at: 0, isCopied: false }] };
  if (inner.length === 0) return undefined;
  const fragments = [...sink.fragments];
  if (keyword !== '') trimKeyword(fragments, new RegExp(`^(?:\\s|--[^\\n]*\\n)*${keyword}\\b\\s*`, 'i'), 0);
  if (trailing !== '')
    trimKeyword(fragments, new RegExp(`\\s*\\b${trailing}\\s*$`, 'i'), fragments.length - 1);
  return { ...sink, fragments };
}

/** Removes the keyword, and white space beside it. */
function trimKeyword(fragments: Fragment[], pattern: RegExp, from: number): void {
  const step = from === 0 ? 1 : -1;
  for (let at = from; at >= 0 && at < fragments.length; at += step) {
    const fragment = fragments[at];
    if (fragment === undefined) return;
    const { text } = fragment;
    if (text.trim() === '') {
      fragments[at] = { ...fragment, text: '' };
      continue;
    }
    const found = pattern.exec(text)?.[0] ?? '';
    const cut = step === 1 ? text.slice(found.length) : text.slice(0, text.length - found.length);
    fragments[at] = {
      ...fragment,
      text: cut,
      at: fragment.at + (step === 1 && fragment.isCopied ? found.length : 0),
    };
    return;
  }
}

/** Alternatives that are values: CASE. */
function writeValue(arms: readonly RenderedArm[], writer: Writer): boolean {
  const { value } = writer.sink.position.expectation();
  const last = arms.at(-1);
  if (!value || last?.when.kind !== 'constant') return false;
  const isValue = ({ outline }: RenderedArm): boolean =>
    outline.isBalanced &&
    outline.tokens.length > 0 &&
    !hasClause(outline.tokens) &&
    !outline.tokens.includes(',') &&
    !outline.tokens.some((token) => token === 'AS' || token === 'ASC' || token === 'DESC');
  if (!arms.every(isValue)) return false;
  writeCase(
    arms.map(({ when, sink: { fragments } }) => ({ when, fragments })),
    writer,
  );
  return true;
}
interface CaseArm {
  readonly when: Condition;
  readonly fragments: readonly Fragment[];
}

/** The last alternative is the one for all other cases. */
function writeCase(arms: readonly CaseArm[], { sink, span, rendering }: Writer): void {
  const add = (parts: readonly Part[]): void => renderParts(parts, span, sink, rendering);
  add(['CASE']);
  for (const [index, { when, fragments }] of arms.entries()) {
    add(index === arms.length - 1 ? [' ELSE ('] : [' WHEN ', ...conditionParts(when), ' THEN (']);
    for (const fragment of fragments) emit(sink, fragment);
    add([')']);
  }
  add([' END']);
}

/** Functions that make rows: in CASE, all of its branches would. */
const MAKES_ROWS = /\b(arrayJoin|unnest|generate_series|explode|flatten)\b/i;

/** Lists of the same number of columns with the same names, in a SELECT or WITH clause: CASE for each column. */
function writeItems(arms: readonly RenderedArm[], writer: Writer): boolean {
  const { sink, rendering } = writer;
  if (arms.length < 2 || arms.at(-1)?.when.kind !== 'constant') return false;
  if (arms.some((arm) => MAKES_ROWS.test(textOf(arm.sink.fragments)))) return false;
  const { clause, isItem, last } = sink.position.expectation();
  if (!isItem && last !== 'WITH') return false;
  if (clause !== 'SELECT' && clause !== 'WITH') return false;
  const lists = arms.map((arm) => readItems(arm.sink.fragments, rendering.source.dialect));
  const [first] = lists;
  if (first === undefined || lists.some((list) => !isSameShape(list, first))) return false;
  for (const [index, item] of first.items.entries()) {
    const each = lists.map((list, at): CaseArm => ({
      when: arms[at]?.when ?? ALWAYS,
      fragments: list?.items[index]?.fragments ?? [],
    }));
    writeCase(each, writer);
    const isEnd = index === first.items.length - 1 && !first.hasEnd;
    renderParts([` AS ${item.name}${isEnd ? ' ' : ', '}`], writer.span, sink, rendering);
  }
  return true;
}

function isSameShape(list: ItemList | undefined, { items, hasEnd }: ItemList): boolean {
  return (
    list !== undefined &&
    list.hasEnd === hasEnd &&
    list.items.length === items.length &&
    list.items.every(({ name }, index) => name.toLowerCase() === items[index]?.name.toLowerCase())
  );
}

/** A whole query or subquery: all alternatives, each of them with a condition that selects all or none of its rows. */
function writeUnion(arms: readonly RenderedArm[], { sink, span, rendering }: Writer): boolean {
  const { last } = sink.position.expectation();
  const after = rendering.source.text.slice(span.end, span.end + 200);
  const isWhole = (last === undefined || last === ';') && /^\s*($|[);]|\{%-?\s*(end|else|elif))/.test(after);
  if (!isWhole || arms.length < 2 || arms.at(-1)?.when.kind !== 'constant') return false;
  const names = arms.map(({ outline }) => columnNames(outline.tokens));
  const [first] = names;
  if (first === undefined || names.some((each) => each === undefined || each.join() !== first.join()))
    return false;
  const add = (parts: readonly Part[]): void => renderParts(parts, span, sink, rendering);
  const passed: Condition[] = [];
  for (const [
    index,
    {
      when,
      sink: { fragments },
    },
  ] of arms.entries()) {
    const own = simplified({ kind: 'all', of: [...passed, when] });
    add([`${index === 0 ? '' : '\nUNION ALL\n'}SELECT * FROM (`]);
    for (const fragment of fragments) emit(sink, fragment);
    add([`) AS alternative_${index + 1} WHERE `, ...conditionParts(own)]);
    passed.push(negated(when));
  }
  return true;
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
